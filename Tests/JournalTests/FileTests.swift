import Foundation
import Glibc
import Testing

@testable import Journal

@Suite("Files of the record") struct FileTests {
  private let temporary: TemporaryDirectory

  init() throws {
    temporary = try TemporaryDirectory()
    try temporary.write("12345", "file")
    try FileManager.default.createSymbolicLink(atPath: temporary.path + "/link", withDestinationPath: "file")
    try FileManager.default.createDirectory(
      atPath: temporary.path + "/folder", withIntermediateDirectories: false)
  }

  @Test("a descriptor is closed in child processes, and no opening waits")
  func flags() throws {
    let directory = try File.directory(temporary.path)
    let created = TemporaryFile.create(for: "x", in: directory.descriptor, at: temporary.path)
    defer { close(created.descriptor) }
    let waiting = [
      try File.reading(temporary.path + "/file"), try directory.reading("file"),
      try directory.updating("file"),
    ]
    let others = [directory, try directory.directory("folder"), try directory.create("new")]
    for descriptor in (waiting + others).map(\.descriptor) + [created.descriptor] {
      #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }
    for file in waiting { #expect(fcntl(file.descriptor, F_GETFL) & O_NONBLOCK != 0) }
  }

  @Test("an entry of another type is not opened, and a symbolic link in a folder is not followed")
  func types() throws {
    let directory = try File.directory(temporary.path)
    func path(_ name: String) -> String { temporary.path + "/" + name }
    #expect(throws: JournalError(.open, path("file"), .inTheWay)) { try File.directory(path("file")) }
    #expect(throws: JournalError(.open, path("file"), .inTheWay)) { try directory.directory("file") }
    #expect(throws: JournalError(.open, path("folder"), .inTheWay)) { try File.reading(path("folder")) }
    #expect(throws: JournalError(.open, path("link"), .inTheWay)) { try directory.reading("link") }
    #expect(throws: JournalError(.open, path("link"), .inTheWay)) { try directory.updating("link") }
    #expect(throws: JournalError(.create, path("link"), .exists)) { try directory.create("link") }
    #expect(try File.reading(path("link")).readAll() == Array("12345".utf8))
    #expect(File.mark(path("none")) == nil && File.mark(path("link")) == File.mark(path("file")))
  }

  @Test("what the kernel refuses is an error of its operation")
  func refused() throws {
    let gone = File(descriptor: -1, path: "gone")
    let operations: [(JournalError.Operation, String, () throws -> Void)] = [
      (.open, "gone/x", { _ = try gone.directory("x") }), (.create, "gone/x", { _ = try gone.create("x") }),
      (.createDirectory, "gone/x", { _ = try gone.createDirectory("x") }),
      (.write, "gone", { try gone.write([1]) }), (.sync, "gone", { try gone.syncData() }),
      (.sync, "gone", { try gone.sync() }), (.read, "gone", { _ = try gone.readAll() }),
      (.read, "gone", { _ = try gone.beginning(1) }), (.rename, "gone/y", { try gone.rename("x", to: "y") }),
      (.create, "gone/y", { _ = try gone.hardLink("x", as: "y") }), (.lock, "gone", { _ = try gone.lock() }),
      (.create, "gone", { try gone.letAllReadAndWrite() }), (.measure, "gone", { _ = try gone.freeSpace() }),
    ]
    for (operation, path, body) in operations {
      #expect(throws: JournalError(operation, path, .system(EBADF))) { try body() }
    }
    #expect(!gone.isPlain && !gone.isSharedWithAllUsers)
    // A file system that cannot sync a folder gives the same error as a pipe.
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (_, input) = (File(descriptor: ends[0], path: ""), File(descriptor: ends[1], path: ""))
    try input.sync()
  }

  @Test("what is written after a partial line was taken back leaves no gap")
  func truncated() throws {
    let temporary = try TemporaryDirectory()
    let file = try File.directory(temporary.path).create("journal")
    try file.write(Array("one\ntw".utf8))
    file.truncate(to: 4)
    try file.write(Array("three\n".utf8))
    #expect(try File.reading(temporary.path + "/journal").readAll() == Array("one\nthree\n".utf8))
  }

  @Test("a call that a signal interrupts is made again, and no other one")
  func interrupted() {
    var codes = [EINTR, EINTR, ENOSPC, EINTR]
    #expect(throws: JournalError(.open, "x", .noSpace)) {
      try File.opened(.open, "x") {
        errno = codes.removeFirst()
        return -1
      }
    }
    #expect(codes == [EINTR])
    errno = EINTR
    #expect(File.retried { 0 } == 0)
  }

  @Test("a file is read from any place, up to a limit")
  func limits() throws {
    func read(_ start: Int, _ limit: Int, of path: String = "") throws -> [UInt8] {
      try File.reading(path.isEmpty ? temporary.path + "/file" : path).readAll(from: start, atMost: limit)
    }
    #expect(try read(0, 5) == Array("12345".utf8))
    #expect(try read(3, 2) == Array("45".utf8))
    #expect(try read(9, 2) == [])
    for (start, limit) in [(0, 4), (3, 1)] {
      #expect(throws: JournalError(.read, temporary.path + "/file", .tooLarge)) { try read(start, limit) }
    }
    // The kernel does not know the size of this one.
    #expect(throws: JournalError(.read, "/proc/self/stat", .tooLarge)) {
      try read(0, 1, of: "/proc/self/stat")
    }
    #expect(truncate(temporary.path + "/file", (1 << 30) + 1) == 0)
    #expect(throws: JournalError(.read, temporary.path + "/file", .tooLarge)) {
      try File.reading(temporary.path + "/file").readAll()
    }
  }

  @Test(
    "the cause of an error is the system's, as far as the remedies differ",
    arguments: [
      (ENOSPC, .noSpace), (EDQUOT, .noSpace), (EFBIG, .noSpace), (EROFS, .readOnly),
      (EACCES, .permissionDenied),
      (EPERM, .permissionDenied), (ENOENT, .missing), (ENOTDIR, .inTheWay), (EISDIR, .inTheWay),
      (ELOOP, .inTheWay), (EEXIST, .exists), (EIO, .inputOutput), (ENAMETOOLONG, .nameTooLong),
      (EMFILE, .tooManyFiles), (ENFILE, .tooManyFiles), (EBUSY, .system(EBUSY)),
    ] as [(Int32, JournalError.Cause)])
  func causes(code: Int32, cause: JournalError.Cause) {
    #expect(JournalError(.open, "x", errno: code) == JournalError(.open, "x", cause))
  }

  @Test("the error of a full disk names the space that a run may need")
  func space() {
    let cause = JournalError.Cause.littleSpace(free: 3 << 20, wanted: RunDirectory.spaceWanted)
    #expect("\(cause)" == "only 3 MiB free of the 16 MiB a run may need")
  }
}
