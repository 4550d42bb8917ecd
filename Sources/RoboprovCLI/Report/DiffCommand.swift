import Application
import ArgumentParser
import FoundationEssentials
import Host
import Journal
import Model
import Reporting

/// `roboprov report diff`: the rooms that changed between two days or runs.
struct DiffCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "List the rooms that changed between two days or runs.",
    discussion: """
      roboprov report diff building.yaml 2026-11-20
      roboprov report diff seeblick 2026-11-20 2027-11-20

      Compares the state of each room at the beginning of a day, or after a run, with that at a later one, or now. Reads the \
      journals of all runs; it needs no Bluetooth.
      """)

  @Argument(help: BuildingReference.help, completion: .building)
  var building: String

  @Argument(help: ArgumentHelp("The day or run to begin with.", valueName: "day or run"))
  var from: String

  @Argument(help: ArgumentHelp("The day or run to end with. Default: now.", valueName: "day or run"))
  var to: String?

  @Option(help: ArgumentHelp("The reports directory.", valueName: "dir"), completion: .directory)
  var reports = Preferences.current.reports

  @OptionGroup var seal: SealOptions

  func run() async throws {
    let reference = try BuildingReference.find(building)
    try reference.requireKnown(in: reports)
    let subject = try reference.subject(siteKey: seal.siteKey)
    let archive = try BuildingArchive.load(reference.id, in: reports, .outcomes)
    let (before, after) = (try archive.upTo(from), try to.map(archive.upTo) ?? archive)
    Console.data(
      lines: StatusView.changes(
        from: BuildingReports.make(subject, from: before).rooms,
        to: BuildingReports.make(subject, from: after).rooms,
        in: "From \(from) to \(to ?? "now")", style: Screen.standardOutput.style))
  }
}

extension BuildingArchive {
  /// The runs before the beginning of a local day, or those that a run knows, and itself.
  /// - Throws: `CommandFailure` if the text is neither.
  func upTo(_ dayOrRun: String) throws -> BuildingArchive {
    let isDay = RunEvent.time(dayOrRun + "T00:00:00.000Z") != nil
    guard isDay || runs.contains(where: { $0.id == dayOrRun }) else {
      throw CommandFailure(
        .usage, "\(dayOrRun.visible) is neither a day such as 2026-11-20 nor a run on record",
        advice: "`roboprov room history` lists the runs of a room.")
    }
    return BuildingArchive(
      runs: runs.filter { run in
        isDay
          ? run.record.events.first.map { LocalTime.here.day($0.at) < dayOrRun } ?? false
          : run.id == dayOrRun || order.knows(dayOrRun, run.id)
      })
  }
}
