import Bluetooth
import DBus
import EventLoop
import Foundation
import Application
import RoboprovCLI
import Testing
import VirtualBuilding

/// Programs find the bus through `DBUS_SYSTEM_BUS_ADDRESS`.
extension ServedBuilding {
  var bus: String { busAddress }

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

  /// Serves sensors in range of one adapter, faster than real time.
  static func serve<Result: Sendable>(
    _ sensors: [SensorScenario],
    adapter: AdapterScenario = AdapterScenario(address: Self.adapter, name: "hci0"),
    radio: RadioParameters = .init(), speed: Double = 10, onBusOf program: String = "dbus-daemon",
    misconduct: Misconduct? = nil, _ body: @escaping @Sendable (ServedBuilding) async throws -> Result
  ) async throws -> Result {
    try await serve(
      Scenario(seed: 7, radio: radio, adapters: [adapter], sensors: sensors), speed: speed, onBusOf: program,
      misconduct: misconduct, body)
  }

  /// Serves a building to programs, faster than real time.
  static func serve<Result: Sendable>(
    _ scenario: Scenario, speed: Double = 10, onBusOf program: String = "dbus-daemon",
    misconduct: Misconduct? = nil, _ body: @escaping @Sendable (ServedBuilding) async throws -> Result
  ) async throws -> Result {
    var scenario = scenario
    // Programs run in real time: for them, too, BlueZ forgets a device after 30 s.
    scenario.radio.objectLifetime = scenario.radio.objectLifetime * speed
    // A test may end the bus and then checks the consequences itself.
    return try await serve(
      scenario, on: ScaledClock(SystemClock(), factor: speed), program: program, needsBus: false,
      misconduct: misconduct, body)
  }

  /// The settings that a sensor keeps after a power cut.
  func flash(_ number: Int) async -> Flash? { await world.flash(of: Self.address(number)) }

  /// Stops the bus process until the end of this building.
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

  /// Whether no sensor was written or connected to.
  func isUntouched(_ numbers: [Int]) async -> Bool {
    for number in numbers where await world.attemptCount(of: Self.address(number)) > 0 { return false }
    return await world.writes.isEmpty
  }
}
