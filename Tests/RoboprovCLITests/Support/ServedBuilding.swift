import Bluetooth
import DBus
import Foundation
import RoboprovCLI
import Testing
import VirtualBuilding
import VirtualTime

/// A virtual building behind `org.bluez` on a private bus, for as long as a test's body runs. Programs find it
/// through `DBUS_SYSTEM_BUS_ADDRESS`; the test looks into it, and lays hands on it.
struct ServedBuilding: Sendable {
  let world: World
  let stack: VirtualBlueZ
  let daemon: DBusDaemon
  var bus: String { daemon.address }

  /// The adapter of `serve(sensors:)`.
  static let adapter = BluetoothAddress(rawValue: 0x001A_7DDA_7113)

  /// The sensor of `Place.numbered`.
  static func sensor(_ number: Int, _ faults: Fault..., appearsAfter: Duration = .zero) -> SensorScenario {
    SensorScenario(
      address: address(number), appearsAfter: appearsAfter, faults: faults.map { ScheduledFault($0) })
  }

  /// The address of the sensor of `Place.numbered`.
  static func address(_ number: Int) -> BluetoothAddress {
    BluetoothAddress(rawValue: 0xC47C_8D00_0000 + UInt64(number))
  }

  /// Serves sensors within reach of one adapter, ten times as fast as life.
  static func serve<Result: Sendable>(
    _ sensors: [SensorScenario],
    adapter: AdapterScenario = AdapterScenario(address: Self.adapter, name: "hci0"),
    onBusOf program: String = "dbus-daemon",
    _ body: @escaping @Sendable (ServedBuilding) async throws -> Result
  ) async throws -> Result {
    let daemon = try await DBusDaemon.start(program: program)
    let clock = ScaledClock(SystemClock(), factor: 10)
    let world = World(scenario: Scenario(seed: 7, adapters: [adapter], sensors: sensors), clock: clock)
    let stack = VirtualBlueZ(world: world, bus: .address(daemon.address), clock: clock)
    do {
      let result = try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask {
          await world.run()
          return nil
        }
        group.addTask {
          // A test may end the bus, and with it this; it has its own say on what that means.
          try? await stack.run()
          return nil
        }
        group.addTask {
          await stack.serving()
          return try await body(ServedBuilding(world: world, stack: stack, daemon: daemon))
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

  /// What a sensor would still know after a power cut.
  func flash(_ number: Int) async -> Flash? { await world.flash(of: Self.address(number)) }

  /// Stops the bus in its tracks, until this building's end.
  func freezeBus() throws {
    let socket = bus.dropFirst("unix:path=".count).prefix { $0 != "," }
    let configuration =
      "--config-file="
      + socket.replacingOccurrences(of: "/bus", with: "/bus.conf", options: [.backwards, .anchored])
    let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
    let daemon = processes.first { process in
      let line = try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)
      return line?.split(separator: "\0").contains { $0 == configuration } ?? false
    }
    kill(try #require(daemon), SIGSTOP)
  }

  /// Whether nothing was written to any sensor, and none was connected to.
  func isUntouched(_ numbers: [Int]) async -> Bool {
    for number in numbers where await world.attemptCount(of: Self.address(number)) > 0 { return false }
    return await world.writes.isEmpty
  }
}
