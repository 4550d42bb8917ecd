import Host
import Bluetooth
import DBus
import Families
import Foundation
import Model
import Synchronization
import Testing
import VirtualBuilding
import VirtualCentral
import VirtualTime

@testable import Application

@Suite("a connection to one device") struct DeviceLinkTests {
  private static let device = BluetoothAddress(rawValue: 0xC47C_8D00_0001)
  /// The address of `hci0` is that of number 1.
  static func adapter(_ number: Int) -> BluetoothAddress {
    BluetoothAddress(rawValue: 0x001A_7DDA_7100 + UInt64(number))
  }

  /// What a command says to the person.
  final class Said: Sendable {
    private let text = Mutex("")

    func add(_ words: String) { text.withLock { $0 += words } }

    var lines: [String] { text.withLock(\.self).split(separator: "\n").map(String.init) }
  }

  struct Place: Sendable {
    let link: DeviceLink
    let clock: VirtualClock
    let world: World
    let said: Said
  }

  /// Runs a body with a device and adapters.
  /// - Parameters:
  ///   - signal: With which the adapters receive the device.
  ///   - bus: The system bus of the adapters, which belong to other programs as well; nil for virtual ones.
  static func with(
    adapters count: Int = 1, _ faults: [ScheduledFault] = [], signal: SignalStrength = .init(base: -60),
    bus: String? = nil, _ body: @escaping @Sendable (Place) async throws -> Void
  ) async throws {
    let adapters = (1...count).map { AdapterScenario(address: adapter($0), name: "hci\($0 - 1)") }
    let scenario = Scenario(
      seed: 5, adapters: adapters, sensors: [SensorScenario(address: device, signal: signal, faults: faults)])
    let said = Said()
    let surroundings = Surroundings(
      variables: bus.map { ["DBUS_SYSTEM_BUS_ADDRESS": $0] } ?? [:], bus: .address("unix:path=/none"),
      wall: { Date(timeIntervalSince1970: 0) }, write: { text, _ in said.add(text) })
    try await Surroundings.$current.withValue(surroundings) {
      try await VirtualTime.run { clock in
        let world = World(scenario: scenario, clock: clock)
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { await world.run() }
          let stack = BluetoothStack(
            await VirtualCentral(world: world, clock: clock),
            Surroundings.Time(clock: clock, wall: { Date(timeIntervalSince1970: 0) }, chance: { 0 }),
            isSimulated: bus == nil)
          let link = DeviceLink(
            stack: stack, adapters: AdapterChoice(names: [], wait: .seconds(30)), scanTime: 10)
          defer { group.cancelAll() }
          try await body(Place(link: link, clock: clock, world: world, said: said))
        }
      }
    }
  }

  @Test(
    "with several adapters the search lasts a second longer, so that the nearest one connects",
    arguments: [1, 2])
  func settling(adapters: Int) async throws {
    // The last one is the nearest.
    let signal = SignalStrength(base: -75, perAdapter: [Self.adapter(adapters): -45])
    try await Self.with(adapters: adapters, signal: signal) { place in
      let began = place.clock.now
      let sighting = try await place.link.search(for: Self.device)
      #expect(sighting.adapter.name == "hci\(adapters - 1)")
      let took = began.duration(to: place.clock.now)
      #expect(adapters == 1 ? took < .seconds(1) : took > .seconds(1) && took < .seconds(2))
    }
  }

  @Test("a device that is not there is searched for once, for the whole time", arguments: [1, 2])
  func absent(adapters: Int) async throws {
    try await Self.with(adapters: adapters) { place in
      let began = place.clock.now
      let other = BluetoothAddress(rawValue: 0xC47C_8D00_0002)
      let failure = await #expect(throws: CommandFailure.self) { try await place.link.search(for: other) }
      #expect(
        failure?.message == "\(other) was not received within 10 s" + (adapters == 2 ? " by hci0, hci1" : ""))
      let took = began.duration(to: place.clock.now)
      #expect(took >= .seconds(10) && took < .seconds(11))
      #expect(place.said.lines == ["Scanning on \(adapters == 2 ? "hci0, hci1" : "hci0") for \(other)"])
    }
  }

  @Test("a connection is attempted for 15 s")
  func connectLimit() async throws {
    try await Self.with([.init(.neverAnswers)]) { place in
      let found = Mutex<MonotonicInstant?>(nil)
      let failure = await #expect(throws: CommandFailure.self) {
        try await place.link.with(Self.device, checking: { _ in found.withLock { $0 = place.clock.now } }) {
          _, _ in
        }
      }
      #expect(failure?.message.contains("did not accept a connection") == true)
      #expect(found.withLock(\.self)?.duration(to: place.clock.now) == .seconds(15))
    }
  }

  @Test(
    "a command that is interrupted while connected, connecting or searching ends as interrupted, and leaves no link",
    arguments: [nil, .neverAnswers, .silent] as [Fault?])
  func interrupted(fault: Fault?) async throws {
    try await Self.with(fault.map { [ScheduledFault($0)] } ?? []) { place in
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          await #expect(throws: ExitStatus.interrupted) {
            try await place.link.with(Self.device) { _, _ in try await place.clock.sleep(for: .seconds(60)) }
          }
        }
        try? await place.clock.sleep(for: .seconds(8))
        #expect(await place.world.openLinkCount() == (fault == nil ? 1 : 0))
        group.cancelAll()
      }
      #expect(await place.world.openLinkCount() == 0)
      #expect(await place.world.storedPeripherals(on: Self.adapter(1)).isEmpty, "it is forgotten")
    }
  }

  @Test("a device is asked for 30 s")
  func answer() async throws {
    try await Self.with { place in
      let began = place.clock.now
      let error = await #expect(throws: CentralError.self) {
        try await place.link.ask { () async throws(CentralError) in
          do {
            try await place.clock.sleep(for: .seconds(60))
          } catch {
            throw CentralError(.cancelled)
          }
        }
      }
      #expect(error?.code == .timedOut && began.duration(to: place.clock.now) == .seconds(30))
    }
  }
}
