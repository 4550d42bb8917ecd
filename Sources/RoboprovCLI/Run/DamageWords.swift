import Journal
import Reporting

/// What a person is told about a journal that is not as it was written.
enum DamageWords {
  /// Where the damage is, and what is wrong: `reports/…/journal.jsonl:30: line 30 was changed after it was written`.
  static func sentence(_ damage: JournalDamage, in journal: String) -> String {
    "\(journal.visible):\(damage.line): \(words(damage))"
  }

  /// A command that ends because of it.
  /// - Parameter cure: What to do about a file that was changed; nil: put a whole copy in its place.
  static func failure(_ damage: JournalDamage, in journal: String, cure: String? = nil) -> CommandFailure {
    let cure: String? =
      switch damage.kind {
      case .unknownVersion, .unknownKind:
        "This version, \(Version.current), cannot read it: give the command with the version that wrote it, or a newer one."
      case .foreign:
        "Move it away, and put the run's journal in its place (of --mirror, or a backup)."
      case .notJSON, .malformed, .changed, .outOfOrder, .missing, .added:
        cure ?? "Put a whole copy in its place (of --mirror, or a backup)."
      }
    return CommandFailure(.record, sentence(damage, in: journal), cure: cure)
  }

  private static func words(_ damage: JournalDamage) -> String {
    switch damage.kind {
    case .foreign: "this is no journal of roboprov"
    case .notJSON: "line \(damage.line) was changed after it was written: it is not JSON"
    case .malformed(let what): "line \(damage.line) was changed after it was written: \(what.visible)"
    case .unknownVersion(let version):
      "line \(damage.line) was written by a newer version of roboprov (events of version \(version))"
    case .unknownKind(let kind):
      "line \(damage.line) was written by a newer version of roboprov (event \(kind.visible))"
    case .changed: "line \(damage.line) was changed after it was written"
    case .outOfOrder(let expected, let found):
      "line \(damage.line) has the number \(found) instead of \(expected): lines were taken out or put in"
    case .missing(let last) where last == damage.line: "line \(last), the last one, is missing"
    case .missing(let last): "lines \(damage.line) to \(last) are missing: the file was cut off"
    case .added: "line \(damage.line) was added after the run had ended"
    }
  }
}
