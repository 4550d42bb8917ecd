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
  private static let surroundings = Surroundings(
    variables: [:], bus: .address("unix:path=/none"), wall: { Date(timeIntervalSince1970: 0) },
    write: { _, _ in })

  private struct Place: Sendable {
    let link: DeviceLink
    let clock: VirtualClock
    let world: World
  }

  /// Runs a body with a device and adapters.
  private static func with(
    adapters count: Int = 1, _ faults: [ScheduledFault] = [],
    _ body: @escaping @Sendable (Place) async throws -> Void
  ) async throws {
    let adapters = (1...count).map {
      AdapterScenario(
        address: BluetoothAddress(rawValue: 0x001A_7DDA_7100 + UInt64($0)), name: "hci\($0 - 1)")
    }
    let scenario = Scenario(
      seed: 5, adapters: adapters, sensors: [SensorScenario(address: device, faults: faults)])
    try await Surroundings.$current.withValue(surroundings) {
      try await VirtualTime.run { clock in
        let world = World(scenario: scenario, clock: clock)
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { await world.run() }
          let stack = BluetoothStack(
            await VirtualCentral(world: world, clock: clock),
            Surroundings.Time(clock: clock, wall: { Date(timeIntervalSince1970: 0) }, chance: { 0 }),
            isSimulated: true)
          let link = DeviceLink(
            stack: stack, adapters: AdapterChoice(names: [], wait: .seconds(30)), scanTime: 10)
          defer { group.cancelAll() }
          try await body(Place(link: link, clock: clock, world: world))
        }
      }
    }
  }

  @Test(
    "with several adapters the search lasts a second longer, so that the nearest one connects",
    arguments: [1, 2])
  func settling(adapters: Int) async throws {
    try await Self.with(adapters: adapters) { place in
      let began = place.clock.now
      _ = try await place.link.search(for: Self.device)
      let took = began.duration(to: place.clock.now)
      #expect(adapters == 1 ? took < .seconds(1) : took > .seconds(1) && took < .seconds(2))
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
    "a command that is interrupted ends as interrupted, not as failed, and leaves no link",
    arguments: [true, false])
  func interrupted(isConnected: Bool) async throws {
    try await Self.with(isConnected ? [] : [.init(.neverAnswers)]) { place in
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          await #expect(throws: ExitStatus.interrupted) {
            try await place.link.with(Self.device) { _, _ in try await place.clock.sleep(for: .seconds(60)) }
          }
        }
        try? await place.clock.sleep(for: .seconds(8))
        #expect(await place.world.openLinkCount() == (isConnected ? 1 : 0))
        group.cancelAll()
      }
      #expect(await place.world.openLinkCount() == 0)
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
