import Bluetooth
import DBus
import Testing
import VirtualBuilding
import VirtualTime

@Suite("A sensor with an advertising interval of its own")
struct RareAdvertiserTests {
  private static func lighthouse(
    every interval: Duration, isAnswering: Bool = true
  ) -> @Sendable (inout Scenario) -> Void {
    { $0.sensors[0].family = Lighthouse.family(every: interval, isAnswering: isAnswering) }
  }

  @Test("is heard at once when it is switched on, and then at its interval", arguments: [3, 20])
  func interval(_ seconds: Int) async throws {
    try await Building.run(change: Self.lighthouse(every: .seconds(seconds))) { (building) async throws in
      let heard = try await building.central.listen(on: Building.adapter) {
        (news) async throws(CentralError) in
        var heard: [MonotonicInstant] = []
        for try await one in news {
          heard.append(one.receivedAt)
          if heard.count == 4 { break }
        }
        return heard
      }
      // Discovery runs 40 ms after it was asked for: the very first advertisement, nobody has heard.
      for (number, instant) in heard.enumerated() {
        let grid = Duration.seconds(seconds) * (number + 1)
        #expect((grid...(grid + .milliseconds(11))).contains(instant.sinceZero))
      }
    }
  }

  @Test("keeps to its interval whether anybody listens or not")
  func windows() async throws {
    try await Building.run(change: Self.lighthouse(every: .seconds(10))) { (building) async throws in
      #expect(try await building.hear(within: .seconds(9)) == nil)
      try await building.clock.sleep(for: .seconds(4))
      let heard = try #require(try await building.hear(within: .seconds(9)))
      #expect((Duration.seconds(20)...(.seconds(20.1))).contains(heard.receivedAt.sinceZero))
    }
  }

  @Test("is connected to at its next advertisement", arguments: [1, 3, 10, 19])
  func connecting(_ seconds: Int) async throws {
    try await Building.run(change: Self.lighthouse(every: .seconds(seconds))) { (building) async throws in
      let heard = try #require(try await building.hear())
      _ = try await building.central.connect(to: Building.sensor(1), on: Building.adapter)
      let took = heard.receivedAt.duration(to: building.clock.now)
      #expect((Duration.seconds(seconds)...(.seconds(seconds) + .milliseconds(500))).contains(took))
    }
  }

  @Test("is given up by the kernel after 20 s when there is none in that time")
  func patience() async throws {
    try await Building.run(change: Self.lighthouse(every: .seconds(30))) { (building) async throws in
      try await building.hear(within: .seconds(60))
      let before = building.clock.now
      let error = await #expect(throws: CentralError.self) {
        _ = try await building.central.connect(to: Building.sensor(1), on: Building.adapter)
      }
      #expect(error?.code == .connectFailed)
      #expect(before.duration(to: building.clock.now) == .seconds(20))
      // 20 s of the 30 are over: the next attempt succeeds.
      _ = try await building.central.connect(to: Building.sensor(1), on: Building.adapter)
      #expect(before.duration(to: building.clock.now) < .seconds(30.6))
    }
  }

  @Test("keeps no other attempt from its turn")
  func queue() async throws {
    try await Building.run([[], []], change: Self.lighthouse(every: .seconds(30))) {
      (building) async throws in
      try await building.hear()
      try await building.hear(Building.sensor(2))
      let took = try await withThrowingTaskGroup(of: Duration?.self) { group in
        group.addTask {
          _ = try? await building.central.connect(to: Building.sensor(1), on: Building.adapter)
          return nil
        }
        group.addTask {
          try await building.clock.sleep(for: .milliseconds(1))
          let before = building.clock.now
          _ = try await building.central.connect(to: Building.sensor(2), on: Building.adapter)
          return before.duration(to: building.clock.now)
        }
        return try await group.next() ?? nil
      }
      #expect(try #require(took) < .seconds(4.6))
    }
  }

  @Test(
    "advertises again as soon as its link has ended, whoever ended it", arguments: ["host", "device", "air"])
  func linkEnds(_ by: String) async throws {
    try await Building.run(change: Self.lighthouse(every: .seconds(15))) { (building) async throws in
      let peripheral = try await building.connect()
      let service = try await peripheral.discover(Lighthouse.service, requiring: [Lighthouse.lamp])
      let lamp = try service.require(Lighthouse.lamp)
      try await building.central.listen(on: Building.secondAdapter) { (news) async throws(CentralError) in
        switch by {
        case "host": await peripheral.disconnect()
        case "device": try await peripheral.write([1], to: lamp, .withoutResponse)
        default: await building.world.dropLink(to: Building.sensor(1))
        }
        let ended = await peripheral.disconnection()?.at
        for try await one in news {
          guard let ended, one.receivedAt < ended.advanced(by: .seconds(1)) else {
            throw CentralError(.other, stackText: "heard only after \(one.receivedAt)")
          }
          break
        }
      }
    }
  }

  @Test("takes writes without response, and its own disconnect is told")
  func withoutResponse() async throws {
    try await Building.run(change: Self.lighthouse(every: .seconds(3))) { (building) async throws in
      let peripheral = try await building.connect()
      let service = try await peripheral.discover(Lighthouse.service, requiring: [Lighthouse.lamp])
      let lamp = try service.require(Lighthouse.lamp)
      try await peripheral.write([1, 2, 3], to: lamp, .withoutResponse)
      #expect(await building.world.writeCount(of: Building.sensor(1)) == 0, "it is on its way")
      #expect(await peripheral.disconnection()?.cause == .remote)
      #expect(await building.world.flash(of: Building.sensor(1))?.values["lamp"] == [1, 2, 3])
      #expect(await building.world.writeCount(of: Building.sensor(1), to: Lighthouse.lamp) == 1)
      #expect(await building.world.writeCount(of: Building.sensor(1), to: Lighthouse.service) == 0)
      #expect(await building.world.writes.first?.kind == .withoutResponse)
    }
  }

  @Test("that hangs holds its link until the host has waited half a minute for an answer")
  func hangs() async throws {
    let change = Self.lighthouse(every: .seconds(3), isAnswering: false)
    try await Building.run(change: change) { (building) async throws in
      let peripheral = try await building.connect()
      let before = building.clock.now
      let error = await #expect(throws: CentralError.self) {
        _ = try await peripheral.discover(Lighthouse.service, requiring: [Lighthouse.lamp])
      }
      #expect(error?.code == .disconnected)
      #expect(before.duration(to: building.clock.now) == .seconds(30))
    }
  }
}

extension OrgBluezTests {
  private static func lighthouse(every interval: Duration) -> Scenario {
    building { $0.sensors = [SensorScenario(address: healthy, family: Lighthouse.family(every: interval))] }
  }

  @Test("a sensor that advertises rarely is connected to when it does, and written without response")
  func rareAdvertiser() async throws {
    try await serve(Self.lighthouse(every: .seconds(8)), speed: 4) { client, building in
      try await Self.hear(Self.device, client)
      let before = building.clock.now
      try await client.call(Self.device, Self.device1, "Connect")
      #expect((Duration.seconds(7)...(.seconds(20))).contains(before.duration(to: building.clock.now)))
      await client.wait { $0.value(of: "ServicesResolved", at: Self.device) == .bool(true) }
      let lamp = try #require(
        try await client.objects().first { $0.hasSuffix("/char0011") }.flatMap { ObjectPath($0) })
      try await client.call(
        lamp, Self.characteristic1, "WriteValue", .bytes([7]), .vardict([("type", .string("command"))]))
      await client.wait { $0.value(of: "Connected", at: Self.device) == .bool(false) }
      #expect(await building.world.flash(of: Self.healthy)?.values["lamp"] == [7])
    }
  }

  @Test("one that advertises less often than every 20 s is given up")
  func tooRareAdvertiser() async throws {
    try await serve(Self.lighthouse(every: .seconds(60)), speed: 20) { client, building in
      try await Self.hear(Self.device, client)
      let before = building.clock.now
      #expect(
        await client.failure(Self.device, Self.device1, "Connect")
          == "org.bluez.Error.Failed: le-connection-abort-by-local")
      #expect((Duration.seconds(19)...(.seconds(30))).contains(before.duration(to: building.clock.now)))
      #expect(!client.signals.contains { $0.value(of: "Connected", at: Self.device) == .bool(true) })
    }
  }
}
