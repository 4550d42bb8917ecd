import Bluetooth
import EventLoop
import Synchronization
import Testing

@testable import DBus

/// A bus within the process behaves as a dbus-daemon does, as far as `Connection` can tell.
@Suite("a bus within the process", .timeLimit(.minutes(60)))
struct LocalBusTests {
  private static let name: BusName = "org.example.Service"

  /// Runs a body in virtual time with a service that echoes, and a client.
  private func with(
    _ bus: LocalBus = LocalBus(),
    _ body: @escaping @Sendable (LocalBus, _ service: Connection, _ client: Connection) async throws -> Void
  ) async throws {
    try await LoopExecutor.runInVirtualTime {
      let service = try await Connection.open(bus.busAddress)
      let client = try await Connection.open(bus.busAddress)
      await service.export("/") { call in
        if call.member == "Never" {
          let (never, source) = AsyncStream.makeStream(of: Never.self)
          for await _ in never {}
          source.finish()
        }
        return .success(call.body)
      }
      try await service.requestName(Self.name)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await service.serve() }
        defer { group.cancelAll() }
        try await body(bus, service, client)
        await service.close()
        await client.close()
      }
    }
  }

  private static func call(_ member: MemberName, _ body: DBusValue...) -> MethodCall {
    MethodCall(destination: name, path: "/", interface: "org.example", member: member, body: body)
  }

  @Test("a call reaches the owner of a name, and its reply the caller")
  func echo() async throws {
    try await with { _, _, client in
      let answer = try await client.call(Self.call("Echo", .string("x")))
      #expect(answer == [.string("x")])
    }
  }

  @Test("a name has one owner; its changes are signalled; without an owner a call fails")
  func names() async throws {
    try await with { bus, service, client in
      await #expect(throws: DBusError.self) { try await client.requestName(Self.name) }
      let owners = Mutex<[String]>([])
      try await client.subscribe(.owner(of: Self.name)) { signal in
        owners.withLock { $0.append(signal.body[2].asString ?? "?") }
      }
      await service.close()
      do throws(DBusError) {
        try await client.call(Self.call("Echo"))
        Issue.record("the call succeeded without an owner")
      } catch {
        #expect(error.isRemote("org.freedesktop.DBus.Error.ServiceUnknown"), "\(error)")
      }
      #expect(owners.withLock { $0 } == [""])
    }
  }

  @Test("a call whose receiver leaves fails, and one that is never answered times out in virtual time")
  func unanswered() async throws {
    try await with { _, service, client in
      let clock = SystemClock()
      let start = clock.now
      do throws(DBusError) {
        try await client.call(Self.call("Never"), timeout: .seconds(3600))
        Issue.record("the call was answered")
      } catch {
        #expect(error.kind == .timedOut)
      }
      #expect(start.duration(to: clock.now) == .seconds(3600))
      async let answer: [DBusValue] = client.call(Self.call("Never"), timeout: nil)
      try await clock.sleep(until: clock.now.advanced(by: .seconds(1)), tolerance: nil)
      await service.close()
      do {
        _ = try await answer
        Issue.record("the call was answered")
      } catch {
        #expect((error as? DBusError)?.isRemote("org.freedesktop.DBus.Error.NoReply") == true, "\(error)")
      }
    }
  }

  @Test("signals keep their order among replies, also on a bus that delays each message at random")
  func order() async throws {
    let delays = Mutex<UInt64>(1)
    let bus = LocalBus {
      delays.withLock {
        $0 = $0 &* 6_364_136_223_846_793_005 &+ 1
        return .milliseconds(Int64($0 >> 58))
      }
    }
    try await with(bus) { _, service, client in
      let seen = Mutex<[UInt32]>([])
      try await client.subscribe(MatchRule(member: "Tick")) { signal in
        seen.withLock { $0.append(signal.body[0].asUInt32 ?? 0) }
      }
      for number in 1...50 as ClosedRange<UInt32> {
        try await service.emit(
          Signal(path: "/", interface: "org.example", member: "Tick", body: [.uint32(number)]))
      }
      _ = try await client.call(Self.call("Echo"), timeout: nil)
      #expect(seen.withLock { $0 } == Array(1...50))
    }
  }

  @Test("the end of the bus ends every connection; after a restart new ones are possible")
  func restart() async throws {
    try await with { bus, _, client in
      await bus.stop()
      await client.closed()
      await #expect(throws: DBusError.self) { try await Connection.open(bus.busAddress) }
      await bus.restart()
      let again = try await Connection.open(bus.busAddress)
      await again.close()
    }
  }

  @Test("a wait for nothing is reported as a deadlock")
  func deadlock() async throws {
    await #expect(throws: LoopDeadlock.self) {
      try await LoopExecutor.runInVirtualTime {
        let (never, source) = AsyncStream.makeStream(of: Never.self)
        for await _ in never {}
        source.finish()
      }
    }
  }
}
