import DBus
import Testing

private struct Asker {
  let client: Connection
  let service: Connection

  func expect(_ value: DBusValue, at path: ObjectPath) async throws {
    let answer = try await client.call(
      MethodCall(destination: service.uniqueName, path: path, interface: nil, member: "Who"))
    #expect(answer == [value], "\(path)")
  }
}

@Suite("Exported objects", .timeLimit(.minutes(60)))
struct ObjectTests {
  private func peer(_ member: MemberName, of connection: Connection, at path: ObjectPath = "/") -> MethodCall
  {
    MethodCall(
      destination: connection.uniqueName, path: path, interface: "org.freedesktop.DBus.Peer", member: member)
  }

  @Test("a connection replies to Ping and GetMachineId without serving, and refuses unknown Peer methods")
  func peerWithoutServing() async throws {
    try await withBus { bus in
      let one = try await bus.connect()
      let other = try await bus.connect()
      #expect(try await other.call(peer("Ping", of: one, at: "/any/where")) == [])
      let identifier = try await other.call(peer("GetMachineId", of: one)).first?.asString
      #expect(identifier?.utf8.count == 32)
      let error = await failure { () throws(DBusError) in try await other.call(peer("Pong", of: one)) }
      #expect(error?.isRemote("org.freedesktop.DBus.Error.UnknownMethod") == true)
      await one.close()
      await other.close()
    }
  }

  @Test("a call goes to the handler of the nearest path at or above its own")
  func nearestHandler() async throws {
    try await withService { client, service in
      let root = DBusValue.string("root")
      let leaf = DBusValue.string("leaf")
      await service.export("/") { _ in .success([root]) }
      await service.export("/a/b") { _ in .success([leaf]) }
      let asker = Asker(client: client, service: service)
      try await asker.expect(root, at: "/")
      try await asker.expect(root, at: "/a")
      try await asker.expect(leaf, at: "/a/b")
      try await asker.expect(leaf, at: "/a/b/c/d")
      try await asker.expect(root, at: "/a/bc")
    }
  }

  @Test("a handler gets the names and values of a call, and whether it expects a reply")
  func callContent() async throws {
    try await withBus { bus in
      let service = try await bus.connect()
      let client = try await bus.connect()
      let (calls, continuation) = AsyncStream.makeStream(of: MethodCall.self)
      await service.export("/x") { call in
        continuation.yield(call)
        return .success([])
      }
      try await withThrowingTaskGroup { group in
        group.addTask { await service.serve() }
        var sent = MethodCall(
          destination: service.uniqueName, path: "/x/y", interface: nil, member: "M", body: [.byte(1)])
        try await client.call(sent)
        sent.interface = "a.b"
        sent.noReply = true
        try await client.call(sent)
        var iterator = calls.makeAsyncIterator()
        let first = await iterator.next()
        #expect(first?.path == "/x/y" && first?.member == "M" && first?.destination == service.uniqueName)
        #expect(first?.interface == nil)
        #expect(first?.sender == client.uniqueName)
        #expect(first?.body == [.byte(1)])
        #expect(first?.noReply == false)
        let second = await iterator.next()
        #expect(second?.interface == "a.b")
        #expect(second?.noReply == true)
        await service.close()
        await client.close()
        try await group.waitForAll()
      }
    }
  }

  @Test("handlers start in the order of their calls and run concurrently")
  func handlerOrder() async throws {
    try await withBus { bus in
      let service = try await bus.connect()
      let client = try await bus.connect()
      let (started, continuation) = AsyncStream.makeStream(of: UInt32.self)
      await service.export("/x") { call in
        continuation.yield(call.body.first?.asUInt32 ?? .max)
        await forever()
        return .success([])
      }
      for number in 0..<500 as Range<UInt32> {
        try await client.call(
          MethodCall(
            destination: service.uniqueName, path: "/x", interface: nil, member: "M", body: [.uint32(number)],
            noReply: true))
      }
      await withTaskGroup { group in
        group.addTask { await service.serve() }
        var order: [UInt32] = []
        for await number in started {
          order.append(number)
          if order.count == 500 { break }
        }
        #expect(order == Array(0..<500))
        group.cancelAll()
      }
      await service.close()
      await client.close()
    }
  }

  @Test("a call gets its reply once the connection serves, also after an earlier serving was cancelled")
  func callBeforeServing() async throws {
    try await withBus { bus in
      let service = try await bus.connect()
      let client = try await bus.connect()
      await service.export("/x") { _ in .success([.byte(1)]) }
      let call = MethodCall(destination: service.uniqueName, path: "/x", interface: nil, member: "M")
      for _ in 1...3 {
        try await withThrowingTaskGroup { group in
          group.addTask { try await client.call(call) }
          try await client.call(peer("Ping", of: service))
          group.addTask {
            await service.serve()
            return []
          }
          #expect(try await group.next() == [.byte(1)])
          group.cancelAll()
          try await group.waitForAll()
        }
      }
      await service.close()
      await service.serve()
      await client.close()
    }
  }

  @Test("a call after 4,096 waiting ones gives LimitsExceeded")
  func waitingCallLimit() async throws {
    try await withBus { bus in
      let service = try await bus.connect()
      let client = try await bus.connect()
      await service.export("/x") { _ in .success([]) }
      var call = MethodCall(
        destination: service.uniqueName, path: "/x", interface: nil, member: "M", noReply: true)
      for _ in 0..<4_096 { try await client.call(call) }
      call.noReply = false
      let error = await failure { [call] () throws(DBusError) in try await client.call(call) }
      #expect(error?.isRemote("org.freedesktop.DBus.Error.LimitsExceeded") == true)
      await service.close()
      await client.close()
    }
  }
}
