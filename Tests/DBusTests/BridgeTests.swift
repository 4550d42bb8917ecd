import EventLoop
import Foundation
import Glibc
import Testing
import Waiting

@testable import DBus

@Suite("A bus behind another program", .timeLimit(.minutes(60)))
struct BridgeTests {
  private func open(
    _ words: [String]
  ) async throws(DBusError) -> Connection {
    try await Connection.open(
      .bridge(BusBridge(title: "ssh pi@gw3", words: words)), timeout: .seconds(3600))
  }

  private func message(_ words: [String]) async -> String? {
    do {
      let connection = try await open(words)
      await connection.close()
      return nil
    } catch {
      return error.kind == .cannotConnect ? error.message : nil
    }
  }

  /// The programs that this process has started and not waited for, by their command lines.
  private func children(with word: String) -> [String] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.compactMap { Int32($0) }.compactMap { process in
      let status = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
      let fields = status.split(separator: ")").last?.split(separator: " ") ?? []
      guard fields.count > 3, fields[1] == "\(getpid())" else { return nil }
      let line = (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)) ?? ""
      let session = fields[3] == "\(process)" ? "a session of its own" : "session \(fields[3])"
      return fields[0] == "Z" || line.contains(word) ? "\(fields[0]), \(session): \(line)" : nil
    }
  }

  @Test(
    "calls reach the bus, with every character in an argument; the program is in a session of its own and is waited for"
  )
  func calls() async throws {
    try await withBus { bus in
      let odd = "=,;:%'\"$(echo) ü*\\"
      let script = "test \"$1\" = '=,;:%'\\''\"$(echo) ü*\\' && exec systemd-stdio-bridge -p \"$2\""
      let connection = try await open(["sh", "-c", script, "sh", odd, bus.address])
      let answer = try await connection.call(.toBus("GetId", []))
      #expect(answer.first?.asString?.isEmpty == false)
      // A child of another test may have ended, and not be waited for yet.
      let running = children(with: bus.address).filter { !$0.hasPrefix("Z") }
      #expect(running.count == 1 && running.allSatisfy { $0.contains("a session of its own") }, "\(running)")
      await connection.close()
      while !children(with: bus.address).isEmpty { try await SystemClock().sleep(for: .milliseconds(10)) }
    }
  }

  @Test(
    "what the program says is the reason",
    arguments: [
      (
        ["sh", "-c", "echo 'pi@gw3: Permission denied (publickey).' >&2; exit 255"],
        "pi@gw3: Permission denied (publickey)."
      ),
      (["sh", "-c", "echo one >&2; echo @@@@ >&2; echo two >&2; exit 1"], "one two"),
      (["sh", "-c", "exit 0"], "it ended, or printed something that is not D-Bus"),
      // A login message on stdout.
      (["sh", "-c", "echo 'Welcome to gw3'; exec cat"], "it ended, or printed something that is not D-Bus"),
      (["ssh-is-not-here"], "ssh-is-not-here is not installed"),
    ])
  func reasons(words: [String], reason: String) async throws {
    #expect(await message(words) == "ssh pi@gw3: \(reason)")
  }

  @Test("a flood on stderr ends the program and fills no disk; its beginning is the reason")
  func flood() async throws {
    let failure = await #expect(throws: DBusError.self) {
      try await open(["sh", "-c", "while :; do echo flood flood flood >&2 || exit; done"])
    }
    #expect(failure?.message.hasPrefix("ssh pi@gw3: flood flood flood") == true)
  }

  @Test("a bus that answers does not wait for one that never does, whose program ends with the attempt")
  func silent() async throws {
    try await withBus { bus in
      let file = bus.address + "-silent"
      let silent = Task { try await open(["sh", "-c", "exec cat >/dev/null", file]) }
      while children(with: file).isEmpty { try await SystemClock().sleep(for: .milliseconds(10)) }
      let connection = try await bus.connect()
      _ = try await connection.call(.toBus("GetId", []))
      await connection.close()
      silent.cancel()
      let failure = await #expect(throws: DBusError.self) { try await silent.value }
      #expect(failure?.kind == .cancelled)
      while !children(with: file).isEmpty { try await SystemClock().sleep(for: .milliseconds(10)) }
    }
  }

  @Test("closing a connection that the bus has ended leaves a new socket alone that has its number")
  func reusedNumber() throws {
    while true {
      let link = try Link.open(.bridge(BusBridge(title: "ssh pi@gw3", words: ["true"])))
      while link.isConnected {
        poll(nil, 0, 1)
        link.readAndWrite()
        while link.next() != nil {}
      }
      var pair: [Int32] = [-1, -1]
      try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
      let copy = fcntl(pair[0], F_DUPFD_CLOEXEC, link.descriptor)
      defer { for descriptor in pair + [copy] { close(descriptor) } }
      let isReused = [copy, pair[0], pair[1]].contains(link.descriptor)
      link.close()
      guard isReused else { continue }
      #expect(send(pair[0], "x", 1, Int32(MSG_NOSIGNAL)) == 1)
      return
    }
  }

  @Test("a bus that never answers ends the attempt at its time limit, as an error that says so")
  func timeLimit() async throws {
    let failure = await #expect(throws: DBusError.self) {
      try await Connection.open(
        .bridge(BusBridge(title: "ssh pi@gw3", words: ["sh", "-c", "exec cat >/dev/null"])),
        timeout: .milliseconds(20))
    }
    #expect(failure?.name == "org.freedesktop.DBus.Error.Timeout")
    #expect(failure?.message == "no answer within 0.02 seconds")
  }

  @Test("when the program is killed, the connection ends")
  func killed() async throws {
    try await withBus { bus in
      let connection = try await open(["systemd-stdio-bridge", "-p", bus.address])
      let ended = OneShot<Void>()
      await connection.onClose { ended.fulfill() }
      let pattern = "systemd-stdio-bridge\0-p\0\(bus.address)"
      let process = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
        .first {
          (try? String(contentsOfFile: "/proc/\($0)/cmdline", encoding: .utf8))?.hasPrefix(pattern) == true
        }
      kill(try #require(process), SIGKILL)
      await ended.valueEvenIfCancelled()
      let failure = await #expect(throws: DBusError.self) { try await connection.call(.toBus("GetId", [])) }
      #expect(failure?.kind == .disconnected)
      while !children(with: bus.address).isEmpty { try await SystemClock().sleep(for: .milliseconds(10)) }
    }
  }
}
