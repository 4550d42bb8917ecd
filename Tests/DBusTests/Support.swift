import DBus
import Testing

/// Runs a body with a private bus.
func withBus(_ body: (DBusDaemon) async throws -> Void) async throws {
  let bus = try await DBusDaemon.start()
  do {
    try await body(bus)
  } catch {
    await bus.stop()
    throw error
  }
  await bus.stop()
}

extension DBusDaemon {
  /// A machine may be so slow that a reply takes longer than a user would wait.
  func connect() async throws(DBusError) -> Connection {
    try await Connection.open(.address(address), timeout: .seconds(3600))
  }
}

/// A service on a private bus, and a client. The methods of the service:
/// - `Echo` returns its arguments,
/// - `Fail(name, text)` returns that error,
/// - `Never` replies only when it is cancelled,
/// - `Flood(n)` replies after n `Flooded` signals with 0, 1, … n-1,
/// - `Garbage` returns values that no message can contain.
func withService(_ body: (_ client: Connection, _ service: Connection) async throws -> Void) async throws {
  try await withBus { bus in
    let service = try await bus.connect()
    await service.export("/test", handler: { await reply(to: $0, on: service) })
    try await service.requestName(TestService.name)
    let client = try await bus.connect()
    try await withThrowingTaskGroup { group in
      group.addTask { await service.serve() }
      do {
        try await body(client, service)
      } catch {
        await service.close()
        throw error
      }
      await client.close()
      await service.close()
      try await group.waitForAll()
    }
  }
}

enum TestService {
  static let name: BusName = "org.example.Test"
  static let interface: InterfaceName = "org.example.Test1"

  static func call(_ member: MemberName, _ body: [DBusValue] = []) -> MethodCall {
    MethodCall(destination: name, path: "/test/object", interface: interface, member: member, body: body)
  }
}

private func reply(to call: MethodCall, on service: Connection) async -> Result<[DBusValue], DBusError> {
  switch call.member {
  case "Echo":
    return .success(call.body)
  case "Fail":
    return .failure(.remote(call.body.first?.asString ?? "", call.body.last?.asString ?? ""))
  case "Never":
    await forever()
    return .failure(.remote("org.example.Cancelled"))
  case "Flood":
    do throws(DBusError) {
      for number in 0..<(call.body.first?.asUInt32 ?? 0) {
        let signal = Signal(
          path: call.path, interface: TestService.interface, member: "Flooded", body: [.uint32(number)])
        try await service.emit(signal)
      }
      return .success([])
    } catch {
      return .failure(error)
    }
  case "Garbage":
    return .success([.structure([])])
  default:
    return .failure(.remote("org.freedesktop.DBus.Error.UnknownMethod", "no \(call.member)"))
  }
}

/// Waits until the task is cancelled.
func forever() async {
  let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
  for await _ in stream {}
  continuation.finish()
}

/// The error that a body throws.
func failure(_ body: () async throws(DBusError) -> Void) async -> DBusError? {
  do {
    try await body()
    return nil
  } catch {
    return error
  }
}

/// Checks that the connection and the service still work.
func expectReply(to client: Connection) async throws {
  let answer = try await client.call(TestService.call("Echo", [.byte(1)]))
  #expect(answer == [.byte(1)])
}

extension Connection {
  /// Returns when the connection is closed, for any reason.
  nonisolated func closed() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    await onClose { continuation.finish() }
    for await _ in stream {}
  }
}

extension DBusValue {
  var asArray: [DBusValue]? { if case .array(_, let items) = unwrapped { items } else { nil } }
  var asStructure: [DBusValue]? { if case .structure(let fields) = unwrapped { fields } else { nil } }
}
