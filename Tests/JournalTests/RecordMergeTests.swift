import Foundation
import Model
import Testing

@testable import Journal

@Suite("Merging the records of several laptops")
struct RecordMergeTests {
  /// Creates a run of the building `demo` in a reports directory, with the first events of a sample.
  private func run(_ id: String, in reports: String, events: Int = 5) async throws -> RunDirectory {
    let directory = try RunDirectory.create(in: reports, building: "demo", run: id)
    try await directory.createJournal().append(Events.sample(Events.facts.count).prefix(events).map(\.self))
    return directory
  }

  private func bytes(_ reports: String, _ run: String) throws -> [UInt8]? {
    try RunDirectory.journalBytes(in: reports, building: "demo", run: run)
  }

  @Test("a merge copies each missing run byte for byte, and a second merge copies nothing")
  func joined() async throws {
    let place = try TemporaryDirectory()
    let (a, b, into) = (place.path + "/a", place.path + "/b", place.path + "/into")
    _ = try await run("one", in: a)
    _ = try await run("two", in: b)
    let merge = try RecordMerge([a + "/demo", b + "/demo/"])
    #expect(merge.archive.runs.map(\.id).sorted() == ["one", "two"] && merge.building == "demo")
    try FileManager.default.copyItem(atPath: b, toPath: place.path + "/c")
    let twice = try RecordMerge([a + "/demo", b + "/demo/", place.path + "/c/demo"])
    #expect(
      twice.archive.runs.map(\.journal) == [a + "/demo/one/journal.jsonl", b + "/demo/two/journal.jsonl"],
      "the first of two equal journals")
    #expect(try merge.store(in: into).map(\.run).sorted() == ["one", "two"])
    #expect(try bytes(into, "one") == bytes(a, "one") && bytes(into, "two") == bytes(b, "two"))
    #expect(try merge.store(in: into).isEmpty, "every run is there already")
  }

  @Test("a complete journal replaces a copy taken during the run, independently of their order")
  func growing() async throws {
    let place = try TemporaryDirectory()
    let (part, whole, into) = (place.path + "/part", place.path + "/whole", place.path + "/into")
    _ = try await run("one", in: part, events: 3)
    _ = try await run("one", in: whole, events: 7)
    for order in [[part, whole], [whole, part]] {
      let merge = try RecordMerge(order.map { $0 + "/demo" })
      #expect(merge.archive.runs.map(\.record.events.count) == [7])
    }
    _ = try RecordMerge([part + "/demo", part + "/demo"]).store(in: into)
    #expect(try RecordMerge([whole + "/demo", part + "/demo"]).store(in: into).map(\.run) == ["one"])
    #expect(try bytes(into, "one") == bytes(whole, "one"))
  }

  @Test("an interrupted merge is completed by the next merge")
  func cutOff() async throws {
    let place = try TemporaryDirectory()
    let (a, into) = (place.path + "/a", place.path + "/into")
    _ = try await run("one", in: a)
    _ = try RunDirectory.create(in: into, building: "demo", run: "one")
    #expect(try RecordMerge([a + "/demo", a + "/demo"]).store(in: into).map(\.run) == ["one"])
    #expect(try bytes(into, "one") == bytes(a, "one"))
  }

  @Test(
    "a run whose room cannot have a log file is refused before anything is stored",
    arguments: ["../x", "", "a b"])
  func badRoom(id: String) async throws {
    let place = try TemporaryDirectory()
    let (a, into) = (place.path + "/a", place.path + "/into")
    let directory = try RunDirectory.create(in: a, building: "demo", run: "one")
    var events = Events.sample(2)
    events[1].fact = .retryScheduled(RetryScheduled(room: RoomID(rawValue: id), attempt: 1, delay: 1))
    try await directory.createJournal().append(events)
    #expect(throws: RecordMerge.Refusal.self) { try RecordMerge([a + "/demo", a + "/demo"]).store(in: into) }
    #expect(!FileManager.default.fileExists(atPath: into))
  }

  @Test("a run with contradicting journals is refused, and so is a damaged journal")
  func refused() async throws {
    let place = try TemporaryDirectory()
    let (a, b, into) = (place.path + "/a", place.path + "/b", place.path + "/into")
    _ = try await run("one", in: a)
    let other = try RunDirectory.create(in: b, building: "demo", run: "one")
    var events = Events.sample(5)
    events[1].fact = .adapterAwaited(.init(problem: nil, seconds: 1))
    try await other.createJournal().append(events)
    let (own, others) = (a + "/demo/one/journal.jsonl", b + "/demo/one/journal.jsonl")
    #expect(throws: RecordMerge.Refusal.differentRuns(run: "one", own, others)) {
      try RecordMerge([a + "/demo", b + "/demo"])
    }

    _ = try RecordMerge([b + "/demo", b + "/demo"]).store(in: into)
    #expect(throws: RecordMerge.Refusal.differentRuns(run: "one", own, into + "/demo/one")) {
      try RecordMerge([a + "/demo", a + "/demo"]).store(in: into)
    }
    let error = JournalError(.open, own + "/demo/one/journal.jsonl", .inTheWay)
    #expect(throws: RecordMerge.Refusal.disk(error), "there is a file in place of the folder") {
      try RecordMerge([a + "/demo"]).store(in: own)
    }
    #expect(try bytes(into, "one") == bytes(b, "one"), "the existing journal is unchanged")

    var foreign = Events.sample(5)
    if case .runStarted(var started) = foreign[0].fact {
      started.run = "two"
      started.building = "other"
      foreign[0].fact = .runStarted(started)
    }
    try await RunDirectory.create(in: b, building: "other", run: "two").createJournal().append(foreign)
    #expect(throws: RecordMerge.Refusal.severalBuildings(["demo", "other"])) {
      try RecordMerge([a + "/demo", b + "/other"])
    }

    let path = "\(a)/demo/one/journal.jsonl"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try text.replacing("hci0", with: "hci9").write(toFile: path, atomically: true, encoding: .utf8)
    _ = try await run("zero", in: a)
    try "{}\n".write(toFile: "\(a)/demo/zero/journal.jsonl", atomically: true, encoding: .utf8)
    let refusal = #expect(throws: RecordMerge.Refusal.self) { try RecordMerge([a + "/demo", b + "/demo"]) }
    guard case .faulty(let fault)? = refusal else {
      Issue.record("\(String(describing: refusal))")
      return
    }
    #expect(fault.journal == path, "the first one that is damaged")
  }

  @Test("a missing folder is refused, and so is one without runs")
  func missing() throws {
    let place = try TemporaryDirectory()
    let (nowhere, long) = (
      place.path + "/nowhere/demo", place.path + "/" + String(repeating: "x", count: 300)
    )
    #expect(throws: RecordMerge.Refusal.noFolder(nowhere)) { try RecordMerge([nowhere]) }
    #expect(throws: RecordMerge.Refusal.disk(.init(.open, long, .nameTooLong))) { try RecordMerge([long]) }
    #expect(throws: RecordMerge.Refusal.noRuns(place.path + "/")) { try RecordMerge([place.path + "/"]) }
  }

  @Test("the first of two missing runs is named")
  func missingRuns() async throws {
    let place = try TemporaryDirectory()
    for id in ["a", "b"] {
      let directory = try RunDirectory.create(in: place.path, building: "demo", run: id)
      var events = Events.sample(2)
      if case .runStarted(var started) = events[0].fact {
        (started.run, started.predecessors) = (id, [Predecessor(run: id + "0", last: "")])
        events[0].fact = .runStarted(started)
      }
      try await directory.createJournal().append(events)
    }
    let folder = place.path + "/demo"
    let fault = BuildingArchive.Fault(
      run: "a0", journal: folder + "/a0/journal.jsonl", kind: .missing(namedBy: "a"))
    #expect(throws: RecordMerge.Refusal.faulty(fault)) { try RecordMerge([folder]) }
  }
}
