import DBus
import Synchronization

/// A client of `org.bluez` with its own connection, which records every signal.
final class BusClient: Sendable {
  let connection: Connection
  private let log = Mutex(Log())

  private struct Log {
    var signals: [Signal] = []
    var waiters:
      [(from: Int, isMet: @Sendable (Signal) -> Bool, continuation: CheckedContinuation<Int?, Never>)] = []
  }

  private init(_ connection: Connection) {
    self.connection = connection
  }

  /// Connects, runs a body, and leaves the bus.
  static func on<Result: Sendable>(
    _ bus: BusAddress, _ body: @Sendable (BusClient) async throws -> Result
  ) async throws -> Result {
    let client = BusClient(try await Connection.open(bus))
    try await client.connection.subscribe(MatchRule()) { [weak client] in client?.take($0) }
    do {
      let result = try await body(client)
      await client.connection.close()
      return result
    } catch {
      await client.connection.close()
      throw error
    }
  }

  // MARK: Calls

  @discardableResult
  func call(
    _ path: ObjectPath, _ interface: InterfaceName?, _ member: MemberName, _ body: DBusValue...
  ) async throws(DBusError) -> [DBusValue] {
    try await connection.call(
      MethodCall(destination: "org.bluez", path: path, interface: interface, member: member, body: body),
      timeout: .seconds(60))
  }

  /// The name and text of the error of a call; nil if it succeeds.
  func failure(
    _ path: ObjectPath, _ interface: InterfaceName?, _ member: MemberName, _ body: DBusValue...
  ) async -> String? {
    do throws(DBusError) {
      _ = try await connection.call(
        MethodCall(destination: "org.bluez", path: path, interface: interface, member: member, body: body),
        timeout: .seconds(60))
      return nil
    } catch {
      return error.description.trimmingSuffix("\n")
    }
  }

  /// The current value of a property; nil if there is none.
  func property(_ path: ObjectPath, _ interface: InterfaceName, _ name: String) async -> DBusValue? {
    try? await call(
      path, "org.freedesktop.DBus.Properties", "Get", .string(interface.text), .string(name)
    ).first?.unwrapped
  }

  /// The paths of all objects, in order.
  func objects() async throws -> [String] {
    let answer = try await call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
    return (answer.first?.asEntries ?? []).compactMap { $0.key.asObjectPath?.text }.sorted()
  }

  // MARK: Signals

  /// All signals so far.
  var signals: [Signal] { log.withLock { $0.signals } }

  /// The index of the next signal.
  var mark: Int { log.withLock { $0.signals.count } }

  /// Waits for a signal at or after an index.
  /// - Returns: Its index; nil if the test was cancelled.
  @discardableResult
  func wait(from mark: Int = 0, for isMet: @escaping @Sendable (Signal) -> Bool) async -> Int? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let found: Int?? = log.withLock { log in
          if Task.isCancelled { return .some(nil) }
          if let index = log.signals.indices.first(where: { $0 >= mark && isMet(log.signals[$0]) }) {
            return index
          }
          log.waiters.append((mark, isMet, continuation))
          return nil
        }
        if let found { continuation.resume(returning: found) }
      }
    } onCancel: {
      let waiters = log.withLock { log in
        defer { log.waiters = [] }
        return log.waiters
      }
      for waiter in waiters { waiter.continuation.resume(returning: nil) }
    }
  }

  private func take(_ signal: Signal) {
    let met = log.withLock { log in
      let index = log.signals.count
      log.signals.append(signal)
      let met = log.waiters.filter { index >= $0.from && $0.isMet(signal) }.map(\.continuation)
      log.waiters.removeAll { index >= $0.from && $0.isMet(signal) }
      return met.map { ($0, index) }
    }
    for (continuation, index) in met { continuation.resume(returning: index) }
  }
}

extension Signal {
  /// Whether it reports a new object.
  func adds(_ path: ObjectPath) -> Bool {
    member == "InterfacesAdded" && body.first?.asObjectPath == path
  }

  /// Whether it reports the removal of an object.
  func removes(_ path: ObjectPath) -> Bool {
    member == "InterfacesRemoved" && body.first?.asObjectPath == path
  }

  /// The new value of an object's property; nil if the signal does not contain it.
  func value(of property: String, at path: ObjectPath) -> DBusValue? {
    guard member == "PropertiesChanged", self.path == path else { return nil }
    return body[1].asVardict?[property]
  }

  /// Whether it invalidates a property of an object.
  func invalidates(_ property: String, at path: ObjectPath) -> Bool {
    member == "PropertiesChanged" && self.path == path && body[2].asStrings?.contains(property) == true
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
