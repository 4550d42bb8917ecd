import Bluetooth
import Foundation
import Host
import Journal
import Model
import Synchronization
import Testing
import VirtualBuilding
import VirtualTime

@testable import Application

@Suite("adapters in use outside of a run") struct AdapterUseTests {
  /// Unplugs one adapter after the other, each after a second.
  private static func lose(_ numbers: [Int], at place: DevicePlace) async throws {
    for number in numbers {
      try await place.clock.sleep(for: .seconds(1))
      await place.world.setPresent(false, DevicePlace.adapter(number))
    }
  }

  @Test(
    "each adapter scans to the end of each scan window; one that is lost is reported, and does not return")
  func lost() async throws {
    try await DevicePlace.use(adapters: 2) { place in
      @Sendable func disturb() async throws {
        try await place.clock.sleep(for: .seconds(6))
        try await Self.lose([2], at: place)
        try await place.clock.sleep(for: .seconds(1))
        await place.world.setPresent(true, DevicePlace.adapter(2))
      }
      async let disturbed: Void = disturb()
      let scans = try await place.link.stack.scan(
        place.link.adapters, for: .seconds(5), into: [AirLog(), AirLog(), AirLog()])
      try await disturbed
      #expect(scans.map(\.isComplete) == [true, false])
      #expect(scans[0].seconds == 15)
      #expect(scans[1].seconds > 6 && scans[1].seconds < 7)
      #expect(
        place.said.lines == [
          "Scanning on hci0, hci1: 3 × 5 s",
          "roboprov: warning: the scan on hci1 ended: there is no Bluetooth adapter. The others continue.",
        ])
    }
  }

  @Test("a long scan is made of windows that end before the kernel ends them")
  func long() async throws {
    try await DevicePlace.use { place in
      let received = Mutex<[MonotonicInstant]>([])
      try await AdapterUse.with(place.link.stack, place.link.adapters) { use in
        let scans = try await use.scan(on: use.adapters(), for: .seconds(20)) { _, advertisement in
          received.withLock { $0.append(advertisement.receivedAt) }
        }
        #expect(scans.map(\.seconds) == [20])
      }
      // The chip reports a device once in each scan.
      let instants = received.withLock(\.self)
      let gaps = zip(instants, instants.dropFirst()).map { $0.duration(to: $1) }
      #expect(gaps.count == 2 && gaps.allSatisfy { $0 > .seconds(7) && $0 < .seconds(9) }, "\(gaps)")
    }
  }

  @Test("a scan fails when its last adapter is lost")
  func lastLost() async throws {
    try await DevicePlace.use(adapters: 2) { place in
      async let disturbed: Void = Self.lose([2, 1], at: place)
      let failure = await #expect(throws: CommandFailure.self) {
        try await place.link.stack.scan(place.link.adapters, for: .seconds(5), into: [AirLog(), AirLog()])
      }
      try await disturbed
      #expect(failure?.status == .unavailable && failure?.message == "there is no Bluetooth adapter")
      #expect(
        place.said.lines == [
          "Scanning on hci0, hci1: 2 × 5 s",
          "roboprov: warning: the scan on hci1 ended: there is no Bluetooth adapter. The others continue.",
        ])
    }
  }

  @Test("a named adapter that is not ready is reported, unless the command looks for further ones")
  func notReady() async throws {
    try await DevicePlace.use(adapters: 2) { place in
      let choice = AdapterChoice(names: ["hci0", "hci1"], wait: .seconds(30))
      let second = DevicePlace.adapter(2)
      await place.world.setPowered(false, second)
      try await AdapterUse.with(place.link.stack, choice) { use in
        let ready = try await use.adapters().names
        #expect(ready == "hci0")
        let lines = ["roboprov: warning: hci1 is not ready; this command continues without it"]
        #expect(place.said.lines == lines)
        await place.world.setPowered(true, second)
        let first = AdapterID(DevicePlace.adapter(1))
        let others = try await use.adapters(besides: [first]).names
        #expect(others == "hci1")
        let failure = await #expect(throws: CommandFailure.self) {
          try await use.adapters(besides: [first, AdapterID(second)], within: .seconds(1))
        }
        #expect(failure?.message == "there is no Bluetooth adapter hci0")
        #expect(place.said.lines == lines)
      }
    }
  }

  @Test("an adapter of another run is not used, and a command fails only if there is no other one")
  func claimed() async throws {
    let bus = "unix:path=/\(UUID().uuidString)"
    let locks = try (1...2).map { number in
      let address = DevicePlace.adapter(number).description.replacing(":", with: "")
      return try RunLock.take(
        adapter: address + "-" + HostEnvironment.sha256(Array(bus.utf8)).prefix(8),
        in: AdapterClaims.directories,
        for: LockHolder(process: 1, run: "other", since: Date(timeIntervalSince1970: 0)))
    }
    defer { for lock in locks { try? FileManager.default.removeItem(atPath: lock.path) } }
    try await DevicePlace.use(adapters: 2, bus: bus) { place in
      func names() async throws -> String {
        try await AdapterUse.with(place.link.stack, place.link.adapters) { try await $0.adapters().names }
      }
      let use = "is in use: process 1, run other, since 1970-01-01T00:00:00.000Z"
      let failure = await #expect(throws: CommandFailure.self) { try await names() }
      #expect(failure?.message == "hci0 \(use)" && place.said.lines.isEmpty)
      locks[0].release()
      let left = try await names()
      #expect(left == "hci0")
      #expect(
        place.said.lines == ["roboprov: warning: hci1 \(use); this command continues without it"])
    }
  }
}
