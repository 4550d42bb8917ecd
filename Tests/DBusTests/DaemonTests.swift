import DBus
import Foundation
import Testing

@Suite("A private bus", .timeLimit(.minutes(60)))
struct DaemonTests {
  private func withDirectory(_ body: (String) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(
      path: "dbus-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(directory.path)
  }

  private func contents(_ directory: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory)
  }

  private func expectNothing(in directory: String) throws {
    let names = try contents(directory)
    #expect(names == [])
  }

  @Test("a bus has an owner-only directory, and its stop ends the connections and removes the directory")
  func cleanup() async throws {
    try await withDirectory { directory in
      let bus = try await DBusDaemon.start(in: directory)
      let made = try #require(try contents(directory).first)
      let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/" + made)
      #expect(attributes[.posixPermissions] as? Int == 0o700)
      let connection = try await bus.connect()
      await bus.stop()
      await connection.closed()
      try expectNothing(in: directory)
      await bus.stop()
    }
  }

  @Test("a bus has ended after several concurrent stops, even if they are cancelled")
  func concurrentStops() async throws {
    let bus = try await DBusDaemon.start()
    await withTaskGroup { group in
      for _ in 0..<4 { group.addTask { await bus.stop() } }
      group.cancelAll()
    }
    let error = await failure { () throws(DBusError) in _ = try await bus.connect() }
    #expect(error?.kind == .cannotConnect)
  }

  @Test("a bus ends when the last reference to it is released")
  func lastReference() async throws {
    let connection: Connection
    do {
      let bus = try await DBusDaemon.start()
      connection = try await bus.connect()
    }
    await connection.closed()
  }

  @Test("a bus ends when the process that started it is killed")
  func parentKilled() async throws {
    try await withDirectory { directory in
      await #expect(processExitsWith: .signal(SIGKILL)) { [directory = directory as String] in
        let bus = try await DBusDaemon.start(in: directory)
        withExtendedLifetime(bus) { _ = kill(getpid(), SIGKILL) }
      }
      let made = try #require(try contents(directory).first)
      let address = BusAddress.address("unix:path=\(directory)/\(made)/bus")
      // If the bus is slow, its end is observed here.
      if let connection = try? await Connection.open(address, timeout: .seconds(3600)) {
        await connection.closed()
      }
      let error = await failure { () throws(DBusError) in
        _ = try await Connection.open(address, timeout: .seconds(3600))
      }
      #expect(error?.kind == .cannotConnect)
    }
  }

  @Test(
    "a bus works in a directory with special characters in its name, and leaves no file there",
    arguments: ["a & b <c>", "sp ace=%41;x,y:'\"", "ümläut"])
  func directoryNames(name: String) async throws {
    try await withDirectory { directory in
      let odd = directory + "/" + name
      try FileManager.default.createDirectory(atPath: odd, withIntermediateDirectories: false)
      let bus = try await DBusDaemon.start(in: odd)
      let connection = try await bus.connect()
      await connection.close()
      await bus.stop()
      try expectNothing(in: odd)
    }
  }

  private func startError(in directory: String, program: String = "dbus-daemon") async -> DBusDaemonError? {
    do {
      await (try DBusDaemon.start(in: directory, program: program)).stop()
      return nil
    } catch {
      return error
    }
  }

  @Test("a missing program gives notInstalled and leaves no file")
  func notInstalled() async throws {
    try await withDirectory { directory in
      let error = await startError(in: directory, program: "no-such-dbus-daemon")
      #expect(error == .notInstalled(program: "no-such-dbus-daemon", reason: "No such file or directory"))
      try expectNothing(in: directory)
    }
  }

  @Test("a program that is not a bus gives failedToStart with its error message, and leaves no file")
  func otherProgram() async throws {
    try await withDirectory { directory in
      guard case .failedToStart(let reason)? = await startError(in: directory, program: "ls") else {
        Issue.record("it started")
        return
      }
      #expect(reason.contains("unrecognized option"))
      try expectNothing(in: directory)
    }
  }

  @Test("a directory that is missing or whose path is too long gives noDirectory with the reason")
  func noDirectory() async throws {
    #expect(
      await startError(in: "/nowhere/at/all")
        == .noDirectory(path: "/nowhere/at/all", reason: "No such file or directory"))
    try await withDirectory { directory in
      let long = directory + "/" + String(repeating: "x", count: 100)
      try FileManager.default.createDirectory(atPath: long, withIntermediateDirectories: false)
      guard case .noDirectory(long, let reason)? = await startError(in: long) else {
        Issue.record("it started")
        return
      }
      #expect(reason.contains("too long"))
      try expectNothing(in: long)
    }
  }

  @Test("a bus has its own session, does not inherit open files, and has ended when its stop returns")
  func isolatedFromParent() async throws {
    try await withDirectory { directory in
      let ours = directory + "/ours"
      let descriptor = open(ours, O_WRONLY | O_CREAT, 0o600)
      #expect(descriptor >= 0)
      defer { close(descriptor) }
      let bus = try await DBusDaemon.start(in: directory)
      let connection = try await bus.connect()
      let answer = try await connection.call(
        MethodCall(
          destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
          interface: "org.freedesktop.DBus",
          member: "GetConnectionUnixProcessID", body: [.string("org.freedesktop.DBus")]))
      let process = "/proc/\(try #require(answer.first?.asUInt32))"
      let status = try String(contentsOfFile: process + "/stat", encoding: .utf8)
      // After the name in brackets: state, parent, process group, session.
      let fields = try #require(status.split(separator: ")").last).split(separator: " ")
      #expect("/proc/" + fields[2] == process)
      #expect("/proc/" + fields[3] == process)
      let open = try contents(process + "/fd").map {
        try FileManager.default.destinationOfSymbolicLink(atPath: process + "/fd/" + $0)
      }
      #expect(open.contains("/dev/null"))
      #expect(!open.contains(ours))
      await connection.close()
      await bus.stop()
      #expect(!FileManager.default.fileExists(atPath: process))
    }
  }
}
