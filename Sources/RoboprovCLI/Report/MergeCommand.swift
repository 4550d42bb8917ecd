import Application
import ArgumentParser
import FoundationEssentials
import Glibc
import Journal
import Model
import Reporting

/// `roboprov report merge`: merges the records of one building from several laptops.
struct MergeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge the records of a building from several laptops, and list the conflicts.",
    discussion: """
      roboprov report merge laptop-1/seeblick laptop-2/seeblick
      roboprov report merge laptop-1/seeblick laptop-2/seeblick --into reports

      Shows the state of each room by all records together. --into copies the runs that are missing from a reports directory \
      into it, with unchanged journals, so that the next run uses them. Exit status \(ExitStatus.incomplete.rawValue) if the \
      records contradict each other.
      """)

  @Argument(
    help: ArgumentHelp("The building's folder in the reports directory of each laptop.", valueName: "folder"),
    completion: .directory)
  var folders: [String]

  @Option(
    help: ArgumentHelp("Copy all runs into this reports directory.", valueName: "dir"), completion: .directory
  )
  var into: String?

  @Option(name: .output, help: "Format of stdout: text for people, json for programs.")
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
    BuildingArchive.warnOfSkipped(merge.skipped)
    let stored = try into.map { try store(merge, in: $0) } ?? 0
    let lastKnown = merge.archive.state.lastKnown
    let conflicts = lastKnown.conflicts
    show(lastKnown, conflicts, merge)
    if let into { Console.say("Runs copied to \(into)/\(merge.building): \(stored)") }
    if !conflicts.isEmpty { throw ExitStatus.incomplete }
  }

  /// Copies the runs into a reports directory and writes the reports, while it holds the building's lock.
  /// - Returns: The number of runs that are new there.
  private func store(_ merge: RecordMerge, in reports: String) throws -> Int {
    let lock = try Claims.building(merge.building, in: reports, for: RunIdentity())
    let stored: [RunDirectory]
    defer { lock.release() }
    do throws(RecordMerge.Refusal) {
      stored = try merge.store(in: reports)
    } catch {
      throw Self.failure(error)
    }
    try JournalMessages.translating(writeReports(of: merge.building, in: reports))
    return stored.count
  }

  /// Writes the reports of all runs there, because the state of the building after a run depends on the runs
  /// before it, and the building's own reports.
  private func writeReports(of building: String, in reports: String) throws(JournalError) {
    let archive = try BuildingArchive.read(in: reports, building: building)
    try BuildingReports.forEachRun(in: archive) { (run, after) throws(JournalError) in
      let directory = try RunDirectory.find(in: reports, building: building, run: run.id)
      try RunReports.writeFiles(run.record.events, to: directory, after: after)
    }
    try RunReports.publishNewest(of: building, in: reports)
    try BuildingReports.write(BuildingReports.make(.init(building: building), from: archive), in: reports)
  }

  private func show(
    _ lastKnown: LastKnownBuilding, _ conflicts: [RecordConflict], _ merge: RecordMerge
  ) {
    let names = RoomNames(nil, lastKnown)
    let explanations = conflicts.map { (conflict: $0, words: $0.explanation(names.name(of:))) }
    switch output {
    case .text:
      Console.data(Table.text(header: StateView.header, rows: StateView.rows(lastKnown)))
      for (_, explanation) in explanations {
        Console.data("\n! \(explanation.sentence)\n  → \(explanation.advice)\n")
      }
    case .json:
      let rooms = lastKnown.rooms.sorted { $0.key < $1.key }.map { id, room -> JSONValue in
        let run = room.lastWrite?.run ?? room.lastRun
        return .values([
          "id": id, "room": room.name, "state": room.status.kind, "addresses": room.bindings.map(\.address),
          "run": run,
        ])
      }
      let found = explanations.map { conflict, words -> JSONValue in
        .values(["rooms": conflict.rooms, "sentence": words.sentence, "advice": words.advice])
      }
      let value = JSONValue.values([
        "schema": "roboprov/merge/2", "building": merge.building, "runs": merge.archive.runs.map(\.id),
        "rooms": rooms, "conflicts": found,
      ])
      Console.data(value.pretty)
    }
  }

  private static func failure(_ refusal: RecordMerge.Refusal) -> CommandFailure {
    switch refusal {
    case .severalBuildings(let buildings):
      CommandFailure(
        .usage, "the folders belong to several buildings: \(buildings.joined(separator: ", "))",
        advice: "Name the folders of one building.")
    case .differentRuns(let run, let first, let second):
      CommandFailure(
        .record, "run \(run) has different records in \(first) and \(second)",
        advice: "roboprov never changes a written journal: find the changed copy, and leave its folder out.")
    case .faulty(let fault): FaultWords.failure(fault.kind, in: fault.journal)
    case .noFolder(let folder):
      CommandFailure(.record, "there is no folder \(folder.visible)", advice: rightFolder)
    case .noRuns(let folder):
      CommandFailure(.usage, "\(folder.visible) has no run of a building", advice: rightFolder)
    case .disk(let error): JournalMessages.failure(error)
    }
  }
  private static let rightFolder = """
    Name a building's folder in a reports directory, such as reports/example-house, in which each run has a folder with a \
    \(JournalWriter.fileName). Nothing was merged.
    """
}
