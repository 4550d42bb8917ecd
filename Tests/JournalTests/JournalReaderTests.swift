import Foundation
import Model
import SampleFacts
import Testing

@testable import Journal

@Suite("Reading a journal")
struct JournalReaderTests {
  @Test("a journal cut off within its last line gives the events before it and the place of the cut")
  func torn() async throws {
    let events = Events.sample()
    let bytes = try await Events.journal(events)
    let whole = try #require(bytes.dropLast().lastIndex(of: UInt8(ascii: "\n"))) + 1
    for length in whole..<bytes.count {
      let record = JournalReader.read(Array(bytes[..<length]))
      #expect(record.events.count == events.count - 1)
      #expect(record.damage == nil)
      let torn = length == whole ? nil : JournalRecord.TornLine(line: events.count, bytes: length - whole)
      #expect(record.tornLine == torn)
    }
  }

  @Test("a flipped bit before the last line is reported at its line")
  func flipped() async throws {
    let events = Events.sample()
    let bytes = try await Events.journal(events)
    let whole = try #require(bytes.dropLast().lastIndex(of: UInt8(ascii: "\n")))
    for offset in 0..<whole {
      var damaged = bytes
      damaged[offset] ^= UInt8(1 << (offset % 7))
      let line = 1 + bytes[..<offset].count { $0 == UInt8(ascii: "\n") }
      let record = JournalReader.read(damaged)
      let damage = try #require(record.damage, "byte \(offset)")
      #expect(damage.line == line, "byte \(offset)")
      #expect(record.events.count == line - 1)
      #expect(record.events == Array(events.prefix(line - 1)), "only the events before the damage count")
    }
  }

  @Test("a changed line is found by the hash in the next line and does not count")
  func changed() async throws {
    let events = Events.sample()
    let text = String(decoding: try await Events.journal(events), as: UTF8.self)
    let changed = text.replacing(
      "00:1A:7D:DA:71:01\",\"name\":\"hci0", with: "00:1A:7D:DA:71:01\",\"name\":\"hci9")
    try #require(changed != text)
    let record = JournalReader.read(Array(changed.utf8))
    #expect(record.damage == .init(line: 3, kind: .changed))
    #expect(record.events == Array(events.prefix(2)))
  }

  // MARK: Comparison with the writer's end

  /// A journal's events and bytes, with its writer's end.
  private func written() async throws -> (events: [RunEvent], bytes: [UInt8], end: JournalEnd) {
    let directory = try TemporaryDirectory()
    let writer = JournalWriter(try File.directory(directory.path).create("j"))
    try await writer.append(Events.sample())
    return (Events.sample(), try File.reading(directory.path + "/j").readAll(), await writer.end)
  }

  @Test("a complete journal matches its writer's end")
  func asWritten() async throws {
    let (events, bytes, end) = try await written()
    let record = JournalReader.read(bytes, writtenTo: end)
    #expect(record.events == events && record.damage == nil && record.tornLine == nil)
    #expect(record.lastHash == end.last)
  }

  @Test("a flipped bit in the last line is found by comparison with the writer's end")
  func lastLine() async throws {
    let (events, bytes, end) = try await written()
    let begin = try #require(bytes.dropLast().lastIndex(of: UInt8(ascii: "\n"))) + 1
    for offset in begin..<(bytes.count - 1) {
      var damaged = bytes
      damaged[offset] ^= 1
      let record = JournalReader.read(damaged, writtenTo: end)
      #expect(record.damage?.line == events.count, "byte \(offset)")
      #expect(record.damage?.kind != .missing(through: events.count), "byte \(offset)")
      #expect(record.events == Array(events.dropLast()), "byte \(offset)")
    }
  }

  @Test("a journal cut off at any byte is found by comparison with the writer's end")
  func cutOff() async throws {
    let (events, bytes, end) = try await written()
    for length in 0..<bytes.count {
      let record = JournalReader.read(Array(bytes[..<length]), writtenTo: end)
      let whole = bytes[..<length].count { $0 == UInt8(ascii: "\n") }
      #expect(
        record.damage == .init(line: whole + 1, kind: .missing(through: events.count)), "\(length) bytes")
      #expect(record.events == Array(events.prefix(whole)))
    }
  }

  @Test("a line added at the end is found by comparison with the writer's end")
  func added() async throws {
    let (events, _, end) = try await written()
    var lines = JournalLines()
    var more = events + events.suffix(1)
    more[events.count].sequence = events.count + 1
    let bytes = more.flatMap { lines.line($0) + [UInt8(ascii: "\n")] }
    let record = JournalReader.read(bytes, writtenTo: end)
    #expect(record.damage == .init(line: events.count + 1, kind: .added))
    #expect(record.events == events)
  }

  /// Texts in place of line 3, each with the expected damage.
  static let damages: [(String, JournalDamage.Kind)] = [
    ("", .notJSON), ("\0\0\0\0", .notJSON), ("{\"v\":1", .notJSON), ("{}{}", .notJSON),
    ("\u{FEFF}{", .notJSON),
    ("[]", .malformed("no event")), ("{}", .malformed("no event")),
    (#"{"v":1,"kind":"run_finished"}"#, .malformed("no event")),
    (#"{"v":1,"kind":"run_finished","prev":""}"#, .malformed("no at")),
    (
      #"{"v":1,"seq":1,"at":"2026-11-21T09:00:00.000Z","elapsed_us":99999999999999999999,"kind":"run_finished","#
        + #""data":{"outcome":"complete"},"prev":""}"#,
      .malformed("a value that cannot be read")
    ),
    (#"{"v":3,"kind":"teleported","prev":""}"#, .unknownVersion(3)),
    (
      #"{"v":1,"seq":3,"kind":"teleported","prev":"","at":"2026-11-21T09:00:00.000Z","elapsed_us":1,"data":{}}"#,
      .unknownKind("teleported")
    ),
    (
      #"{"v":1,"seq":3,"kind":"run_finished","prev":"","at":"yesterday","elapsed_us":1,"data":{}}"#,
      .malformed("wrong value of at")
    ),
    (
      #"{"v":1,"seq":3,"kind":"run_finished","prev":"","at":"2026-11-21T09:00:00.000Z","elapsed_us":1,"data":{"outcome":"x"}}"#,
      .malformed("wrong value of data.outcome")
    ),
    (
      #"{"v":1,"seq":3,"kind":"run_finished","prev":"00","at":"2026-11-21T09:00:00.000Z","elapsed_us":1,"data":{"outcome":"complete"}}"#,
      .changed
    ),
  ]

  @Test(
    "a damaged line is reported with its number and kind, and only the events before it count",
    arguments: damages)
  func damaged(text: String, kind: JournalDamage.Kind) async throws {
    var lines = String(decoding: try await Events.journal(Events.sample()), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    lines[2] = text
    let record = JournalReader.read(Array(lines.joined(separator: "\n").utf8))
    #expect(record.events.count == 2)
    #expect(record.damage == JournalDamage(line: 3, kind: kind))
  }

  @Test("a removed or repeated line is reported as out of order")
  func missing() async throws {
    let lines = String(decoding: try await Events.journal(Events.sample()), as: UTF8.self)
      .split(separator: "\n").map { $0 + "\n" }
    let cut = lines[..<3] + lines[4...]
    #expect(
      JournalReader.read(Array(cut.joined().utf8)).damage
        == .init(line: 4, kind: .outOfOrder(expected: 4, found: 5)))
    let twice = lines[...3] + lines[3...]
    #expect(
      JournalReader.read(Array(twice.joined().utf8)).damage
        == .init(line: 5, kind: .outOfOrder(expected: 5, found: 4)))
    let headless = lines[1...]
    #expect(
      JournalReader.read(Array(headless.joined().utf8)).damage
        == .init(line: 1, kind: .outOfOrder(expected: 1, found: 2)))
  }

  @Test("a skipped sequence number is reported as out of order even if the hash chain is valid")
  func gap() throws {
    var event = Events.sample()[0]
    event.sequence = 2
    let line = try JournalLine.encoder().encode(JournalLine(event: event, previous: JournalLine.origin))
    let record = JournalReader.read([UInt8](line) + [UInt8(ascii: "\n")])
    #expect(record.damage == .init(line: 1, kind: .outOfOrder(expected: 1, found: 2)))
  }

  @Test(
    "a file of another format is reported as foreign",
    arguments: [
      "room,id\r\n", "\n", "\0\n", "{}\n", "[1]\n", "null\n", "\u{7F}ELF\n\0",
      "{\"v\":1,\"kind\":\"run_started\"}\n",
    ])
  func foreign(text: String) {
    #expect(JournalReader.read(Array(text.utf8)).damage == .init(line: 1, kind: .foreign))
  }

  @Test("an empty file is a valid journal without events")
  func empty() {
    #expect(JournalReader.read([]) == JournalRecord(events: []))
  }

  @Test("reading a missing file or a directory throws")
  func unreadable() throws {
    let directory = try TemporaryDirectory()
    let missing = directory.path + "/none"
    #expect(throws: JournalError(.open, missing, .missing)) { try JournalReader.read(missing) }
    #expect(throws: JournalError(.open, directory.path, .inTheWay)) { try JournalReader.read(directory.path) }
  }

  @Test("a journal with tens of thousands of events is read back completely", .timeLimit(.minutes(60)))
  func many() async throws {
    let events = Events.sample(20_000)
    let record = JournalReader.read(try await Events.journal(events))
    #expect(record.events.count == events.count)
    #expect(record.events.last == events.last)
  }

  // MARK: Reading without stages

  /// A journal with each kind of fact that has ended.
  private func ended() -> [RunEvent] {
    let facts = SampleFacts.facts.filter { $0.kind != "run_finished" && $0.kind != "run_started" }
    return Events.numbered(Array(Events.facts.dropLast()) + facts + Events.facts.suffix(1))
  }

  private func bytes(_ events: [RunEvent]) -> [UInt8] {
    var lines = JournalLines()
    return events.flatMap { lines.line($0) + [UInt8(ascii: "\n")] }
  }

  /// Whether an event is one of a stage, and its line has the plain form.
  private func isOmitted(_ event: RunEvent) -> Bool {
    var lines = JournalLines()
    return ["stage_started", "stage_ended"].contains(event.fact.kind)
      && !lines.line(event).contains(UInt8(ascii: "\\"))
  }

  @Test("of a run that has ended only the stages are left out, and nothing of one that has not")
  func outcomes() {
    let events = ended()
    let (whole, outcomes) = (JournalReader.read(bytes(events)), JournalReader.read(bytes(events), .outcomes))
    #expect(whole.events == events)
    #expect(outcomes.events == events.filter { !isOmitted($0) })
    #expect(events.contains(where: isOmitted))
    #expect(outcomes.damage == nil && outcomes.lastHash == whole.lastHash && outcomes.latest == whole.latest)
    for length in [events.count - 1, events.count / 2] {
      let killed = bytes(Array(events.prefix(length)))
      #expect(JournalReader.read(killed, .outcomes) == JournalReader.read(killed))
    }
    for torn in [bytes(events) + [UInt8(ascii: "{")], Array(bytes(events).dropLast()) + [UInt8(ascii: "x")]] {
      #expect(JournalReader.read(torn, .outcomes) == JournalReader.read(torn))
    }
  }

  @Test("the latest time counts, also if the clock was set back after a stage that is left out")
  func latest() throws {
    var events = ended()
    let stage = try #require(events.firstIndex(where: isOmitted))
    events[stage].at += 3600
    let outcomes = JournalReader.read(bytes(events), .outcomes)
    #expect(outcomes.latest == events[stage].at)
  }

  @Test("each flipped bit before the last line is found, whether the stages are decoded or not")
  func flippedWithoutStages() {
    let events = ended()
    let journal = bytes(events)
    let last = journal.dropLast().lastIndex(of: UInt8(ascii: "\n")) ?? 0
    // Each byte of the lines that are left out and of their neighbours, and every seventh of the others.
    var start = 0
    for (index, line) in journal.split(separator: UInt8(ascii: "\n")).enumerated() {
      defer { start += line.count + 1 }
      let isNear = events[max(0, index - 1)...min(events.count - 1, index + 1)].contains(where: isOmitted)
      for offset in stride(from: start, to: min(start + line.count, last), by: isNear ? 3 : 61) {
        var damaged = journal
        damaged[offset] ^= UInt8(1 << (offset % 7))
        let record = JournalReader.read(damaged, .outcomes)
        #expect(record.damage?.line == index + 1, "byte \(offset)")
        #expect(record.events == Array(events.prefix(index)), "byte \(offset)")
      }
    }
  }

  /// Changes of a stage's line, and the damage that is found. The first one is not found: only the writer can make it, because
  /// the chain covers each byte.
  static let forgeries: [(String, String, JournalDamage.Kind?)] = [
    (#""stage":"connect""#, #""stage":"teleport""#, nil),
    (#""stage":"connect""#, #""stage":"telep\u006frt""#, .malformed("wrong value of data.stage")),
    (#""stage":"connect""#, #""stage": "teleport""#, .malformed("wrong value of data.stage")),
    (#"{"attempt""#, #"{"x":1,"attempts""#, .malformed("no data.attempt")),
    (#""data":{"#, #""data":{{"#, .notJSON),
    (#""v":1"#, #""v":2"#, .unknownVersion(2)),
    (#""seq":3"#, #""seq":4"#, .outOfOrder(expected: 3, found: 4)),
    (#""elapsed_us":14002"#, #""elapsed_us":-1"#, .malformed("wrong value of elapsed_us")),
    (#""at":"2"#, #""at":"x"#, .malformed("wrong value of at")),
    (#""kind":"stage_started""#, #""kind":"stage_stopped""#, .unknownKind("stage_stopped")),
  ]

  @Test(
    "a stage that is left out has the form of a line, and all but its content is checked",
    arguments: forgeries)
  func forgedStage(old: String, new: String, damage: JournalDamage.Kind?) throws {
    let facts: [Fact] = [
      Events.facts[0], Events.facts[4],
      .stageStarted(.init(room: "kitchen", attempt: 1, stage: .connect, timeout: 6)),
      .runFinished(.init(outcome: .incomplete)),
    ]
    var lines = JournalLines()
    var journal: [UInt8] = []
    var previous = JournalLine.origin
    for event in Events.numbered(facts) {
      var text = String(decoding: lines.line(event), as: UTF8.self)
      let chained = try JSONDecoder().decode(JournalLine.self, from: Data(text.utf8)).previous
      text = text.replacing(chained, with: previous)
      if event.sequence == 3 {
        try #require(text.contains(old))
        text = text.replacing(old, with: new)
      }
      previous = JournalLine.chain(Array(text.utf8))
      journal += Array(text.utf8) + [UInt8(ascii: "\n")]
    }
    let whole = JournalReader.read(journal)
    #expect(JournalReader.read(journal, .outcomes).damage == damage.map { .init(line: 3, kind: $0) })
    #expect(whole.damage == .init(line: 3, kind: damage ?? .malformed("wrong value of data.stage")))
  }
}
