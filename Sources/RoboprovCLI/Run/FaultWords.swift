import Journal
import Reporting

/// What a person is told about a run of which not all is known.
enum FaultWords {
  /// Where it is, and what is wrong: `reports/…/journal.jsonl:30: line 30 was changed after it was written`.
  static func sentence(_ fault: BuildingArchive.Fault.Kind, in journal: String) -> String {
    let path = journal.visible
    return switch fault {
    case .damaged(let damage): "\(path):\(damage.line): \(words(damage))"
    case .noJournal: "\(path) is missing: the folder was not copied whole, or the file was removed"
    case .otherBuilding(let building): "\(path) is of a run in another building, \(building.visible)"
    }
  }

  /// A command that ends because of it.
  /// - Parameter cure: What to do about a journal that is not whole; nil: put a whole copy in its place.
  static func failure(
    _ fault: BuildingArchive.Fault.Kind, in journal: String, cure: String? = nil
  ) -> CommandFailure {
    let advice: String
    switch fault {
    case .damaged(let damage) where damage.isOfNewerVersion:
      advice = """
        This is version \(Version.current), which cannot read it. Give the command with the version that wrote it, or a \
        newer one.
        """
    case .damaged, .noJournal: advice = cure ?? "Put a whole copy in its place (of --mirror, or a backup)."
    case .otherBuilding(let building):
      advice = "Move the run's folder to where the runs of \(building.visible) are."
    }
    return CommandFailure(.record, sentence(fault, in: journal), cure: advice)
  }

  private static func words(_ damage: JournalDamage) -> String {
    switch damage.kind {
    case .foreign: "this is not a journal of roboprov"
    case .notJSON: "line \(damage.line) was changed after it was written: it is not JSON"
    case .malformed(let what): "line \(damage.line) was changed after it was written: \(what.visible)"
    case .unknownVersion(let version):
      "line \(damage.line) was written by a newer version of roboprov (event of version \(version))"
    case .unknownKind(let kind):
      "line \(damage.line) was written by a newer version of roboprov (event \(kind.visible))"
    case .changed: "line \(damage.line) was changed after it was written"
    case .outOfOrder(let expected, let found):
      "line \(damage.line) has the number \(found) instead of \(expected): lines were taken out or put in"
    case .missing(let last) where last == damage.line: "line \(last), the last one, is missing"
    case .missing(let last): "lines \(damage.line) to \(last) are missing: the file was cut off"
    case .added: "line \(damage.line) was added behind the last one"
    }
  }
}

extension JournalDamage {
  fileprivate var isOfNewerVersion: Bool {
    switch kind {
    case .unknownVersion, .unknownKind: true
    default: false
    }
  }
}
