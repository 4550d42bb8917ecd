import Foundation
import Model
import Testing

@testable import Journal

@Suite("The order of the runs of a record")
struct RunOrderTests {
  private let temporary: TemporaryDirectory
  private var reports: String { temporary.path + "/reports" }
  private var folder: String { reports + "/demo" }

  init() throws { temporary = try TemporaryDirectory() }

  private func read() throws -> BuildingArchive { try BuildingArchive.read(in: reports, building: "demo") }

  /// Creates a run that has read the present record.
  /// - Parameter days: when it begins by its clock.
  private func run(_ id: String, days: Double = 0, events: Int = 5) async throws {
    var sample = Array(Events.sample().prefix(events))
    if case .runStarted(var started)? = sample.first?.fact {
      started.run = id
      let predecessors = try read().predecessors
      started.predecessors = predecessors.isEmpty ? nil : predecessors
      sample[0].fact = .runStarted(started)
    }
    for index in sample.indices { sample[index].at += days * 86_400 }
    let directory = try RunDirectory.create(in: reports, building: "demo", run: id)
    try await directory.createJournal().append(sample)
  }

  private func journal(_ run: String) -> String { "\(folder)/\(run)/journal.jsonl" }

  @Test("runs follow their predecessors, even if the clock goes back by 10 minutes or 400 days")
  func clock() async throws {
    try await run("z")
    try await run("m", days: -1.0 / 144)
    try await run("a", days: -400)
    let archive = try read()
    #expect(archive.runs.map(\.id) == ["z", "m", "a"] && archive.faults.isEmpty)
    #expect(archive.predecessors.map(\.run) == ["a"])
    #expect(archive.state.lastKnown.rooms["kitchen"]?.bindings.map(\.run) == ["z"])
    #expect(archive.before("m").runs.map(\.id) == ["z"])
    let newest = try #require(archive.runs[0].record.events.last?.at)
    #expect(archive.clockBehind(newest) == nil)
    let behind = try #require(archive.clockBehind(newest.addingTimeInterval(-600)))
    #expect(behind.seconds == 600 && behind.run == "z")
  }

  @Test("a missing run is one fault, however many runs have read it")
  func missingOnce() async throws {
    try await run("a")
    let head = journal("a")
    try await run("b")
    // A second laptop, which has read only the first run.
    let aside = temporary.path + "/b"
    try FileManager.default.moveItem(atPath: "\(folder)/b", toPath: aside)
    try await run("c")
    try FileManager.default.moveItem(atPath: aside, toPath: "\(folder)/b")
    #expect(try read().faults.isEmpty)
    let whole = try temporary.read("reports/demo/a/journal.jsonl")
    try temporary.write(whole.split(separator: "\n")[0] + "\n", "reports/demo/a/journal.jsonl")
    #expect(try read().faults.map(\.kind) == [.replaced(readBy: "b")])
    try FileManager.default.removeItem(atPath: "\(folder)/a")
    let faults = try read().faults
    #expect(faults.map(\.journal) == [head] && faults.map(\.kind) == [.missing(namedBy: "b")], "\(faults)")
  }

  @Test("runs that do not know each other have the order of their ids, and the next run names both")
  func heads() {
    let order = RunOrder([
      .init(id: "b2", predecessors: ["b1"]), .init(id: "a2", predecessors: ["a1"]),
      .init(id: "b1", predecessors: []), .init(id: "a1", predecessors: []),
    ])
    #expect(order.sorted.map { ["b2", "a2", "b1", "a1"][$0] } == ["a1", "a2", "b1", "b2"])
    #expect(order.heads == ["a2", "b2"])
    #expect(order.knows("b2", "b1") && !order.knows("b1", "b2") && !order.knows("b2", "a1"))
    #expect(!order.isComplete && !order.knows("b2", "none") && !order.knows("none", "b2"))
  }

  @Test("runs in a row know all runs before them", arguments: [1, 63, 64, 65, 70, 128, 129])
  func chain(count: Int) {
    let ids = (0..<count).map { "\(500 - $0)" }
    let nodes = ids.indices.map {
      RunOrder.Node(id: ids[$0], predecessors: $0 == 0 ? [] : [ids[$0 - 1]])
    }
    let order = RunOrder(nodes.reversed())
    #expect(order.heads == [ids[count - 1]] && order.isComplete)
    for (place, run) in ids.enumerated() {
      #expect(ids.indices.allSatisfy { order.knows(run, ids[$0]) == ($0 < place) }, "\(run)")
    }
  }

  @Test("forged runs that name each other do not prevent an order")
  func cycle() {
    let order = RunOrder([
      .init(id: "b", predecessors: ["a"]), .init(id: "a", predecessors: ["b"]),
      .init(id: "c", predecessors: []),
    ])
    #expect(order.sorted == [2, 1, 0] && !order.isComplete)
  }

  @Test("a run that another one has read and that is not there is a fault")
  func missing() async throws {
    for id in ["one", "two", "three"] { try await run(id) }
    try FileManager.default.removeItem(atPath: folder + "/two")
    #expect(
      try read().faults == [.init(run: "two", journal: journal("two"), kind: .missing(namedBy: "three"))])
    try FileManager.default.removeItem(atPath: folder + "/three")
    #expect(try read().faults.isEmpty, "no run is left that had read it")
  }

  @Test("a journal that is not the one that a later run has read is a fault")
  func replaced() async throws {
    try await run("one")
    let whole = try temporary.read("reports/demo/one/journal.jsonl")
    try await run("two")
    let cut = whole.split(separator: "\n").dropLast().joined(separator: "\n") + "\n"
    try temporary.write(cut, "reports/demo/one/journal.jsonl")
    let fault = BuildingArchive.Fault(run: "one", journal: journal("one"), kind: .replaced(readBy: "two"))
    #expect(try read().faults == [fault])
    try temporary.write(whole, "reports/demo/one/journal.jsonl")
    #expect(try read().faults.isEmpty)
    try FileManager.default.removeItem(atPath: folder + "/one")
    try await run("one", days: 1)
    #expect(try read().faults.map(\.kind) == [.replaced(readBy: "two")])
  }

  @Test("a run does not know a journal that continued after it read a copy")
  func continued() async throws {
    try await run("one", events: 7)
    let whole = try temporary.read("reports/demo/one/journal.jsonl")
    let early = whole.split(separator: "\n").prefix(4).joined(separator: "\n") + "\n"
    try temporary.write(early, "reports/demo/one/journal.jsonl")
    try await run("two")
    #expect(try read().order.knows("two", "one") && read().order.continued(by: "two") == "one")
    try temporary.write(whole, "reports/demo/one/journal.jsonl")
    let archive = try read()
    #expect(archive.faults.isEmpty && archive.runs.map(\.id) == ["one", "two"])
    #expect(!archive.order.knows("two", "one") && !archive.order.isComplete)
    #expect(archive.order.continued(by: "two") == nil)
    #expect(archive.predecessors.map(\.run) == ["one", "two"])
  }

  @Test("a mirror that began later gets the runs that it lacks, and the rest of one that it has in part")
  func mirror() async throws {
    for id in ["one", "two"] { try await run(id) }
    let archive = try read()
    let mirror = temporary.path + "/mirror"
    try archive.complete("demo", in: mirror)
    let whole = try temporary.read("mirror/demo/two/journal.jsonl")
    #expect(try BuildingArchive.read(in: mirror, building: "demo").predecessors == archive.predecessors)
    let mark = File.mark(mirror + "/demo/one/journal.jsonl")
    try archive.complete("demo", in: mirror)
    #expect(mark != nil && File.mark(mirror + "/demo/one/journal.jsonl") == mark, "it is not written again")
    try temporary.write(whole.split(separator: "\n")[0] + "\n", "mirror/demo/two/journal.jsonl")
    try temporary.write("other", "mirror/demo/one/journal.jsonl")
    try archive.complete("demo", in: mirror)
    #expect(try temporary.read("mirror/demo/two/journal.jsonl") == whole)
    #expect(try temporary.read("mirror/demo/one/journal.jsonl") == "other")
    // Only what the next run names is made durable.
    try FileManager.default.removeItem(atPath: journal("one"))
    try archive.syncPredecessors()
    try FileManager.default.removeItem(atPath: journal("two"))
    #expect(throws: JournalError(.open, journal("two"), .missing)) { try archive.syncPredecessors() }
  }

  @Test("merged records must have each run that another one has read, in one of the folders")
  func merged() async throws {
    try await run("one")
    try await run("two")
    let other = temporary.path + "/other/demo"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: folder + "/one", toPath: other + "/one")
    let merge = try RecordMerge([folder, other])
    #expect(merge.archive.runs.map(\.id) == ["one", "two"])
    let copy = temporary.path + "/copy"
    try FileManager.default.copyItem(atPath: folder, toPath: copy)
    let missing = BuildingArchive.Fault(run: "one", journal: journal("one"), kind: .missing(namedBy: "two"))
    #expect(throws: RecordMerge.Refusal.faulty(missing)) { try RecordMerge([folder, copy]) }
  }
}
