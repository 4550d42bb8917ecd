import Foundation
import Model
import Testing

@testable import Journal

@Suite("Reading a journal")
struct JournalReaderTests {
  @Test("torn at every byte of the last line: the events before it, and where it tore")
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

  @Test("a bit turned anywhere before the last line is noticed, at its line or the one after")
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
      #expect((line...line + 1).contains(damage.line), "byte \(offset)")
      #expect(record.events.count == damage.line - 1)
    }
  }

  /// What can stand in the place of line 3.
  static let damages: [(String, JournalDamage.Kind)] = [
    ("", .notJSON), ("\0\0\0\0", .notJSON), ("{\"v\":1", .notJSON), ("{}{}", .notJSON),
    ("\u{FEFF}{", .notJSON),
    ("[]", .malformed("no event")), ("{}", .malformed("no event")),
    (#"{"v":1,"kind":"run_finished"}"#, .malformed("no event")),
    (#"{"v":1,"kind":"run_finished","prev":""}"#, .malformed("no at")),
    (#"{"v":2,"kind":"teleported","prev":""}"#, .unknownVersion(2)),
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
      .brokenChain
    ),
  ]

  @Test(
    "a damaged line is reported with its number and its kind, and ends what can be trusted",
    arguments: damages)
  func damaged(text: String, kind: JournalDamage.Kind) async throws {
    var lines = String(decoding: try await Events.journal(Events.sample()), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    lines[2] = text
    let record = JournalReader.read(Array(lines.joined(separator: "\n").utf8))
    #expect(record.events.count == 2)
    #expect(record.damage == JournalDamage(line: 3, kind: kind))
  }

  @Test("a line taken out or told twice breaks the chain")
  func missing() async throws {
    let lines = String(decoding: try await Events.journal(Events.sample()), as: UTF8.self)
      .split(separator: "\n").map { $0 + "\n" }
    let cut = lines[..<3] + lines[4...]
    #expect(JournalReader.read(Array(cut.joined().utf8)).damage == .init(line: 4, kind: .brokenChain))
    let twice = lines[...3] + lines[3...]
    #expect(JournalReader.read(Array(twice.joined().utf8)).damage == .init(line: 5, kind: .brokenChain))
    let headless = lines[1...]
    #expect(JournalReader.read(Array(headless.joined().utf8)).damage == .init(line: 1, kind: .brokenChain))
  }

  @Test("a number left out is a gap, however well it is chained")
  func gap() throws {
    var event = Events.sample()[0]
    event.sequence = 2
    let line = try JournalLine.encoder().encode(JournalLine(event: event, previous: JournalLine.origin))
    let record = JournalReader.read([UInt8](line) + [UInt8(ascii: "\n")])
    #expect(record.damage == .init(line: 1, kind: .gap(expected: 1, found: 2)))
  }

  @Test(
    "another sort of file is none of ours",
    arguments: [
      "room,id\r\n", "\n", "{}\n", "[1]\n", "null\n", "\u{7F}ELF\n\0", "{\"v\":1,\"kind\":\"run_started\"}\n",
    ])
  func foreign(text: String) {
    #expect(JournalReader.read(Array(text.utf8)).damage == .init(line: 1, kind: .foreign))
  }

  @Test("an empty file is a journal in which nothing happened yet")
  func empty() {
    #expect(JournalReader.read([]) == JournalRecord(events: []))
  }

  @Test("no file, or a directory, is an error")
  func unreadable() throws {
    let directory = try TemporaryDirectory()
    let missing = directory.path + "/none"
    #expect(throws: JournalError(.open, missing, .missing)) { try JournalReader.read(missing) }
    #expect(throws: JournalError(.read, directory.path, .inTheWay)) { try JournalReader.read(directory.path) }
  }

  @Test("tens of thousands of events", .timeLimit(.minutes(2)))
  func many() async throws {
    let events = Events.sample(20_000)
    let record = JournalReader.read(try await Events.journal(events))
    #expect(record.events.count == events.count)
    #expect(record.events.last == events.last)
  }
}
