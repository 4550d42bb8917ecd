package import Journal
import Model

/// Messages about a run whose journal is damaged, missing or misplaced.
package enum FaultWords {
  /// The place and the problem: `reports/…/journal.jsonl:30: line 30 was changed after it was written`.
  package static func sentence(_ fault: BuildingArchive.Fault.Kind, in journal: String) -> String {
    let path = journal.visible
    return switch fault {
    case .damaged(let damage): "\(path):\(damage.line): \(words(damage))"
    case .noJournal: "\(path) is missing: the copy of the folder is incomplete, or the file was removed"
    case .emptied: "\(path) is empty, but the run has reports: the file was emptied, or the disk has lost it"
    case .otherBuilding(let building): "\(path) belongs to another building, \(building.visible)"
    case .missing(let later): "\(path) is missing, but run \(later.visible) has read it"
    case .replaced(let later):
      "\(path) is not the journal that run \(later.visible) has read: it was cut off or replaced"
    }
  }

  /// About a journal without any event, which need not be a fault.
  package static func empty(_ journal: String) -> String {
    "\(journal.visible) has no event: the run was killed before it did anything, or the file was emptied"
  }

  /// The error of a command that needs the journal.
  /// - Parameter ifIncomplete: The advice for an incomplete journal; nil: put a complete copy in its place.
  package static func failure(
    _ fault: BuildingArchive.Fault.Kind, in journal: String, advice ifIncomplete: String? = nil
  ) -> CommandFailure {
    let advice: String
    switch fault {
    case .damaged(let damage) where damage.isOfNewerVersion:
      advice = """
        This is version \(Version.current), which cannot read it. Run the command with the version that wrote it, or with a \
        newer one.
        """
    case .damaged, .noJournal, .emptied, .missing, .replaced:
      advice = ifIncomplete ?? "Put a complete copy in its place, from the --mirror directory or a backup."
    case .otherBuilding(let building):
      advice = "Move the run's folder to the folder of \(building.visible)."
    }
    return CommandFailure(.record, sentence(fault, in: journal), advice: advice)
  }

  private static func words(_ damage: JournalDamage) -> String {
    switch damage.kind {
    case .foreign: "this file is not a journal of roboprov"
    case .notJSON: "line \(damage.line) was changed after it was written: it is not JSON"
    case .malformed(let what): "line \(damage.line) was changed after it was written: \(what.visible)"
    case .unknownVersion(let version):
      "line \(damage.line) was written by \(version < RunEvent.version ? "an older" : "a newer") version of roboprov (event of version \(version))"
    case .unknownKind(let kind):
      "line \(damage.line) was written by a newer version of roboprov (event \(kind.visible))"
    case .changed: "line \(damage.line) was changed after it was written"
    case .outOfOrder(let expected, let found):
      "line \(damage.line) has the number \(found) instead of \(expected): lines were removed or inserted"
    case .missing(let last) where last == damage.line: "the last line, \(last), is missing"
    case .missing(let last): "lines \(damage.line) to \(last) are missing: the file was cut off"
    case .added: "line \(damage.line) was added after the last one"
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
