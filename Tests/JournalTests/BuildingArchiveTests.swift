import Foundation
import Model
import Testing

@testable import Journal

@Suite("The archive of a building's runs")
struct BuildingArchiveTests {
  private let temporary: TemporaryDirectory
  private var reports: String { temporary.path + "/reports" }

  init() throws { temporary = try TemporaryDirectory() }

  /// Creates a run with the first events of a sample.
  private func run(
    _ id: String, _ sort: RunSort = .real, of building: String = "demo", simulated: Bool = false,
    events: Int = 5
  ) async throws {
    var sample = Array(Events.sample().prefix(events))
    if case .runStarted(var started)? = sample.first?.fact {
      started.run = id
      started.building = building
      started.simulated = simulated
      sample[0].fact = .runStarted(started)
    }
    let directory = try RunDirectory.create(in: reports, building: "demo", run: id, sort)
    try await directory.createJournal().append(sample)
  }

  private func read() throws -> BuildingArchive { try BuildingArchive.read(in: reports, building: "demo") }

  @Test("an archive contains the real runs and no rehearsal, wherever a rehearsal lies")
  func real() async throws {
    try await run("one")
    try await run("two", .rehearsal, simulated: true)
    try await run("three", of: "annexe", simulated: true)
    let archive = try read()
    #expect(archive.runs.map(\.id) == ["one"])
    #expect(archive.faults.isEmpty && archive.skipped.isEmpty)
    #expect(archive.state.lastKnown.rooms["kitchen"]?.bindings.map(\.run) == ["one"])
  }

  @Test("a record without stages becomes whole again, except a journal that has changed since")
  func whole() throws {
    for id in ["one", "two"] {
      var run = Run(id, rooms: [kitchen])
      run.add(
        .stageStarted(.init(room: kitchen.room, attempt: 1, stage: .connect, timeout: 6)),
        .runFinished(.init(outcome: .incomplete)))
      var lines = JournalLines()
      let bytes = run.events.flatMap { lines.line($0) + [UInt8(ascii: "\n")] }
      try RunDirectory.create(in: reports, building: "house", run: id).adoptJournal(bytes)
    }
    let archive = try BuildingArchive.read(in: reports, building: "house", .outcomes)
    #expect(archive.runs.map(\.record.events.count) == [2, 2])
    #expect(archive.whole.runs.map(\.record.events.count) == [3, 3])
    try RunDirectory.open(in: reports, building: "house", run: "two").adoptJournal([])
    #expect(archive.whole.runs.map(\.record.events.count) == [3, 2])
  }

  @Test("folders that are not runs are listed as skipped and stay unchanged")
  func otherFolders() async throws {
    try await run("one")
    let others = ["backup 2026", "notes", "notes/deep", "lost+found", ".trash"]
    for name in others {
      try FileManager.default.createDirectory(
        atPath: reports + "/demo/" + name, withIntermediateDirectories: true)
    }
    try temporary.write("x", "reports/demo/notes/text")
    try temporary.write("x", "reports/demo/backup 2026/journal.jsonl")
    try temporary.write("x", "reports/demo/a file")
    let before = try temporary.contents()
    let archive = try read()
    #expect(archive.runs.map(\.id) == ["one"])
    #expect(archive.skipped == ["backup 2026", "lost+found", "notes"].map { reports + "/demo/" + $0 })
    #expect(archive.faults.isEmpty)
    #expect(try temporary.contents() == before)
  }

  @Test("a run folder with reports but no journal is a fault")
  func noJournal() async throws {
    try await run("one")
    try FileManager.default.createDirectory(atPath: reports + "/demo/two", withIntermediateDirectories: true)
    try temporary.write("{}", "reports/demo/two/report.json")
    let archive = try read()
    #expect(archive.runs.map(\.id) == ["one"])
    #expect(
      archive.faults == [.init(run: "two", journal: reports + "/demo/two/journal.jsonl", kind: .noJournal)])
  }

  @Test(
    "a journal without an event is a fault if the run has reports: it was emptied",
    arguments: [0, 1, 5000])
  func emptied(zeros: Int) async throws {
    try await run("one")
    let journal = "reports/demo/one/journal.jsonl"
    try temporary.write(String(repeating: "\0", count: zeros), journal)
    #expect(try read().faults.isEmpty, "a run that was killed before its first event did nothing")
    try temporary.write("{}", "reports/demo/one/report.json")
    #expect(
      try read().faults == [.init(run: "one", journal: reports + "/demo/one/journal.jsonl", kind: .emptied)])
  }

  @Test("a file of zeros costs neither its size nor the lines after them")
  func zeros() async throws {
    try await run("one")
    let journal = "\(reports)/demo/one/journal.jsonl"
    let size = 900 << 20
    #expect(truncate(journal, size) == 0)
    #expect(try File.reading(journal).readAll().count < 2 << 20)
    #expect(try read().faults.isEmpty, "what a disk has lost at the end is no damage")
    let file = try #require(FileHandle(forWritingAtPath: journal))
    try file.seekToEnd()
    try file.write(contentsOf: Data("{}\n".utf8))
    #expect(try File.reading(journal).readAll().count < 2 << 20)
    #expect(try read().faults.map(\.kind) == [.damaged(.init(line: 6, kind: .notJSON))])
  }

  @Test("a file system that claims more than 64 bits of free space has the most that fits")
  func space() {
    var status = statvfs()
    status.f_bavail = .max
    status.f_frsize = .max
    #expect(status.freeBytes == .max)
    status.f_bavail = 3
    status.f_frsize = 4096
    #expect(status.freeBytes == 12_288)
  }

  @Test("a run of another building is a fault and not in the archive")
  func otherBuilding() async throws {
    try await run("one")
    try await run("two", of: "annexe")
    let archive = try read()
    #expect(archive.runs.map(\.id) == ["one"])
    #expect(
      archive.faults
        == [.init(run: "two", journal: reports + "/demo/two/journal.jsonl", kind: .otherBuilding("annexe"))])
  }

  @Test("a damaged journal is a fault, and its events before the damage count")
  func damaged() async throws {
    try await run("one")
    let file = "reports/demo/one/journal.jsonl"
    try temporary.write(try temporary.read(file).replacing("30.5", with: "31.5"), file)
    let archive = try read()
    #expect(archive.runs.map(\.record.events.count) == [1])
    #expect(archive.faults.map(\.kind) == [.damaged(.init(line: 2, kind: .changed))])
  }

  @Test("a building without a folder, or with rehearsals only, has an empty archive")
  func none() async throws {
    #expect(try read().runs.isEmpty)
    try await run("one", .rehearsal, simulated: true)
    #expect(try read().runs.isEmpty)
    try temporary.write("", "reports/annexe")
    for (name, error) in [
      ("annexe", JournalError(.open, reports + "/annexe", .inTheWay)),
      ("../reports/demo", JournalError(.create, "../reports/demo", .unsafeName)),
    ] {
      #expect(throws: error) { try BuildingArchive.read(in: reports, building: name) }
    }
  }

  @Test("the state after a run is not kept unless another run takes it over")
  func states() async throws {
    final class State {}
    for id in ["one", "two", "three"] { try await run(id) }
    weak var last: State?
    var kept: [String] = []
    try read().forEachRun([State](), adding: { states, _ in states.append(State()) }) { run, states in
      if last != nil { kept.append(run.id) }
      last = states.last
    }
    #expect(kept == [])
  }

  @Test("a file beside the runs is read only if its name cannot lead elsewhere")
  func readBytes() async throws {
    try await run("one")
    try temporary.write("x", "secret")
    #expect(throws: JournalError(.create, "../x", .unsafeName)) {
      try BuildingDirectory.writeReport("../x", "x", of: "demo", in: reports)
    }
    let path = try BuildingDirectory.writeReport("building.json", "x", of: "demo", in: reports)
    #expect(path == reports + "/demo/building.json")
    for (name, building, bytes) in [
      ("building.json", "demo", [0x78]), ("none", "demo", nil), ("../../secret", "demo", nil),
      ("building.json", "../reports/demo", nil),
    ] as [(String, String, [UInt8]?)] {
      #expect(BuildingDirectory.readBytes(name, of: building, in: reports) == bytes)
    }
  }
}
