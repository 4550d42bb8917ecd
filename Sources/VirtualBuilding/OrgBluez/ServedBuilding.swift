public import Bluetooth
public import DBus

/// A virtual building behind `org.bluez` on a private bus, for as long as somebody needs it.
public struct ServedBuilding: Sendable {
  /// The sensors and the radio: to look into, and to lay hands on.
  public let world: World
  /// The stack that shows them.
  public let stack: VirtualBlueZ
  /// The bus that it is on.
  public let daemon: DBusDaemon
  /// The clock that all of them live by.
  public let clock: any TimeSource

  /// For `BusAddress.address`, or `DBUS_SYSTEM_BUS_ADDRESS`.
  public var busAddress: String { daemon.address }

  /// Serves a building while `body` runs; nothing of it is left afterwards, whatever `body` does.
  /// - Parameters:
  ///   - clock: The clock; a faster one makes a faster building.
  ///   - program: The bus daemon: a path, or a name that is looked up along PATH.
  ///   - misconduct: How its bluetoothd misbehaves; nil: it does not.
  ///   - needsBus: Whether the building ends with its bus; else `body` goes on without.
  /// - Throws: `DBusDaemonError` when there is no bus to be had, `DBusError` when it ended, what `body` throws.
  public static func serve<Result: Sendable>(
    _ scenario: Scenario, on clock: any TimeSource, program: String = "dbus-daemon", needsBus: Bool = true,
    misconduct: Misconduct? = nil, _ body: @escaping @Sendable (ServedBuilding) async throws -> Result
  ) async throws -> Result {
    let daemon = try await DBusDaemon.start(program: program)
    let world = World(scenario: scenario, clock: clock)
    let stack = VirtualBlueZ(
      world: world, bus: .address(daemon.address), clock: clock, misconduct: misconduct)
    let building = ServedBuilding(world: world, stack: stack, daemon: daemon, clock: clock)
    do {
      let result = try await building.live(needsBus: needsBus, body)
      await daemon.stop()
      return result
    } catch {
      await daemon.stop()
      throw error
    }
  }

  /// Kills the bus, and starts another at the same address with a new bluetoothd on it. Only for a building that does not
  /// end with its bus.
  /// - Parameter whileDown: what is done in between.
  public func restartBus(_ whileDown: @Sendable () async throws -> Void = {}) async throws {
    await daemon.stop()
    await stack.down()
    try await whileDown()
    try await daemon.restart()
    await stack.startDaemon()
  }

  private func live<Result: Sendable>(
    needsBus: Bool, _ body: @escaping @Sendable (ServedBuilding) async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask {
        await world.run()
        return nil
      }
      group.addTask {
        try await stack.run(needsBus: needsBus)
        return nil
      }
      group.addTask {
        await stack.serving()
        return try await body(self)
      }
      defer { group.cancelAll() }
      while let ended = try await group.next() {
        if let result = ended { return result }
      }
      preconditionFailure("a building whose body has neither a result nor an error")
    }
  }
}
