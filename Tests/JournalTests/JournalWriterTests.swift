import Bluetooth
import EventLoop
import Foundation
import Glibc
import Model
import Testing

@testable import Journal

@Suite("Writing a journal")
struct JournalWriterTests {
  @Test("events appended in batches or one by one give the same bytes and are read back")
  func roundTrip() async throws {
    let events = Events.sample()
    let bytes = try await Events.journal(events)
    let record = JournalReader.read(bytes)
    #expect(record.events == events)
    #expect(record.tornLine == nil)
    #expect(record.damage == nil)

    let directory = try TemporaryDirectory()
    let writer = JournalWriter(try File.directory(directory.path).create("j"))
    for event in events { try await writer.append([event]) }
    #expect(try File.reading(directory.path + "/j").readAll() == bytes)
  }

  @Test("a journal that is read and written again has the same bytes")
  func stable() async throws {
    let bytes = try await Events.journal(Events.sample(400))
    let again = try await Events.journal(JournalReader.read(bytes).events)
    #expect(again.elementsEqual(bytes))
  }

  @Test("a line is an event's JSON with the hash of the previous line")
  func format() async throws {
    let bytes = try await Events.journal(Array(Events.sample().prefix(3)))
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 3)
    // printf roboprov/journal/1 | sha256sum
    #expect(lines[0].contains(#""prev":"\#(JournalLine.origin)""#))
    #expect(JournalLine.chain(Array("abc".utf8)).hasPrefix("ba7816bf8f01cfea414140de5dae2223"))
    #expect(lines[2].contains(JournalLine.chain(Array(lines[1].utf8))))
    #expect(
      lines[1].hasPrefix(
        #"{"at":"2026-11-21T09:00:00.007Z","data":{"adapter":"hci0","cause":"powered_off","seconds":30.5"#))
    #expect(lines[1].hasSuffix(#","seq":2,"v":1}"#))
  }

  @Test("control characters in an event are escaped in the journal and are read back unchanged")
  func visible() async throws {
    let text = "\0\u{1B}[31m\u{7F}\u{9B}2J\u{202E}\u{2028}\u{2029}\u{FEFF}\u{E0001}\"\\ü👩‍👧漢"
    let events = [
      RunEvent(
        sequence: 1, at: Date(timeIntervalSince1970: 0), elapsed: .zero,
        fact: .runInterrupted(.init(cause: .stack, detail: text)))
    ]
    let bytes = try await Events.journal(events)
    let controlling = String(decoding: bytes, as: UTF8.self).unicodeScalars.filter(\.isControlling)
    #expect(controlling.map(\.value) == [0x0A])
    #expect(String(decoding: bytes, as: UTF8.self).contains("ü👩‍👧漢"))
    #expect(JournalReader.read(bytes).events == events)
  }

  @Test("an append to a full disk throws a typed error, and so does every later append")
  func full() async throws {
    let descriptor = open("/dev/full", O_WRONLY)
    try #require(descriptor >= 0)
    let writer = JournalWriter(File(descriptor: descriptor, path: "/dev/full"))
    let error = JournalError(.write, "/dev/full", .noSpace)
    await #expect(throws: error) { try await writer.append(Events.sample()) }
    #expect(await writer.failure == error)
    await #expect(throws: error) { try await writer.append(Array(Events.sample().suffix(1))) }
    await #expect(throws: RecordFailure("cannot write /dev/full: no space left")) {
      try await writer.record(Events.sample())
    }
  }

  @Test("an event that needs no sync is written within 50 ms and before any later event")
  func soon() async throws {
    let directory = try TemporaryDirectory()
    let writer = JournalWriter(try File.directory(directory.path).create("j"))
    let events = Events.sample()
    for event in events { try await writer.record([event]) }
    #expect(
      try JournalReader.read(directory.path + "/j").events == events,
      "the last event is synced, so all of them are written")

    let more = Array(Events.sample(60)[events.count...]).filter { $0.fact.durability == .written }
    var number = events.count
    for var event in more {
      number += 1
      event.sequence = number
      try await writer.record([event])
    }
    while try JournalReader.read(directory.path + "/j").events.count < number { await Task.yield() }
  }

  @Test("in virtual time an event that needs no sync is written after exactly 50 ms")
  func virtualTime() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path
    var written = try #require(Events.sample().first { $0.fact.durability == .written })
    written.sequence = 1
    let event = written
    let sizes = try await LoopExecutor.runInVirtualTime {
      let clock = SystemClock()
      let writer = JournalWriter(try File.directory(path).create("j"))
      try await writer.record([event])
      var sizes: [Int?] = []
      for wait in [49, 2] {
        try await clock.sleep(for: .milliseconds(wait))
        sizes.append(File.size(path + "/j"))
      }
      return sizes
    }
    #expect(sizes[0] == 0 && (sizes[1] ?? 0) > 0)
  }

  @Test("only events that require it are synced, and a failed sync throws")
  func synced() async throws {
    // A pipe accepts writes but cannot be synced.
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    let writer = JournalWriter(File(descriptor: ends[1], path: "pipe"))
    var events = [Durability.written, .synced].map { durability in
      Events.sample().first { $0.fact.durability == durability }
    }.compactMap(\.self)
    for index in events.indices { events[index].sequence = index + 1 }
    try #require(events.count == 2)
    try await writer.append([events[0]])
    #expect(await writer.failure == nil)
    let error = await #expect(throws: JournalError.self) { try await writer.append([events[1]]) }
    #expect(error?.operation == .sync)
  }

  @Test("a failure of a delayed write makes the next append throw")
  func delayedFailure() async throws {
    let descriptor = open("/dev/full", O_WRONLY)
    try #require(descriptor >= 0)
    let writer = JournalWriter(File(descriptor: descriptor, path: "/dev/full"))
    var event = try #require(Events.sample().first { $0.fact.durability == .written })
    event.sequence = 1
    try await writer.record([event])
    while await writer.failure == nil { await Task.yield() }
    event.sequence = 2
    await #expect(throws: RecordFailure("cannot write /dev/full: no space left")) {
      try await writer.record([event])
    }
  }

  @Test(
    "a disk that fills within a line leaves a journal without a partial line",
    arguments: [1, 700, 1000, 1500])
  func fills(limit: Int) async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path
    // A separate process, because the limit applies to the whole process.
    await #expect(processExitsWith: .success) { [path = path as String, limit = limit as Int] in
      signal(SIGXFSZ, SIG_IGN)
      var bound = rlimit(rlim_cur: rlim_t(limit), rlim_max: rlim_t(limit))
      precondition(setrlimit(__rlimit_resource_t(1), &bound) == 0)
      let writer = JournalWriter(try File.directory(path).create("j"))
      do throws(JournalError) {
        try await writer.append(Events.sample())
        preconditionFailure("a write above the size limit succeeded")
      } catch {
        precondition(error.cause == .noSpace && error.operation == .write)
      }
    }
    let record = try JournalReader.read(path + "/j")
    #expect(record.damage == nil)
    #expect(record.tornLine == nil)
    #expect(record.events.count < Events.sample().count)
    #expect(record.events == Array(Events.sample().prefix(record.events.count)))
    #expect(try directory.read("j").utf8.count <= limit)
  }

  @Test("appending an event out of order is a precondition failure")
  func outOfOrder() async {
    await #expect(processExitsWith: .failure) {
      _ = try await Events.journal(Array(Events.sample().suffix(2)))
    }
  }
}
