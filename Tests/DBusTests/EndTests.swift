import DBus
import EventLoop
import Foundation
import Testing

@Suite("The end of connections, and failed connections", .timeLimit(.minutes(60)))
struct EndTests {
  @Test(
    "an invalid address, or one without a bus, gives cannotConnect with the name of the error",
    arguments: [
      ("", "BadAddress"), ("nonsense", "BadAddress"), ("unix:", "BadAddress"),
      ("unix:path=/a\0b", "BadAddress"),
      ("unix:path=/nowhere/at/all", "FileNotFound"), ("carrier-pigeon:to=me", "BadAddress"),
      ("unix:path=%zz", "BadAddress"), ("unix:path=/dev/null", "NoServer"),
    ])
  func unusableAddress(address: String, name: String) async {
    let error = await failure { () throws(DBusError) in _ = try await Connection.open(.address(address)) }
    #expect(error?.kind == .cannotConnect)
    #expect(error?.name == "org.freedesktop.DBus.Error." + name)
    #expect(error?.message.isEmpty == false)
  }

  /// Makes a call that gets no reply.
  private func waitUntilTimeout(_ client: Connection, _ service: Connection) async -> DBusError? {
    let call = MethodCall(destination: service.uniqueName, path: "/test", interface: nil, member: "Never")
    return await failure { () throws(DBusError) in try await client.call(call, timeout: nil) }
  }

  @Test("the end of the bus ends calls, serving and waits, and later operations give disconnected")
  func busKilled() async throws {
    try await withBus { bus in
      let service = try await bus.connect()
      let client = try await bus.connect()
      let (called, continuation) = AsyncStream.makeStream(of: Void.self)
      await service.export("/test") { _ in
        continuation.yield()
        await forever()
        return .success([])
      }
      async let serving: Void = service.serve()
      async let ending: Void = client.closed()
      async let first = waitUntilTimeout(client, service)
      async let second = waitUntilTimeout(client, service)
      var calls = called.makeAsyncIterator()
      await calls.next()
      await calls.next()
      await bus.stop()
      #expect(await [first?.kind, second?.kind] == [.disconnected, .disconnected])
      await serving
      await ending
      try await expectDisconnected(client)
      await client.close()
    }
  }

  /// Copies of this process's sockets of a bus, as a child process has them until it executes its program.
  private func copiedSockets(of bus: DBusDaemon) throws -> [FileHandle] {
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
    let sockets = open.filter { descriptor in
      var peer = sockaddr_un()
      var size = socklen_t(MemoryLayout<sockaddr_un>.size)
      let isConnected = withUnsafeMutablePointer(to: &peer) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) == 0 }
      }
      guard isConnected, peer.sun_family == sa_family_t(AF_UNIX) else { return false }
      let path = withUnsafeBytes(of: peer.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      return !path.isEmpty && bus.address.contains("path=" + path)
    }
    return sockets.map { FileHandle(fileDescriptor: fcntl($0, F_DUPFD_CLOEXEC, 0), closeOnDealloc: true) }
  }

  @Test("a closed connection is gone from the bus, even while a new child process has a copy of its socket")
  func copiedSocket() async throws {
    try await withBus { bus in
      let first = try await bus.connect()
      try await first.requestName(TestService.name)
      let copies = try copiedSockets(of: bus)
      #expect(copies.count == 1)
      await first.close()
      let second = try await bus.connect()
      try await second.requestName(TestService.name)
      await second.close()
      withExtendedLifetime(copies) {}
    }
  }

  private func expectDisconnected(_ client: Connection) async throws {
    await client.closed()
    let calling = await failure { () throws(DBusError) in try await client.call(TestService.call("Echo")) }
    #expect(calling?.kind == .disconnected)
    let signal = Signal(path: "/a", interface: "a.b", member: "C")
    #expect(await failure { () throws(DBusError) in try await client.emit(signal) }?.kind == .disconnected)
    let subscribing = await failure { () throws(DBusError) in
      try await client.subscribe(MatchRule()) { _ in }
    }
    #expect(subscribing?.kind == .disconnected)
  }

  @Test("a call gives NoReply when its peer closes the connection")
  func peerVanishes() async throws {
    try await withBus { bus in
      let service = try await bus.connect()
      let client = try await bus.connect()
      let (called, continuation) = AsyncStream.makeStream(of: Void.self)
      await service.export("/test") { _ in
        continuation.yield()
        await forever()
        return .success([])
      }
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await service.serve() }
        group.addTask {
          for await _ in called { break }
          await service.close()
        }
        var call = TestService.call("Never")
        call.destination = service.uniqueName
        let error = await failure { [call] () throws(DBusError) in try await client.call(call, timeout: nil) }
        #expect(error?.isRemote("org.freedesktop.DBus.Error.NoReply") == true)
      }
      await client.close()
    }
  }

  @Test("closing ends a pending call with disconnected, and a signal that was emitted before is delivered")
  func pendingCall() async throws {
    try await withService { client, service in
      let (received, continuation) = AsyncStream.makeStream(of: DBusValue?.self)
      try await service.subscribe(MatchRule(interface: "a.b")) { continuation.yield($0.body.first) }
      let text = DBusValue.string(String(repeating: "x", count: 1 << 20))
      await withTaskGroup(of: DBusError?.self) { group in
        group.addTask {
          await failure { () throws(DBusError) in
            try await client.call(TestService.call("Never"), timeout: nil)
          }
        }
        _ = try? await client.call(TestService.call("Echo"))
        try? await client.emit(Signal(path: "/a", interface: "a.b", member: "C", body: [text]))
        await client.close()
        await client.close()
        for await error in group { #expect(error?.kind == .disconnected) }
      }
      for await first in received {
        #expect(first == text)
        break
      }
    }
  }

  @Test("close handlers are called in order and on the connection's thread, also one added after the end")
  func closeHandlers() async throws {
    try await withBus { bus in
      let client = try await bus.connect()
      let (received, continuation) = AsyncStream.makeStream(of: Int.self)
      await client.onClose {
        client.executor.checkIsolated()
        continuation.yield(1)
      }
      await client.onClose {
        client.executor.checkIsolated()
        continuation.yield(2)
      }
      await bus.stop()
      await client.closed()
      await client.onClose {
        client.executor.checkIsolated()
        continuation.yield(3)
        continuation.finish()
      }
      #expect(await received.reduce(into: []) { $0.append($1) } == [1, 2, 3])
    }
  }

  @Test("opening a connection in a cancelled task either succeeds or throws cancelled")
  func cancelledOpen() async throws {
    try await withBus { bus in
      let kinds = await withTaskGroup(of: DBusError.Kind?.self) { group in
        for _ in 0..<10 {
          group.addTask {
            await failure { () throws(DBusError) in
              let connection = try await bus.connect()
              await connection.close()
            }?.kind
          }
        }
        group.cancelAll()
        return await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(kinds.isSubset(of: [.cancelled, nil]))
    }
  }

  /// The bus signals the end of a connection's name.
  @Test("a connection closes when the last reference to it is released")
  func unreferenced() async throws {
    try await withBus { bus in
      let watcher = try await bus.connect()
      let (gone, continuation) = AsyncStream.makeStream(of: String?.self)
      try await watcher.subscribe(
        MatchRule(sender: "org.freedesktop.DBus", member: "NameOwnerChanged")
      ) { signal in
        if signal.body.last?.asString == "" { continuation.yield(signal.body.first?.asString) }
      }
      let name = try await bus.connect().uniqueName
      for await lost in gone {
        #expect(lost == name.text)
        break
      }
      await watcher.close()
    }
  }
}
