import Bluetooth
import DBus
import Foundation
import Host
import Model
import Simulation
import Synchronization
import VirtualBuilding
import VirtualCentral
import VirtualTime

@testable import Application

/// A virtual device, and the adapters with which a command works on it.
struct DevicePlace: Sendable {
  static let device = BluetoothAddress(rawValue: 0xC47C_8D00_0001)

  let link: DeviceLink
  let clock: VirtualClock
  let world: World
  let said: Said

  /// What a command says to the person.
  final class Said: Sendable {
    private let text = Mutex("")

    func add(_ words: String) { text.withLock { $0 += words } }

    var lines: [String] { text.withLock(\.self).split(separator: "\n").map(String.init) }
  }

  /// The address of `hci0` is that of number 1.
  static func adapter(_ number: Int) -> BluetoothAddress {
    BluetoothAddress(rawValue: 0x001A_7DDA_7100 + UInt64(number))
  }

  /// Runs a body with a device and adapters.
  /// - Parameters:
  ///   - signal: With which the adapters receive the device.
  ///   - bus: The system bus of the adapters, which other programs use as well; nil for virtual ones.
  static func use(
    adapters count: Int = 1, _ faults: [ScheduledFault] = [], signal: SignalStrength = .init(base: -60),
    bus: String? = nil, _ body: @escaping @Sendable (DevicePlace) async throws -> Void
  ) async throws {
    let adapters = (1...count).map { AdapterScenario(address: adapter($0), name: "hci\($0 - 1)") }
    let scenario = Scenario(
      seed: 5, adapters: adapters, sensors: [SensorScenario(address: device, signal: signal, faults: faults)])
    let said = Said()
    let surroundings = Surroundings(
      variables: bus.map { ["DBUS_SYSTEM_BUS_ADDRESS": $0] } ?? [:], bus: .address("unix:path=/none"),
      wall: { Date(timeIntervalSince1970: 0) }, write: { text, _ in said.add(text) })
    try await Surroundings.$current.withValue(surroundings) {
      try await VirtualPremises.use(scenario) { premises in
        let clock = premises.clock
        let stack = BluetoothStack(
          await premises.central(),
          Surroundings.Time(clock: clock, wall: { Date(timeIntervalSince1970: 0) }, chance: { 0 }),
          isSimulated: bus == nil)
        let link = DeviceLink(
          stack: stack, adapters: AdapterChoice(names: [], wait: .seconds(30)), scanTime: 10)
        try await body(DevicePlace(link: link, clock: clock, world: premises.world, said: said))
      }
    }
  }
}
