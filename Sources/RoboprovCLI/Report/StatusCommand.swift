import Application
import Host
import Model
import ArgumentParser
import FoundationEssentials
import Glibc
import Journal
import Reporting

/// `roboprov status`: shows the state of a building by its record.
struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the state of every room by the record, and the command to run next.",
    discussion: """
      roboprov status building.yaml
      roboprov status building.yaml --check && echo done
      roboprov status seeblick --older-than 30 --write
      roboprov status building.yaml --since 2026-11-20

      Reads the journals of all runs. It needs no Bluetooth. With the manifest it also shows which rooms have no record yet and \
      which rooms have other settings in the manifest than on record. Rehearsals do not count.
      """)

  @Argument(help: BuildingReference.help, completion: .building)
  var building: String

  @Option(help: ArgumentHelp("The reports directory.", valueName: "dir"), completion: .directory)
  var reports = Preferences.current.reports

  @Flag(help: "Exit with status 100 unless every room is done, accepted or retired.")
  var check = false

  @Option(
    help: ArgumentHelp("List the rooms whose device was last seen more than N days ago.", valueName: "n"))
  var olderThan: Int?

  @Option(
    help: ArgumentHelp(
      "Also list what changed since the beginning of this day, or after this run.", valueName: "day or run"))
  var since: String?

  @Flag(help: "Write the building's reports again: building.html, building.json, building.csv, junit.xml.")
  var write = false

  @OptionGroup var seal: SealOptions

  @Option(name: .output, help: "Format of stdout: text for people, json for programs.")
  var output = OutputFormat.text

  func validate() throws {
    guard since == nil || output == .text else {
      throw ValidationError("--since is for people; as JSON each room has its `runs` with their times")
    }
    if let olderThan, !(0...36_500).contains(olderThan) {
      throw ValidationError("--older-than takes a number of days from 0 to 36500")
    }
  }

  func run() async throws {
    let reference = try BuildingReference.find(building)
    try reference.requireKnown(in: reports)
    let subject = try reference.subject(siteKey: seal.siteKey)
    // Only the page shows the stages of attempts.
    let archive = try BuildingArchive.load(reference.id, in: reports, write ? .whole : .outcomes)
    let report = BuildingReports.make(subject, from: archive)
    if write { try write(BuildingReports.make(.init(building: reference.id), from: archive)) }
    if output == .json { Console.data(BuildingJSON.text(report)) }
    if output == .text {
      let changes = try since.map { since in
        StatusView.changes(
          from: BuildingReports.make(subject, from: try archive.upTo(since)).rooms, to: report.rooms,
          in: "Since \(since)", style: Screen.standardOutput.style) + [""]
      }
      let notes = signed(archive, reference) + (reference.source == nil ? [] : report.comparisonGaps)
      show(report, report.nextCommand(for: reference, in: reports), changes ?? [], notes)
    }
    if check, !report.isDone { throw ExitStatus.incomplete }
  }

  private func write(_ report: BuildingReport) throws {
    let paths = try JournalMessages.translating(BuildingReports.write(report, in: reports))
    for path in paths { Console.say("Wrote \(path)") }
  }

  private func show(_ report: BuildingReport, _ next: String?, _ changes: [String], _ notes: [String]) {
    let screen = Screen.standardOutput
    let lines = StatusView.lines(
      report, notes: notes, olderThan: olderThan.map { .seconds($0 * 86_400) }, next: next,
      times: .here, style: screen.style)
    Console.data(lines: changes + lines)
  }

  /// When and by which key the record was signed last, and what has happened since.
  private func signed(_ archive: BuildingArchive, _ reference: BuildingReference) -> [String] {
    let states: [SignedState]
    do {
      states = try SignedState.all(of: reference.id, in: reports)
    } catch {
      return [((error as? CommandFailure)?.message ?? "\(error)").visible + "."]
    }
    guard let state = states.last else { return [] }
    let time = state.signed.map { "\(LocalTime.here.minute($0)) \(LocalTime.here.offset($0))" }
    var sentences: [String]
    do {
      sentences = ["Signed on \(time ?? "?"): \(try state.verify().visible)."]
    } catch {
      let failure = (error as? CommandFailure)?.message ?? "\(error)"
      sentences = ["Signed on \(time ?? "?"), but: \(failure.visible)."]
    }
    let signed = state.runs
    let since = archive.runs.filter { !signed.contains($0.id) }
    let missing = state.missingRuns
    if !missing.isEmpty {
      sentences.append("Missing since then: \(missing.map(\.visible).joined(separator: ", ")).")
    }
    let changes = since.map { "\($0.id) (\($0.started?.command.rawValue ?? "no event"))".visible }
    sentences.append(
      since.isEmpty
        ? "No run since then."
        : "Not signed, \(since.count.counted("run")): \(changes.joined(separator: ", ")).")
    return sentences
  }
}
