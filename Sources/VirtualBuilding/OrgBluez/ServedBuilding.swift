package import Bluetooth
package import DBus
import EventLoop

/// A virtual building behind `org.bluez` on a private bus.
package struct ServedBuilding: Sendable {
  /// The sensors and the radio, for inspection and intervention.
  package let world: World
  package let stack: VirtualBlueZ
  package let daemon: any PrivateBus
  package let clock: any TimeSource

  /// The address of the bus for programs, as `DBUS_SYSTEM_BUS_ADDRESS`. No program reaches a bus within this
  /// process.
  package var busAddress: String {
    guard case .address(let text) = daemon.busAddress else {
      preconditionFailure("only a bus daemon has an address for programs")
    }
    return text
  }

  /// Serves a building while `body` runs. Everything is cleaned up afterwards, however `body` ends.
  /// - Parameters:
  ///   - clock: The clock; a faster clock makes the building faster.
  ///   - program: The bus daemon: a path, or a name that is searched in PATH.
  ///   - misconduct: Misbehaviour of bluetoothd; nil for none.
  ///   - needsBus: Whether the building ends with its bus; otherwise `body` continues without it.
  /// - Throws: `DBusDaemonError` if no bus can be started, `DBusError` if the bus ended, any error of `body`.
  package static func serve<Result: Sendable>(
    _ scenario: Scenario, on clock: any TimeSource, program: String = "dbus-daemon", needsBus: Bool = true,
    misconduct: Misconduct? = nil, _ body: @escaping @Sendable (ServedBuilding) async throws -> Result
  ) async throws -> Result {
    try await serve(
      scenario, on: clock, bus: try await DBusDaemon.start(program: program), needsBus: needsBus,
      misconduct: misconduct, body)
  }

  /// Serves a building in virtual time, on a bus within this process: for clients that run in `body`.
  package static func serveInVirtualTime<Result: Sendable>(
    _ scenario: Scenario, bus: LocalBus = LocalBus(), needsBus: Bool = true, misconduct: Misconduct? = nil,
    _ body: @escaping @Sendable (ServedBuilding) async throws -> Result
  ) async throws -> Result {
    try await LoopExecutor.runInVirtualTime {
      try await serve(
        scenario, on: SystemClock(), bus: bus, needsBus: needsBus, misconduct: misconduct, body)
    }
  }

  /// Serves a building on a bus that runs already, and stops that bus afterwards.
  package static func serve<Result: Sendable>(
    _ scenario: Scenario, on clock: any TimeSource, bus daemon: any PrivateBus, needsBus: Bool = true,
    misconduct: Misconduct? = nil, _ body: @escaping @Sendable (ServedBuilding) async throws -> Result
  ) async throws -> Result {
    let world = World(scenario: scenario, clock: clock)
    let stack = VirtualBlueZ(
      world: world, bus: daemon.busAddress, clock: clock, misconduct: misconduct)
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

  /// Kills the bus and starts another at the same address with a new bluetoothd. Only for a building that
  /// does not end with its bus.
  /// - Parameter whileDown: Runs between the two.
  package func restartBus(_ whileDown: @Sendable () async throws -> Void = {}) async throws {
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
      preconditionFailure("the body of a building has neither a result nor an error")
    }
  }
}
