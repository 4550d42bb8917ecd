import Foundation
import Model
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
      "room,id\r\n", "\n", "{}\n", "[1]\n", "null\n", "\u{7F}ELF\n\0", "{\"v\":1,\"kind\":\"run_started\"}\n",
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
}
