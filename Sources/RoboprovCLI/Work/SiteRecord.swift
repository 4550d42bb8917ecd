import FoundationEssentials
import Journal
import Model
import Reporting

/// The record of a building, for a command that decides by it.
struct SiteRecord {
  let archive: BuildingArchive

  /// Reads all of a building's journals.
  /// - Throws: `CommandFailure` if one cannot be read, or if one is damaged, because its actions are then
  ///   unknown.
  /// - Parameter damagedToo: Whether a fault of the record is only a warning, because no decision depends on
  ///   the record.
  /// - Parameter status: The exit status for a run that is missing.
  static func read(
    _ building: String, in reports: String, damagedToo: Bool = false, ifMissing status: ExitStatus = .record
  ) throws -> SiteRecord {
    let archive: BuildingArchive
    do throws(JournalError) {
      archive = try BuildingArchive.read(in: reports, building: building)
    } catch {
      throw JournalMessages.failure(error)
    }
    warnOfSkipped(archive.skipped)
    for fault in archive.faults {
      guard damagedToo else {
        var failure = failure(fault, in: reports)
        if case .missing = fault.kind { failure.status = status }
        throw failure
      }
      Console.say(
        "roboprov: warning: \(FaultWords.sentence(fault.kind, in: fault.journal)); what is missing or damaged is left out here"
      )
    }
    return SiteRecord(archive: archive)
  }

  /// The error of a command that decides by a record with a fault.
  static func failure(_ fault: BuildingArchive.Fault, in reports: String) -> CommandFailure {
    FaultWords.failure(
      fault.kind, in: fault.journal,
      advice: """
        Not all that this run did is known, so nothing is decided by the record. Put a whole copy of the run's folder \
        \(fault.run) in its place, from --mirror, a backup or another laptop (`roboprov report merge FOLDER FOLDER` joins records). If there is none, \
        move the building's folder out of \(reports): the next run then begins a new record, without what this one says.
        """)
  }

  /// Prepares for a run or change that continues this record: the runs that it names become durable, the mirror gets
  /// those that it lacks, and a clock behind the record is reported.
  /// - Throws: `CommandFailure` when a journal cannot be synced or copied.
  func prepare(for run: RunIdentity, of building: String, in places: RecordOptions) throws {
    do throws(JournalError) {
      try archive.syncPredecessors()
    } catch {
      throw JournalMessages.failure(error)
    }
    if let mirror = places.mirror {
      do throws(JournalError) {
        try archive.complete(building, in: mirror)
      } catch {
        throw JournalMessages.failure(error, of: .mirror)
      }
    }
    guard let behind = archive.clockBehind(run.began) else { return }
    let times = LocalTime.here
    Console.say(
      """
      roboprov: warning: this computer's clock is \(behind.seconds.asSeconds) behind the record: run \(behind.run) has an event \
      of \(times.minute(behind.at)) \(times.offset(behind.at)). The order of the runs does not depend on it, but the times in \
      the reports do. Set the clock.
      """)
  }

  /// The error of a command that needs a run of a building without a run on record.
  static func noRun(of building: String, in reports: String) -> CommandFailure {
    CommandFailure(
      .usage, "no run of \(building.visible) is on record in \(reports)",
      advice: "Name the building's folder in the reports directory (--reports DIR).")
  }

  /// Warns of folders that are not runs and were skipped.
  static func warnOfSkipped(_ skipped: [String]) {
    guard !skipped.isEmpty else { return }
    Console.say("roboprov: warning: skipped, not a run: \(skipped.map(\.visible).joined(separator: ", "))")
  }

  /// The seal of the site's key, if the key exists: a command that only reads creates none.
  /// - Throws: `CommandFailure` when the key cannot be used.
  static func existingSeal(for building: Building, _ options: SealOptions) throws -> SecretSeal? {
    guard FileManager.default.fileExists(atPath: keyPath(options)) else { return nil }
    return try seal(for: building, options)
  }

  /// The path of the site's key, which may not exist yet.
  static func keyPath(_ options: SealOptions) -> String {
    options.siteKey ?? HostEnvironment.stateDirectory + "/site.key"
  }

  /// The seal of the site's key, for a building that has secrets.
  /// - Throws: `CommandFailure` when there is no key and none can be made.
  static func seal(for building: Building, _ options: SealOptions) throws -> SecretSeal? {
    guard building.rooms.contains(where: { !$0.secrets.isEmpty }) else { return nil }
    let path = keyPath(options)
    do throws(JournalError) {
      return try SiteKey.seal(at: path) { (0..<SiteKey.length).map { _ in UInt8.random(in: 0...255) } }
    } catch {
      let advice =
        switch error.cause {
        case .readableByOthers: "It lets others find out passwords: `chmod 600 \(path)`."
        case .notAKey: "Name the right file with --site-key FILE, or move this one away: a new key is made."
        default: "Name a place that you can write with --site-key FILE."
        }
      throw CommandFailure(.record, "the site's key: \(error)", advice: advice)
    }
  }
}
