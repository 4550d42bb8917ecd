import Journal

/// What a person is told, and advised, when the record cannot be kept.
enum JournalTrouble {
  /// Which of the places of a run's record.
  enum Place: String {
    case record
    case mirror

    /// The option that says where it is.
    var option: String {
      switch self {
      case .record: "--reports DIR"
      case .mirror: "--mirror DIR"
      }
    }
  }

  static func failure(_ error: JournalError, of place: Place = .record) -> CommandFailure {
    CommandFailure(.record, place == .record ? "\(error)" : "the mirror: \(error)", cure: cure(error, place))
  }

  /// The same where it ended a run.
  static func failure(inMidRun error: JournalError, of place: Place) -> CommandFailure {
    CommandFailure(
      .record, "the \(place.rawValue) could not be written: \(error)",
      cure: "Nothing more was done to any device. Make room or choose another \(place.option), and run again."
    )
  }

  /// The same where a record of old is asked for.
  /// - Parameter run: The run that was named, if one was.
  static func failure(_ error: JournalError, lookingFor run: String?, of building: String, in reports: String)
    -> CommandFailure
  {
    switch error.cause {
    case .missing where error.path.hasSuffix("/" + JournalWriter.fileName):
      FaultWords.failure(
        .noJournal, in: error.path,
        cure: "There is nothing to make reports from. Put the run's journal there (of --mirror, or a backup)."
      )
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

  private static func cure(_ error: JournalError, _ place: Place) -> String {
    let elsewhere = "or choose another place with \(place.option)."
    switch error.cause {
    case .noSpace, .littleSpace: return "Make room on that disk, \(elsewhere)"
    case .readOnly: return "It is mounted read-only: remount it, \(elsewhere)"
    case .permissionDenied: return "Give yourself the right to write there, \(elsewhere)"
    case .missing: return "Make the directory first, \(elsewhere)"
    case .inTheWay: return "Something that is not a directory has that name: move it away, \(elsewhere)"
    case .exists where place == .mirror:
      return "The mirror is the reports directory itself, which is no second copy: give another --mirror DIR."
    case .exists: return "Another run has that id: start again."
    case .inputOutput:
      return "The disk is failing: do not trust it with reports. Give \(place.option) on another."
    case .tooLarge:
      return "It is not what roboprov wrote: put a whole copy in its place (of --mirror, or a backup)."
    case .nameTooLong: return "Choose a shorter place with \(place.option)."
    case .unsafeName: return "Rename the building or room: its id becomes a file name."
    case .readableByOthers: return "Take that right away from them with chmod."
    case .notAKey: return "Name the right file."
    case .system: return "Look at the directory and the disk, \(elsewhere)"
    }
  }
}
