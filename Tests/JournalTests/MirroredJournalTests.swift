import Foundation
import Glibc
import Model
import Testing

@testable import Journal

@Suite("A journal and its copy")
struct MirroredJournalTests {
  private let temporary: TemporaryDirectory

  init() throws { temporary = try TemporaryDirectory() }

  private func writer(_ name: String) throws -> JournalWriter {
    JournalWriter(try File.directory(temporary.path).create(name))
  }

  /// A writer to a full disk.
  private func full() throws -> JournalWriter {
    let descriptor = open("/dev/full", O_WRONLY)
    try #require(descriptor >= 0)
    return JournalWriter(File(descriptor: descriptor, path: "/dev/full"))
  }

  @Test("a journal and its copy have the same bytes before `append` returns")
  func identical() async throws {
    let mirrored = MirroredJournal(try writer("record"), copies: [try writer("mirror")])
    var rest = Events.sample(60)[...]
    for size in [1, 2, 9, 20, 28] {
      try await mirrored.record(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
      #expect(try temporary.read("record") == temporary.read("mirror"))
      #expect(try JournalReader.read(temporary.path + "/mirror").events.count == 60 - rest.count)
    }
    #expect(try JournalReader.read(temporary.path + "/mirror").events == Events.sample(60))
  }

  @Test("a mirrored journal without copies writes the journal only")
  func alone() async throws {
    let mirrored = MirroredJournal(try writer("record"), copies: [])
    try await mirrored.record(Events.sample())
    #expect(try JournalReader.read(temporary.path + "/record").events == Events.sample())
  }

  @Test(
    "a failure in one place throws an error with its path, and no place is written afterwards",
    arguments: [true, false])
  func oneFailure(isMirror: Bool) async throws {
    let sound = try writer("sound")
    let broken = try full()
    let mirrored =
      isMirror ? MirroredJournal(sound, copies: [broken]) : MirroredJournal(broken, copies: [sound])
    let error = JournalError(.write, "/dev/full", .noSpace)
    await #expect(throws: RecordFailure(error.description)) {
      try await mirrored.record(Array(Events.sample().prefix(2)))
    }
    #expect(await broken.failure == error)
    #expect(await sound.failure == nil)
    let bytes = try temporary.read("sound")
    #expect(JournalReader.read(Array(bytes.utf8)).events == Array(Events.sample().prefix(2)))
    await #expect(throws: error) { try await mirrored.append(Array(Events.sample()[2...])) }
    #expect(try temporary.read("sound") == bytes)
  }

  @Test("a failure in both places throws the error of the journal itself")
  func bothFailures() async throws {
    let mirrored = MirroredJournal(try full(), copies: [try closed()])
    await #expect(throws: JournalError(.write, "/dev/full", .noSpace)) {
      try await mirrored.append(Events.sample())
    }
  }

  /// A writer whose file is open for reading only.
  private func closed() throws -> JournalWriter {
    try temporary.write("", "readonly")
    return JournalWriter(try File.reading(temporary.path + "/readonly"))
  }

  @Test(
    "a copy on a full disk is a prefix of the run, and so is the journal", arguments: [700, 1500])
  func fills(limit: Int) async throws {
    let path = temporary.path
    // A separate process, because the limit applies to the whole process.
    await #expect(processExitsWith: .success) { [path = path as String, limit = limit as Int] in
      signal(SIGXFSZ, SIG_IGN)
      let directory = try File.directory(path)
      let record = JournalWriter(try directory.create("record"))
      let mirrored = MirroredJournal(record, copies: [JournalWriter(try directory.create("mirror"))])
      try await mirrored.append(Array(Events.sample().prefix(1)))
      var bound = rlimit(rlim_cur: rlim_t(limit), rlim_max: rlim_t(limit))
      precondition(setrlimit(__rlimit_resource_t(1), &bound) == 0)
      do throws(JournalError) {
        for event in Events.sample()[1...] { try await mirrored.append([event]) }
        preconditionFailure("a write above the size limit succeeded")
      } catch {
        precondition(error.cause == .noSpace && error.operation == .write)
      }
    }
    for name in ["record", "mirror"] {
      let record = try JournalReader.read(path + "/" + name)
      #expect(record.damage == nil && record.tornLine == nil)
      #expect(!record.events.isEmpty && record.events.count < Events.sample().count)
      #expect(record.events == Array(Events.sample().prefix(record.events.count)))
    }
  }
}
