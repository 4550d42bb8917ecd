import Foundation
import Glibc
import Model
import Testing

@testable import Journal

@Suite("A record that is followed") struct RecordFollowerTests {
  private let temporary: TemporaryDirectory
  private var reports: String { temporary.path + "/reports" }
  private static let sample = Events.sample()

  init() throws { temporary = try TemporaryDirectory() }

  /// The lines of the sample as a run of this id.
  private func lines(_ id: String = "run-1", predecessors: [Predecessor] = []) -> [[UInt8]] {
    var events = Self.sample
    if case .runStarted(var started) = events[0].fact {
      (started.run, started.predecessors) = (id, predecessors)
      events[0].fact = .runStarted(started)
    }
    var lines = JournalLines()
    return events.map { lines.line($0) + [UInt8(ascii: "\n")] }
  }

  private func journal(_ id: String = "run-1") -> String { "\(reports)/demo/\(id)/journal.jsonl" }

  private func begin(_ id: String, _ bytes: some Sequence<UInt8>) throws {
    let directory = try RunDirectory.create(in: reports, building: "demo", run: id)
    try directory.adoptJournal(Array(bytes))
  }

  private func append(_ bytes: some Sequence<UInt8>, to id: String = "run-1") throws {
    let handle = try FileHandle(forWritingTo: URL(filePath: journal(id)))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(bytes))
    try handle.close()
  }

  /// The kinds of the added events; nil unless only events were added.
  private func added(_ follower: inout RecordFollower) throws -> [String]? {
    guard case .events(let events, "run-1", _)? = try follower.look() else { return nil }
    return events.map(\.fact.kind.rawValue)
  }

  private func record(_ follower: inout RecordFollower) throws -> BuildingArchive? {
    if case .record(let archive)? = try follower.look() { archive } else { nil }
  }

  @Test("a building without a record, then with a run, is read whole; then only the lines that were added")
  func growing() throws {
    var follower = RecordFollower("demo", in: reports)
    #expect(try record(&follower)?.runs.isEmpty == true)
    #expect(try follower.look() == nil)
    let lines = lines()
    try begin("run-1", lines[0].prefix(10))
    #expect(try record(&follower)?.runs.map(\.record.events.count) == [0])
    try append(lines[0].dropFirst(10))
    #expect(try record(&follower)?.runs.map(\.record.events.count) == [1])
    #expect(try follower.look() == nil)
    try append(lines[1] + lines[2])
    #expect(try added(&follower) == ["adapter_awaited", "adapter_selected"])
    // A torn line waits for its end.
    try append(lines[3].prefix(10))
    #expect(try added(&follower) == [])
    try append(lines[3].dropFirst(10) + lines[4].prefix(10))
    #expect(try added(&follower) == ["binding_committed"])
    try append(lines[4].dropFirst(10))
    #expect(try added(&follower) == ["attempt_started"])
    #expect(try follower.look() == nil && follower.lost.isEmpty)
  }

  @Test("the added events give the same state as the whole record, and the same hash")
  func sameState() throws {
    var follower = RecordFollower("demo", in: reports)
    let lines = lines()
    try begin("run-1", lines[0])
    let first = try #require(try record(&follower))
    var state = first.state
    let started = try #require(first.runs[0].started)
    for line in lines[1..<8] {
      try append(line)
      guard case .events(let events, let run, let last)? = try follower.look() else {
        Issue.record("not only events")
        return
      }
      state.add(events, in: started, of: run)
      let whole = try BuildingArchive.read(in: reports, building: "demo")
      #expect(state.lastKnown == whole.state.lastKnown)
      #expect(last == whole.runs[0].record.lastHash)
    }
  }

  @Test("the end of a run is a reason to read all of it again")
  func ended() throws {
    var follower = RecordFollower("demo", in: reports)
    let lines = lines()
    try begin("run-1", lines[..<8].joined())
    _ = try follower.look()
    try append(lines[8])
    let archive = try #require(try record(&follower))
    #expect(archive.runs[0].record.hasEnded && archive.faults.isEmpty)
    try append([UInt8(ascii: "{")])
    #expect(try record(&follower)?.runs[0].record.tornLine != nil, "nothing continues it")
    let next = self.lines("run-2", predecessors: archive.predecessors)
    try begin("run-2", next[0])
    #expect(try record(&follower)?.runs.map(\.id) == ["run-1", "run-2"])
    try append(next[1], to: "run-2")
    guard case .events(let events, "run-2", _)? = try follower.look() else {
      Issue.record("not only events")
      return
    }
    #expect(events.map(\.fact.kind) == ["adapter_awaited"])
  }

  enum Disturbance: CaseIterable {
    case changedLine, wrongNext, cutOff, replaced, replacedByMore, newRun, newFault, removedRun, removedAll
  }

  @Test("whatever else happens to a journal is found", arguments: Disturbance.allCases)
  func disturbed(_ disturbance: Disturbance) throws {
    var follower = RecordFollower("demo", in: reports)
    let lines = lines()
    try begin("run-1", lines[..<6].joined())
    _ = try follower.look()
    let folder = reports + "/demo"
    switch disturbance {
    case .changedLine:
      let text = try temporary.read("reports/demo/run-1/journal.jsonl")
      try temporary.overwrite(
        text.replacing("powered_off", with: "powered_xxx"), "reports/demo/run-1/journal.jsonl")
    case .wrongNext: try append(lines[7])
    case .cutOff: #expect(truncate(journal(), 100) == 0)
    case .replaced:
      try FileManager.default.removeItem(atPath: journal())
      try temporary.write("", "reports/demo/run-1/journal.jsonl")
    case .replacedByMore:
      let text = try temporary.read("reports/demo/run-1/journal.jsonl")
      try temporary.write(
        text.replacing("powered_off", with: "powered_xxx") + String(decoding: lines[6], as: UTF8.self), "new")
      #expect(rename(temporary.path + "/new", journal()) == 0)
    case .newRun: try begin("run-2", self.lines("run-2")[0])
    case .newFault:
      try FileManager.default.createDirectory(atPath: folder + "/run-2", withIntermediateDirectories: false)
      try temporary.write("{}", "reports/demo/run-2/report.json")
      try append(lines[6])
    case .removedRun: try FileManager.default.removeItem(atPath: folder + "/run-1")
    case .removedAll: try FileManager.default.removeItem(atPath: reports)
    }
    let archive = try #require(try record(&follower))
    switch disturbance {
    case .changedLine, .wrongNext, .replacedByMore, .newFault: #expect(archive.faults.count == 1)
    case .newRun: #expect(archive.runs.map(\.id) == ["run-1", "run-2"])
    case .cutOff: #expect(archive.runs[0].record.tornLine != nil && archive.runs[0].started == nil)
    case .replaced: #expect(archive.runs[0].record.events.isEmpty)
    case .removedRun, .removedAll: #expect(archive.runs.isEmpty)
    }
    // A journal without a whole line is as lost as a folder that is gone.
    #expect(follower.lost == (archive.runs.first?.started == nil ? ["run-1"] : []))
    #expect(try follower.look() == nil)
  }

  @Test("a damaged journal that is repaired in its place, and continues, is read whole")
  func repaired() throws {
    var follower = RecordFollower("demo", in: reports)
    let lines = lines()
    var damaged = Array(lines[..<6].joined())
    damaged[lines[..<5].joined().count] = UInt8(ascii: "x")
    try begin("run-1", damaged)
    #expect(try record(&follower)?.faults.count == 1)
    try temporary.overwrite(
      String(decoding: lines[..<7].joined(), as: UTF8.self), "reports/demo/run-1/journal.jsonl")
    let archive = try #require(try record(&follower))
    #expect(archive.faults.isEmpty && archive.runs[0].record.events.count == 7)
    try append(lines[7])
    #expect(try added(&follower) == ["room_finished"])
  }

  @Test("a follower takes no lock, and knows by whom one is held")
  func lock() throws {
    #expect(RunLock.holder(ofBuilding: "demo", in: reports) == nil)
    let holder = LockHolder(
      process: getpid(), run: "run-1", since: Date(timeIntervalSince1970: 1_795_251_600))
    let lock = try RunLock.take(building: "demo", in: reports, for: holder)
    #expect(RunLock.holder(ofBuilding: "demo", in: reports) == holder)
    // The next holder has not written its name yet.
    var other = holder
    other.process += 1
    try temporary.overwrite(String(decoding: other.line, as: UTF8.self), "reports/demo/.lock")
    #expect(RunLock.holder(ofBuilding: "demo", in: reports) == nil)
    lock.release()
    #expect(RunLock.holder(ofBuilding: "demo", in: reports) == nil)
    let elsewhere = try RunLock.take(building: "annexe", in: reports, for: holder)
    defer { elsewhere.release() }
    // What a killed run leaves names a process, but nobody has the lock.
    try temporary.overwrite(String(decoding: holder.line, as: UTF8.self), "reports/demo/.lock")
    #expect(RunLock.holder(ofBuilding: "demo", in: reports) == nil)
    #expect(try RunLock.take(building: "demo", in: reports, for: holder).path == lock.path)
  }
}
