import Journal

/// What a person is told, and advised, when the record cannot be kept.
enum JournalTrouble {
  static func failure(_ error: JournalError) -> CommandFailure {
    CommandFailure(.record, "\(error)", cure: cure(error))
  }

  /// The same where a record of old is asked for.
  /// - Parameter run: The run that was named, if one was.
  static func failure(_ error: JournalError, lookingFor run: String?, of building: String, in reports: String)
    -> CommandFailure
  {
    switch error.cause {
    case .missing where run == nil:
      CommandFailure(
        .record, "no run of \(building) has left reports in \(reports)",
        cure: """
          Look with `ls \(reports) \(reports)/\(building)`. A run that was killed is named: \
          `roboprov report \(building) <run>`.
          """)
    case .missing:
      CommandFailure(
        .record, "\(error)", cure: "Look with `ls \(reports)/\(building)` which runs there are.")
    case .unsafeName:
      CommandFailure(
        .record, "\(error)", cure: "Building and run are named by the folders in \(reports), without a path.")
    default:
      failure(error)
    }
  }

  private static func cure(_ error: JournalError) -> String {
    let elsewhere = "or choose another place with --reports DIR."
    switch error.cause {
    case .noSpace, .littleSpace: return "Make room on that disk, \(elsewhere)"
    case .readOnly: return "It is mounted read-only: remount it, \(elsewhere)"
    case .permissionDenied: return "Give yourself the right to write there, \(elsewhere)"
    case .missing: return "Make the directory first, \(elsewhere)"
    case .inTheWay: return "Something that is not a directory has that name: move it away, \(elsewhere)"
    case .exists: return "Another run has that id: start again."
    case .inputOutput:
      return "The disk is failing: do not trust it with reports. Give --reports DIR on another."
    case .nameTooLong: return "Choose a shorter place with --reports DIR."
    case .noLinks:
      return "That file system has no symbolic links (a USB stick?): choose another with --reports DIR."
    case .unsafeName: return "Rename the building or room: its id becomes a file name."
    case .readableByOthers: return "Take that right away from them with chmod."
    case .notAKey: return "Name the right file."
    case .system: return "Look at the directory and the disk, \(elsewhere)"
    }
  }
}
