package import Journal
import Manifest
import Model
import Reporting

/// Messages and advice for failures of the record.
package enum JournalMessages {
  /// A place of a run's record.
  package enum Place: String {
    case record
    case mirror

    /// The option that sets the directory.
    var option: String {
      switch self {
      case .record: "--reports DIR"
      case .mirror: "--mirror DIR"
      }
    }
  }

  /// Does work on the record.
  /// - Throws: `CommandFailure` in place of the error of the record.
  package static func translating<Value>(
    of place: Place = .record, _ work: @autoclosure () throws(JournalError) -> Value
  ) throws -> Value {
    do throws(JournalError) {
      return try work()
    } catch {
      throw failure(error, of: place)
    }
  }

  package static func failure(_ error: JournalError, of place: Place = .record) -> CommandFailure {
    CommandFailure(
      .record, place == .record ? "\(error)" : "the mirror: \(error)", advice: advice(error, place))
  }

  /// The message for a failure that ended a run.
  static func failure(inMidRun error: JournalError, of place: Place) -> CommandFailure {
    CommandFailure(
      .record, "the \(place.rawValue) could not be written: \(error)",
      advice:
        "The run stopped before the next write to a device. Free some space or choose another \(place.option), then run again."
    )
  }

  /// The message for a failure to read an earlier run.
  /// - Parameter run: The id on the command line; nil without one.
  package static func failure(
    _ error: JournalError, lookingFor run: String?, of building: String, in reports: String
  )
    -> CommandFailure
  {
    switch error.cause {
    case .missing where error.path.hasSuffix("/" + JournalWriter.fileName):
      FaultWords.failure(
        .noJournal, in: error.path,
        advice: "Reports need the journal. Put a copy there, from the --mirror directory or a backup."
      )
    case .missing where run == nil:
      CommandFailure(
        .record, "no run of \(building) has left reports in \(reports)",
        advice: """
          \(runs(of: building, in: reports)) For a run that was killed, give its id: `roboprov report \
          \(building.shellQuoted) RUN`.
          """)
    case .missing:
      CommandFailure(
        .record, "there is no run \(run?.visible ?? "") of \(building.visible) in \(reports.visible)",
        advice: runs(of: building, in: reports))
    case .unsafeName:
      CommandFailure(
        .record, "\(error)", advice: "Give the names of the folders in \(reports), without a path.")
    default:
      failure(error)
    }
  }

  /// The runs of a building that have a record, as a sentence, or the buildings that have one.
  private static func runs(of building: String, in reports: String) -> String {
    let real = (try? BuildingListing(building, in: reports))?.runs.map(\.id) ?? []
    let rehearsals = (try? RunDirectory.rehearsalIDs(of: building, in: reports)) ?? []
    if !real.isEmpty { return "Its runs, the newest first: \(newest(real))." }
    if !rehearsals.isEmpty { return "It has only rehearsals, the newest first: \(newest(rehearsals))." }
    let buildings = (try? RunDirectory.buildings(in: reports)) ?? []
    guard !buildings.isEmpty else {
      return "No building has left a record there: name the reports directory with --reports."
    }
    if let near = Vocabulary.nearest(to: building, of: buildings) { return "Did you mean \(near.visible)?" }
    return "Buildings there: \(buildings.prefix(10).map(\.visible).joined(separator: ", "))."
  }

  private static func newest(_ ids: [String]) -> String {
    ids.sorted().reversed().prefix(5).map(\.visible).joined(separator: ", ") + (ids.count > 5 ? ", …" : "")
  }

  private static func advice(_ error: JournalError, _ place: Place) -> String {
    let elsewhere = "or choose another directory with \(place.option)."
    switch error.cause {
    case .noSpace, .littleSpace: return "Free some space on that disk, \(elsewhere)"
    case .readOnly: return "The file system is mounted read-only: remount it, \(elsewhere)"
    case .permissionDenied: return "Give yourself write permission, \(elsewhere)"
    case .missing where error.operation == .createDirectory:
      return "Choose another directory with \(place.option)."
    case .missing: return "Create the directory with `mkdir -p`, \(elsewhere)"
    case .inTheWay: return "A file has the name of the directory: move it away, \(elsewhere)"
    case .exists where place == .mirror:
      return "The mirror is the reports directory itself: give another --mirror DIR."
    case .exists: return "Another run has the same id: run the command again."
    case .inputOutput:
      return "The disk reports errors: do not use it for reports. Choose another disk with \(place.option)."
    case .tooLarge:
      return
        "It is not the file that roboprov wrote: put a complete copy in its place, from the --mirror directory or a backup."
    case .nameTooLong: return "Choose a shorter path with \(place.option)."
    case .unsafeName: return "Rename the building or room: its id becomes a file name."
    case .readableByOthers: return "Remove the permissions of other users with chmod."
    case .tooManyFiles: return "Raise the limit: `ulimit -n 1024`."
    case .notAKey: return "Name the right file."
    case .system: return "Check the directory and the disk, \(elsewhere)"
    }
  }
}
