import Foundation
import Glibc
import Testing

@testable import Journal

@Suite("Locks on buildings and adapters")
struct RunLockTests {
  private let temporary: TemporaryDirectory
  private var reports: String { temporary.path + "/reports" }
  /// A directory like `/run/lock`.
  private var everybodys: String { temporary.path + "/lock" }

  private let holder = LockHolder(
    process: 4711, run: "20261121T090000Z-laptop-1f3a9c",
    since: Date(timeIntervalSince1970: 1_795_251_600.25))
  private let next = LockHolder(process: 4712, run: "run-2", since: Date(timeIntervalSince1970: 0))

  init() throws {
    temporary = try TemporaryDirectory()
    try makeEverybodys("lock")
  }

  private func makeEverybodys(_ name: String) throws {
    try #require(mkdir(temporary.path + "/" + name, 0o777) == 0)
    try #require(chmod(temporary.path + "/" + name, 0o1777) == 0)
  }

  private func takeBuilding(for holder: LockHolder) throws(RunLockRefusal) -> RunLock {
    try RunLock.take(building: "demo", in: reports, for: holder)
  }

  private func takeAdapter(
    for holder: LockHolder, in directories: [String]? = nil
  ) throws(RunLockRefusal) -> RunLock {
    try RunLock.take(adapter: "hci0", in: directories ?? [everybodys], for: holder)
  }

  private func refusal(_ take: () throws(RunLockRefusal) -> RunLock) -> RunLockRefusal? {
    do throws(RunLockRefusal) {
      _ = try take()
      return nil
    } catch {
      return error
    }
  }

  // MARK: One at a time

  @Test("a second run on a building is refused with the holder's name until the first run releases the lock")
  func building() throws {
    let lock = try takeBuilding(for: holder)
    #expect(lock.path == reports + "/demo/.lock")
    #expect(lock.subject == .building("demo"))
    let expected = RunLockRefusal.held(.building("demo"), path: lock.path, by: holder)
    #expect(refusal { () throws(RunLockRefusal) in try takeBuilding(for: next) } == expected)
    #expect(
      holder.description
        == "process 4711, run 20261121T090000Z-laptop-1f3a9c, since 2026-11-21T09:00:00.250Z")

    #expect(
      try temporary.read("reports/demo/.lock")
        == #"{"pid":4711,"run":"20261121T090000Z-laptop-1f3a9c","since":"2026-11-21T09:00:00.250Z"}"# + "\n")

    let elsewhere = try RunLock.take(building: "other", in: reports, for: next)
    // A child process that is being started has the descriptor for a moment too.
    let place = URL(filePath: temporary.path).lastPathComponent + "/reports/demo/.lock"
    let held = (0..<Int32(1024)).first { descriptor in
      let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
      return path?.hasSuffix(place) == true
    }
    let child = dup(try #require(held))
    defer { close(child) }
    lock.release()
    lock.release()
    let second = try takeBuilding(for: next)
    #expect(
      refusal { () throws(RunLockRefusal) in try takeBuilding(for: holder) }
        == .held(.building("demo"), path: lock.path, by: next))
    _ = (elsewhere, second)
  }

  @Test("a second run on an adapter is refused with the holder's name until the first run releases the lock")
  func adapter() throws {
    let lock = try takeAdapter(for: holder)
    #expect(lock.path == everybodys + "/roboprov-hci0.lock")
    let expected = RunLockRefusal.held(.adapter("hci0"), path: lock.path, by: holder)
    #expect(refusal { () throws(RunLockRefusal) in try takeAdapter(for: next) } == expected)
    let other = try RunLock.take(adapter: "hci1", in: [everybodys], for: next)
    lock.release()
    _ = try takeAdapter(for: next)
    _ = other
  }

  @Test("the release of the last reference to a handle releases the lock")
  func lastReference() throws {
    do {
      let lock = try takeBuilding(for: holder)
      #expect(refusal { () throws(RunLockRefusal) in try takeBuilding(for: next) } != nil)
      _ = lock.path
    }
    _ = try takeBuilding(for: next)
  }

  @Test("a building's directory can be created before or after its lock and does not count as locked")
  func besideRuns() throws {
    let lock = try takeBuilding(for: holder)
    let run = try RunDirectory.create(in: reports, building: "demo", run: "run-1")
    try run.publish()
    #expect(try RunDirectory.latestRun(in: reports, building: "demo") == "run-1")
    #expect(try temporary.mode("reports/demo/.lock") == 0o600)
    lock.release()
    #expect(try temporary.read("reports/demo/.lock") == "", "a released lock file names no holder")
  }

  // MARK: Other processes

  @Test("another process is refused with the holder's name", arguments: [true, false])
  func otherProcess(ofBuilding: Bool) async throws {
    var own = holder
    own.process = getpid()
    let lock = try ofBuilding ? takeBuilding(for: own) : takeAdapter(for: own)
    let place = ofBuilding ? reports : everybodys
    await #expect(processExitsWith: .success) {
      [place = place as String, ofBuilding = ofBuilding as Bool, first = own.process as Int32] in
      do throws(RunLockRefusal) {
        _ = try Self.take(ofBuilding, in: place, run: "second")
        preconditionFailure("two processes hold the lock")
      } catch {
        guard case .held(_, _, let holder?) = error else { preconditionFailure("\(error)") }
        precondition(holder.process == first && first != getpid(), "\(holder)")
      }
    }
    lock.release()
  }

  @Test(
    "the lock of a killed process can be taken although its file still names that process",
    arguments: [true, false])
  func killed(ofBuilding: Bool) async throws {
    let place = ofBuilding ? reports : everybodys
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [place = place as String, ofBuilding = ofBuilding as Bool] in
      let lock = try Self.take(ofBuilding, in: place, run: "doomed")
      kill(getpid(), SIGKILL)
      lock.release()
    }
    let file = ofBuilding ? "reports/demo/.lock" : "lock/roboprov-hci0.lock"
    #expect(try temporary.read(file).contains("doomed"))
    let lock = try ofBuilding ? takeBuilding(for: next) : takeAdapter(for: next)
    #expect(try temporary.read(file) == String(decoding: next.line, as: UTF8.self))
    lock.release()
  }

  private static func take(
    _ ofBuilding: Bool, in place: String, run: String
  ) throws(RunLockRefusal) -> RunLock {
    let own = LockHolder(process: getpid(), run: run, since: Date(timeIntervalSince1970: 1))
    return ofBuilding
      ? try RunLock.take(building: "demo", in: place, for: own)
      : try RunLock.take(adapter: "hci0", in: [place], for: own)
  }

  @Test("a lock file whose time no calendar has names no holder")
  func time() {
    for year in ["292277026597", "99999999999999", "-1", "10000"] {
      let line = #"{"pid":1,"run":"r","since":"\#(year)-01-01T00:00:00.000Z"}"# + "\n"
      #expect(LockHolder(line: Array(line.utf8)) == nil)
    }
    let line = #"{"pid":1,"run":"r","since":"1970-01-01T00:00:01.000Z"}"# + "\n"
    let holder = LockHolder(process: 1, run: "r", since: Date(timeIntervalSince1970: 1))
    #expect(LockHolder(line: Array(line.utf8)) == holder && holder.line == Array(line.utf8))
  }

  @Test("exactly one of many concurrent attempts takes the lock", arguments: [true, false])
  func race(ofBuilding: Bool) async throws {
    let (everybodys, reports, holder) = (everybodys, reports, holder)
    for round in 0..<20 {
      let name = "hci\(round)"
      let locks = await withTaskGroup(of: Result<RunLock, RunLockRefusal>.self) { group in
        for number in 0..<8 {
          group.addTask {
            var own = holder
            own.run = "run-\(number)"
            return Result { () throws(RunLockRefusal) in
              try ofBuilding
                ? RunLock.take(building: name, in: reports, for: own)
                : RunLock.take(adapter: name, in: [everybodys], for: own)
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(locks.count { (try? $0.get()) != nil } == 1)
      for case .failure(let refusal) in locks {
        guard case .held = refusal else {
          Issue.record("\(refusal)")
          continue
        }
      }
    }
    #expect(try temporary.contents().filter { $0.hasPrefix("lock/.") } == [])
  }

  // MARK: Directories for all users

  @Test("every user can take an adapter's lock, independently of the first user's umask")
  func modes() throws {
    let lock = try takeAdapter(for: holder)
    #expect(try temporary.mode("lock/roboprov-hci0.lock") == 0o666)
    _ = lock
  }

  @Test("the first directory that every user can write to is used, so that all users find the same lock file")
  func directories() throws {
    try #require(mkdir(temporary.path + "/mine", 0o700) == 0)
    let open = temporary.path + "/open"
    try #require(mkdir(open, 0o777) == 0 && chmod(open, 0o777) == 0)
    let team = temporary.path + "/team"
    try #require(mkdir(team, 0o777) == 0 && chmod(team, 0o1775) == 0)
    try temporary.write("", "file")
    let before = ["missing", "file", "mine", "open", "team"].map { temporary.path + "/" + $0 }
    let lock = try takeAdapter(for: holder, in: before + [everybodys, "/tmp"])
    #expect(lock.path == everybodys + "/roboprov-hci0.lock")
    #expect(
      refusal { () throws(RunLockRefusal) in try takeAdapter(for: next, in: before) }
        == .unusable(JournalError(.open, before.joined(separator: ", "), .missing)))
  }

  @Test(
    "a symbolic link in place of a lock file is neither followed nor replaced",
    arguments: ["target", "nowhere"])
  func link(to target: String) throws {
    try temporary.write("precious", "target")
    let name = everybodys + "/roboprov-hci0.lock"
    try FileManager.default.createSymbolicLink(
      atPath: name, withDestinationPath: temporary.path + "/" + target)
    #expect(
      refusal { () throws(RunLockRefusal) in try takeAdapter(for: holder) }
        == .unusable(JournalError(.open, name, .inTheWay)))
    #expect(try temporary.read("target") == "precious")
    #expect(!FileManager.default.fileExists(atPath: temporary.path + "/nowhere"))
  }

  @Test("a pipe or a directory in place of a lock file throws without blocking")
  func pipe() throws {
    let name = everybodys + "/roboprov-hci0.lock"
    try #require(mkfifo(name, 0o666) == 0)
    #expect(
      refusal { () throws(RunLockRefusal) in try takeAdapter(for: holder) }
        == .unusable(JournalError(.open, name, .inTheWay)))
    try #require(unlink(name) == 0 && mkdir(name, 0o777) == 0)
    #expect(
      refusal { () throws(RunLockRefusal) in try takeAdapter(for: holder) }
        == .unusable(JournalError(.open, name, .inTheWay)))
  }

  @Test(
    "an invalid lock file gives no holder",
    arguments: [
      "", "\n", "4711", "{}\n", #"{"pid":1,"run":"a","since":"2026-11-21T09:00:00.000Z"}"#,
      #"{"pid":0,"run":"a","since":"2026-11-21T09:00:00.000Z"}"# + "\n",
      #"{"pid":-5,"run":"a","since":"2026-11-21T09:00:00.000Z"}"# + "\n",
      #"{"pid":99999999999,"run":"a","since":"2026-11-21T09:00:00.000Z"}"# + "\n",
      #"{"pid":1,"run":"\u001b[2J","since":"2026-11-21T09:00:00.000Z"}"# + "\n",
      #"{"pid":1,"run":"../x","since":"2026-11-21T09:00:00.000Z"}"# + "\n",
      #"{"pid":1,"run":"a","since":"yesterday"}"# + "\n", String(repeating: " ", count: 3000) + "\n",
      "\u{0}\u{FFFD}\n",
    ])
  func hostile(content: String) throws {
    let lock = try takeAdapter(for: holder)
    try temporary.overwrite(content, "lock/roboprov-hci0.lock")
    #expect(
      refusal { () throws(RunLockRefusal) in try takeAdapter(for: next) }
        == .held(.adapter("hci0"), path: lock.path, by: nil))
    lock.release()
    try temporary.overwrite(content, "lock/roboprov-hci0.lock")
    let again = try takeAdapter(for: next)
    #expect(try temporary.read("lock/roboprov-hci0.lock") == String(decoding: next.line, as: UTF8.self))
    again.release()
  }

  @Test("a lock file that is removed while it is locked is replaced by a new file for the next run")
  func removed() throws {
    let lock = try takeAdapter(for: holder)
    try FileManager.default.removeItem(atPath: lock.path)
    let second = try takeAdapter(for: next)
    #expect(
      refusal { () throws(RunLockRefusal) in try takeAdapter(for: holder) }
        == .held(.adapter("hci0"), path: lock.path, by: next))
    // The first run releases its removed file.
    lock.release()
    #expect(refusal { () throws(RunLockRefusal) in try takeAdapter(for: holder) } != nil)
    second.release()
  }

  @Test(
    "an adapter name that could leave the directory is refused",
    arguments: ["", "..", "../hci0", "a/b", ".x", "hci0\n"])
  func unsafeNames(name: String) throws {
    let refusal = refusal { () throws(RunLockRefusal) in
      try RunLock.take(adapter: name, in: [everybodys], for: holder)
    }
    #expect(refusal == .unusable(JournalError(.create, name, .unsafeName)))
    var nameless = holder
    nameless.run = name
    let own = self.refusal { () throws(RunLockRefusal) in try takeBuilding(for: nameless) }
    #expect(own == .unusable(JournalError(.create, name, .unsafeName)))
  }

  @Test("a lock file that cannot be created says why", arguments: [true, false])
  func removedDirectory(belongsToAll: Bool) throws {
    let lock = LockFile(directory: try File.directory(everybodys), name: "lock", belongsToAll: belongsToAll)
    try FileManager.default.removeItem(atPath: everybodys)
    let path = everybodys + (belongsToAll ? "/.lock.\(next.run)" : "/lock")
    #expect(throws: JournalError(.create, path, .missing)) { try lock.take(for: next) }
  }

  @Test("a lock in a directory without write permission is unusable")
  func unwritable() throws {
    let refusal = refusal { () throws(RunLockRefusal) in
      try RunLock.take(building: "demo", in: "/proc/reports", for: holder)
    }
    guard case .unusable(let error)? = refusal else {
      Issue.record("\(String(describing: refusal))")
      return
    }
    #expect(error.path == "/proc/reports")
  }
}
