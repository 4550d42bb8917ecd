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
  static func read(
    _ building: String, in reports: String, damagedToo: Bool = false
  ) throws -> SiteRecord {
    let archive: BuildingArchive
    do throws(JournalError) {
      archive = try BuildingArchive.read(in: reports, building: building)
    } catch {
      throw JournalMessages.failure(error)
    }
    warnOfSkipped(archive.skipped)
    for fault in archive.faults {
      guard damagedToo else { throw failure(fault, in: reports) }
      Console.say(
        "roboprov: warning: \(FaultWords.sentence(fault.kind, in: fault.journal)); the damaged part is left out here"
      )
    }
    return SiteRecord(archive: archive)
  }

  /// The error of a command that decides by a record with a fault.
  static func failure(_ fault: BuildingArchive.Fault, in reports: String) -> CommandFailure {
    FaultWords.failure(
      fault.kind, in: fault.journal,
      advice: """
        Not all that this run did is known, so nothing is decided by it. Put a whole copy in its place (of --mirror, or \
        a backup); or move the folder \(fault.run) out of \(reports), and make sure by hand what it did.
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
