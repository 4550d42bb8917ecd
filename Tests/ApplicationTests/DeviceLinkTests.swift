import Host
import Bluetooth
import Model
import Synchronization
import Testing
import VirtualBuilding
import VirtualTime

@testable import Application

@Suite("a connection to one device") struct DeviceLinkTests {
  @Test(
    "with several adapters the search lasts a second longer, so that the nearest one connects",
    arguments: [1, 2])
  func settling(adapters: Int) async throws {
    // The last one is the nearest.
    let signal = SignalStrength(base: -75, perAdapter: [DevicePlace.adapter(adapters): -45])
    try await DevicePlace.use(adapters: adapters, signal: signal) { place in
      let began = place.clock.now
      let sighting = try await place.link.search(for: DevicePlace.device)
      #expect(sighting.adapter.name == "hci\(adapters - 1)")
      let took = began.duration(to: place.clock.now)
      #expect(adapters == 1 ? took < .seconds(1) : took > .seconds(1) && took < .seconds(2))
    }
  }

  @Test("a device that is not there is searched for once, for the whole time", arguments: [1, 2])
  func absent(adapters: Int) async throws {
    try await DevicePlace.use(adapters: adapters) { place in
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
    try await DevicePlace.use([.init(.neverAnswers)]) { place in
      let found = Mutex<MonotonicInstant?>(nil)
      let failure = await #expect(throws: CommandFailure.self) {
        try await place.link.with(
          DevicePlace.device, checking: { _ in found.withLock { $0 = place.clock.now } }
        ) {
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
    try await DevicePlace.use(fault.map { [ScheduledFault($0)] } ?? []) { place in
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          await #expect(throws: ExitStatus.interrupted) {
            try await place.link.with(DevicePlace.device) { _, _ in
              try await place.clock.sleep(for: .seconds(60))
            }
          }
        }
        try? await place.clock.sleep(for: .seconds(8))
        #expect(await place.world.openLinkCount() == (fault == nil ? 1 : 0))
        group.cancelAll()
      }
      #expect(await place.world.openLinkCount() == 0)
      #expect(await place.world.storedPeripherals(on: DevicePlace.adapter(1)).isEmpty, "it is forgotten")
    }
  }

  @Test("a device is asked for 30 s")
  func answer() async throws {
    try await DevicePlace.use { place in
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
