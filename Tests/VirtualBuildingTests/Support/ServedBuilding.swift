import Bluetooth
import DBus
import VirtualBuilding
import VirtualTime

/// A virtual building behind `org.bluez` on a private bus, for as long as a test's body runs.
struct ServedBuilding: Sendable {
  let world: World
  let stack: VirtualBlueZ
  /// For `DBUS_SYSTEM_BUS_ADDRESS`.
  let busAddress: String
  let clock: any TimeSource

  /// Serves a building, a number of times as fast as life.
  static func serve<Result: Sendable>(
    _ scenario: Scenario, speed: Double, _ body: @escaping @Sendable (ServedBuilding) async throws -> Result
  ) async throws -> Result {
    let daemon = try await DBusDaemon.start()
    let clock = ScaledClock(SystemClock(), factor: speed)
    let world = World(scenario: scenario, clock: clock)
    let stack = VirtualBlueZ(world: world, bus: .address(daemon.address), clock: clock)
    do {
      let result = try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask {
          await world.run()
          return nil
        }
        group.addTask {
          try await stack.run()
          return nil
        }
        group.addTask {
          await stack.serving()
          return try await body(
            ServedBuilding(world: world, stack: stack, busAddress: daemon.address, clock: clock))
        }
        defer { group.cancelAll() }
        while let next = try await group.next() {
          if let next { return next }
        }
        throw CancellationError()
      }
      await daemon.stop()
      return result
    } catch {
      await daemon.stop()
      throw error
    }
  }
}
