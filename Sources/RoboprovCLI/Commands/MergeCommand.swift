import ArgumentParser
import Bluetooth
import Families
import Foundation
import Journal
import Model
import Reporting

/// `roboprov report merge`: one building, several laptops.
struct MergeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Join the records of a building from several laptops, and name what contradicts.",
    discussion: """
      Shows how far each room is by all of them. With --into, what is not there yet is put into a reports \
      directory, journals byte for byte, so that the next run there knows of it. Exit status \
      \(ExitStatus.incomplete.rawValue) when records contradict each other.
      """)

  @Argument(
    help: ArgumentHelp("A building's folder in a reports directory, of each laptop.", valueName: "folder"),
    completion: .directory)
  var folders: [String]

  @Option(
    help: ArgumentHelp("Put all runs into this reports directory.", valueName: "dir"), completion: .directory)
  var into: String?

  @Option(help: "What goes to stdout.")
  var output = OutputFormat.text

  func validate() throws {
    if folders.count < 2 { throw ValidationError("name the folders of at least two laptops") }
  }

  func run() async throws {
    let merge: RecordMerge
    do throws(RecordMerge.Refusal) {
      merge = try RecordMerge(folders)
    } catch {
      throw Self.failure(error)
    }
    SiteRecord.warnOfSkipped(merge.skipped)
    let stored = try into.map { try store(merge, in: $0) } ?? 0
    let standing = merge.archive.state.standing
    let contradictions = standing.contradictions
    show(standing, contradictions, merge)
    if let into { Console.say("\(stored) runs put into \(into)/\(merge.building)") }
    if !contradictions.isEmpty { throw ExitStatus.incomplete.exit }
  }

  /// Puts the runs into a reports directory, with their reports, while no run works there.
  /// - Returns: how many are new there.
  private func store(_ merge: RecordMerge, in reports: String) throws -> Int {
    let lock = try Claims.building(merge.building, in: reports, for: RunIdentity())
    let stored: [RunDirectory]
    defer { lock.release() }
    do throws(RecordMerge.Refusal) {
      stored = try merge.store(in: reports)
    } catch {
      throw Self.failure(error)
    }
    do throws(JournalError) {
      try writeReports(of: merge.building, in: reports)
    } catch {
      throw JournalTrouble.failure(error)
    }
    return stored.count
  }

  /// Makes the reports of all runs there, since how the building stood after a run depends on those before it, and the
  /// building's own.
  private func writeReports(of building: String, in reports: String) throws(JournalError) {
    let archive = try BuildingArchive.read(in: reports, building: building)
    for run in archive.runs where run.isProvisioning {
      let directory = try RunDirectory.find(in: reports, building: building, run: run.id)
      try RunReports.writeFiles(
        run.record.events, to: directory, after: BuildingReports.make(after: run, in: archive))
    }
    try RunReports.publishNewest(of: building, in: reports)
    try BuildingReports.write(BuildingReports.make(.init(building: building), from: archive), in: reports)
  }

  private func show(
    _ standing: BuildingStanding, _ contradictions: [RecordConflict], _ merge: RecordMerge
  ) {
    let names = RoomNames(nil, standing)
    let explanations = contradictions.map { (conflict: $0, words: $0.explanation(names.name(of:))) }
    switch output {
    case .text:
      Console.data(Table.text(header: StateView.header, rows: StateView.rows(standing)))
      for (_, explanation) in explanations {
        Console.data("\n! \(explanation.sentence)\n  → \(explanation.advice)\n")
      }
    case .json:
      let form = MergeJSON.Source(merge: merge, standing: standing, contradictions: explanations)
      Console.data(MergeJSON.form.value(form).pretty + "\n")
    }
  }

  private static func failure(_ refusal: RecordMerge.Refusal) -> CommandFailure {
    switch refusal {
    case .severalBuildings(let buildings):
      CommandFailure(
        .usage, "these are records of several buildings: \(buildings.joined(separator: ", "))",
        cure: "Name the folders of one building.")
    case .differentRuns(let run, let first, let second):
      CommandFailure(
        .record, "run \(run) has different records in \(first) and \(second)",
        cure: "A journal is never changed once written: find out which copy was, and leave it out.")
    case .faulty(let fault): FaultWords.failure(fault.kind, in: fault.journal)
    case .noFolder(let folder):
      CommandFailure(.record, "there is no folder \(folder.visible)", cure: rightFolder)
    case .noRuns(let folder):
      CommandFailure(.usage, "there are no runs of a building in \(folder.visible)", cure: rightFolder)
    case .disk(let error): JournalTrouble.failure(error)
    }
  }
  private static let rightFolder = """
    Name a building's folder in a reports directory, such as reports/example-house: in it each run has a folder with a \
    \(JournalWriter.fileName). Nothing was joined.
    """
}
