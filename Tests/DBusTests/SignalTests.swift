import DBus
import EventLoop
import Testing

/// Shares a connection's thread, as the BlueZ central does.
private actor Listener {
  let connection: Connection
  let thread: LoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  private(set) var received: [Signal] = []
  private var waiters: [(count: Int, CheckedContinuation<Void, Never>)] = []

  init(_ connection: Connection) {
    self.connection = connection
    thread = connection.executor
  }

  func subscribe(_ rule: MatchRule) async throws(DBusError) {
    try await connection.subscribe(rule) { signal in
      self.assumeIsolated { $0.receive(signal) }
    }
  }

  private func receive(_ signal: Signal) {
    received.append(signal)
    let ready = waiters.filter { $0.count <= received.count }
    waiters.removeAll { $0.count <= received.count }
    for waiter in ready { waiter.1.resume() }
  }

  func hasReceived(_ count: Int) async {
    if received.count < count { await withCheckedContinuation { waiters.append((count, $0)) } }
  }

  /// Makes a call, and returns how many signals had been received when the reply was seen.
  func receivedAtReply(to call: MethodCall) async throws(DBusError) -> Int {
    try await connection.call(call)
    return received.count
  }
}

@Suite("Signals", .timeLimit(.minutes(60)))
struct SignalTests {
  static let flooded = MatchRule(
    sender: TestService.name, interface: TestService.interface, member: "Flooded")

  /// The bus replies to each `RequestName` right after the signal about it. With all calls in flight at once,
  /// signals and replies alternate on the wire.
  @Test("a reply is delivered after the signals before it on the wire, and before the signals after it")
  func repliesBetweenSignals() async throws {
    try await withBus { bus in
      let listener = Listener(try await bus.connect())
      try await listener.subscribe(
        MatchRule(sender: "org.freedesktop.DBus", member: "NameOwnerChanged"))
      let names = 300
      let counts = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<names {
          group.addTask {
            let call = MethodCall(
              destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
              interface: "org.freedesktop.DBus", member: "RequestName",
              body: [.string("org.example.n\(number)"), .uint32(4)])
            return try await listener.receivedAtReply(to: call)
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(counts.sorted() == Array(1...names))
      await listener.connection.close()
    }
  }

  @Test("signals are delivered in their order on the wire, and before the reply that follows them")
  func signalsBeforeReply() async throws {
    try await withService { client, _ in
      let listener = Listener(client)
      try await listener.subscribe(Self.flooded)
      let received = try await listener.receivedAtReply(to: TestService.call("Flood", [.uint32(5_000)]))
      #expect(received == 5_000)
      #expect(await listener.received.map { $0.body } == (0..<5_000).map { [.uint32($0)] })
    }
  }

  @Test("a call among 30,000 signals gets its reply, and every signal is delivered")
  func callDuringFlood() async throws {
    try await withService { client, service in
      let listener = Listener(client)
      try await listener.subscribe(Self.flooded)
      try await withThrowingTaskGroup { group in
        group.addTask {
          try await client.call(TestService.call("Flood", [.uint32(30_000)]), timeout: .seconds(100))
        }
        await listener.hasReceived(1)
        try await client.call(
          MethodCall(
            destination: service.uniqueName, path: "/", interface: "org.freedesktop.DBus.Peer", member: "Ping"
          ))
        try await group.waitForAll()
      }
      #expect(await listener.received.count == 30_000)
    }
  }

  @Test("a subscription delivers exactly the signals that match its rule")
  func matchRules() async throws {
    try await withService { client, service in
      let listener = Listener(client)
      let rules: [MatchRule] = [
        MatchRule(path: "/a/b"), MatchRule(pathNamespace: "/n"), MatchRule(interface: "i.x"),
        MatchRule(member: "M"), MatchRule(arg0: "it's"),
      ]
      for rule in rules { try await listener.subscribe(rule) }
      let sent: [(ObjectPath, InterfaceName, MemberName, [DBusValue])] = [
        ("/a/b", "o.o", "O", []), ("/a/b/c", "o.o", "O", []), ("/n", "o.o", "O", []),
        ("/n/m", "o.o", "O", []),
        ("/nm", "o.o", "O", []), ("/o", "i.x", "O", []), ("/o", "o.o", "M", []),
        ("/o", "o.o", "O", [.string("it's")]), ("/o", "o.o", "O", [.string("its")]),
        ("/o", "o.o", "O", [.objectPath("/o"), .string("it's")]), ("/n/m", "i.x", "M", []),
      ]
      for (path, interface, member, body) in sent {
        try await service.emit(Signal(path: path, interface: interface, member: member, body: body))
      }
      await listener.hasReceived(6 + 3)
      try await client.call(TestService.call("Echo"))
      let received = await listener.received.map { [$0.path.text, $0.interface.text, $0.member.text] }
      #expect(
        received == [
          ["/a/b", "o.o", "O"], ["/n", "o.o", "O"], ["/n/m", "o.o", "O"], ["/o", "i.x", "O"],
          ["/o", "o.o", "M"],
          ["/o", "o.o", "O"], ["/n/m", "i.x", "M"], ["/n/m", "i.x", "M"], ["/n/m", "i.x", "M"],
        ])
    }
  }

  /// Another subscription makes the bus deliver them; they must not be attributed to the service.
  @Test("a subscription to a service delivers no signal of another sender")
  func otherSender() async throws {
    try await withService { client, service in
      let listener = Listener(client)
      let everything = Listener(client)
      try await listener.subscribe(Self.flooded)
      try await everything.subscribe(MatchRule(member: "Flooded"))
      let forged = Signal(
        path: "/test", interface: TestService.interface, member: "Flooded", body: [.byte(66)])
      try await client.emit(forged)
      try await service.emit(forged)
      await everything.hasReceived(2)
      #expect(await listener.received.map(\.sender) == [service.uniqueName])
    }
  }

  @Test("a subscription to a service delivers the signals of each new owner of its name, and no earlier ones")
  func serviceReturns() async throws {
    try await withBus { bus in
      let client = try await bus.connect()
      let listener = Listener(client)
      try await listener.subscribe(Self.flooded)
      let signal = Signal(path: "/test", interface: TestService.interface, member: "Flooded")
      for round in 1...3 {
        let service = try await bus.connect()
        try await service.emit(signal)
        try await service.requestName(TestService.name)
        try await service.emit(signal)
        await listener.hasReceived(round)
        #expect(await listener.received.last?.sender == service.uniqueName)
        await service.close()
        // A busy bus may notice the next connection before the end of this one.
        let hasOwner = MethodCall(
          destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
          interface: "org.freedesktop.DBus", member: "NameHasOwner",
          body: [.string(TestService.name.text)])
        while try await client.call(hasOwner) != [.bool(false)] {}
      }
      #expect(await listener.received.count == 3)
      await client.close()
    }
  }

  @Test("a rule that the bus refuses gives MatchRuleInvalid, and a rule with NUL gives badMessage")
  func invalidRule() async throws {
    try await withService { client, _ in
      let error = await failure { () throws(DBusError) in
        try await client.subscribe(MatchRule(path: "/a", pathNamespace: "/a")) { _ in }
      }
      #expect(error?.isRemote("org.freedesktop.DBus.Error.MatchRuleInvalid") == true)
      let nul = await failure { () throws(DBusError) in
        try await client.subscribe(MatchRule(arg0: "a\0b")) { _ in }
      }
      #expect(nul?.kind == .badMessage)
    }
  }
}
