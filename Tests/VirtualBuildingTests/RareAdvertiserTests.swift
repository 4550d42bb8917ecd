import Bluetooth
import DBus
import Testing
import VirtualBuilding
import VirtualTime
import VirtualCentral

@Suite("A sensor with its own advertising interval")
struct RareAdvertiserTests {
  private static func lighthouse(
    every interval: Duration, isAnswering: Bool = true
  ) -> @Sendable (inout Scenario) -> Void {
    { $0.sensors[0].family = Lighthouse.family(every: interval, isAnswering: isAnswering) }
  }

  @Test("a sensor is received at once when it is switched on, and then at its interval", arguments: [3, 20])
  func interval(_ seconds: Int) async throws {
    var radio = RadioParameters()
    radio.duplicates = .every(.zero)
    try await Building.run(radio: radio, change: Self.lighthouse(every: .seconds(seconds))) {
      (building) async throws in
      let received = try await building.central.scan(on: Building.adapter) {
        (advertisement) async throws(CentralError) in
        var received: [MonotonicInstant] = []
        for try await one in advertisement {
          received.append(one.receivedAt)
          if received.count == 4 { break }
        }
        return received
      }
      // Discovery runs 40 ms after the request, so the first advertisement is not received.
      for (number, instant) in received.enumerated() {
        let grid = Duration.seconds(seconds) * (number + 1)
        #expect((grid...(grid + .milliseconds(11))).contains(instant.sinceZero))
      }
    }
  }

  @Test("a sensor keeps its interval whether or not an adapter scans")
  func windows() async throws {
    try await Building.run(change: Self.lighthouse(every: .seconds(10))) { (building) async throws in
      #expect(try await building.receive(within: .seconds(9)) == nil)
      try await building.clock.sleep(for: .seconds(4))
      let received = try #require(try await building.receive(within: .seconds(9)))
      #expect((Duration.seconds(20)...(.seconds(20.1))).contains(received.receivedAt.sinceZero))
    }
  }

  @Test(
    "a sensor is connected to after two further advertisements",
    arguments: [500, 1000, 2000, 3000, 3800] as [Int])
  func connecting(_ milliseconds: Int) async throws {
    let interval = Duration.milliseconds(milliseconds)
    try await Building.run(change: Self.lighthouse(every: interval)) { (building) async throws in
      let received = try #require(try await building.receive())
      _ = try await building.central.connect(to: Building.sensor(1), on: Building.adapter)
      let took = received.receivedAt.duration(to: building.clock.now)
      // As measured: docs/internals/bluez.md.
      #expect((interval * 2...(interval * 2 + .milliseconds(110))).contains(took))
    }
  }

  @Test(
    "a sensor cannot be connected to if its second advertisement comes more than 4 s after the first",
    arguments: [5, 10, 30])
  func tooRare(_ seconds: Int) async throws {
    try await Building.run(change: Self.lighthouse(every: .seconds(seconds))) { (building) async throws in
      let received = try #require(try await building.receive())
      let error = await #expect(throws: CentralError.self) {
        _ = try await building.central.connect(to: Building.sensor(1), on: Building.adapter)
      }
      #expect(error?.code == .connectFailed)
      let took = received.receivedAt.duration(to: building.clock.now)
      let given = Duration.seconds(seconds) + .seconds(4)
      #expect((given - .milliseconds(20)...(given + .milliseconds(100))).contains(took))
      // The stack has forgotten it as well.
      let again = await #expect(throws: CentralError.self) {
        _ = try await building.central.connect(to: Building.sensor(1), on: Building.adapter)
      }
      #expect(again?.code == .peripheralUnknown)
      #expect(await building.world.attemptCount(of: Building.sensor(1)) == 1)
      #expect(await building.world.attemptsUnderWay(on: Building.adapter.address) == 0)
    }
  }

  @Test("a cancelled attempt does not wait for an advertisement any more")
  func cancelled() async throws {
    try await Building.run(change: Self.lighthouse(every: .seconds(3))) { (building) async throws in
      try await building.receive()
      let link = try await building.within(.seconds(1)) {
        try await building.central.connect(to: Building.sensor(1), on: Building.adapter).address
      }
      #expect(link == nil)
      #expect(await building.world.attemptsUnderWay(on: Building.adapter.address) == 0)
      try await building.clock.sleep(for: .seconds(20))
      #expect(await building.world.connectionCount(of: Building.sensor(1)) == 0)
      _ = try await building.connect()
    }
  }

  @Test("a waiting attempt does not delay other attempts")
  func queue() async throws {
    try await Building.run([[], []], change: Self.lighthouse(every: .seconds(30))) {
      (building) async throws in
      try await building.receive()
      try await building.receive(Building.sensor(2))
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
      #expect(try #require(took) < .seconds(0.5))
    }
  }

  @Test(
    "a sensor advertises again as soon as its link has ended, whichever side ended it",
    arguments: ["host", "device", "air"])
  func linkEnds(_ by: String) async throws {
    try await Building.run(change: Self.lighthouse(every: .milliseconds(3900))) { (building) async throws in
      let peripheral = try await building.connect()
      let service = try await peripheral.discover(Lighthouse.service, requiring: [Lighthouse.lamp])
      let lamp = try service.require(Lighthouse.lamp)
      try await building.central.scan(on: Building.secondAdapter) {
        (advertisement) async throws(CentralError) in
        switch by {
        case "host": await peripheral.disconnect()
        case "device": try await peripheral.write([1], to: lamp, .withoutResponse)
        default: await building.world.dropLink(to: Building.sensor(1))
        }
        let ended = await peripheral.disconnection()?.at
        for try await one in advertisement {
          guard let ended, one.receivedAt < ended.advanced(by: .seconds(1)) else {
            throw CentralError(.other, stackText: "received only at \(one.receivedAt)")
          }
          break
        }
      }
    }
  }

  @Test("a sensor accepts writes without response, and its disconnect is signalled")
  func withoutResponse() async throws {
    try await Building.run(change: Self.lighthouse(every: .seconds(3))) { (building) async throws in
      let peripheral = try await building.connect()
      let service = try await peripheral.discover(Lighthouse.service, requiring: [Lighthouse.lamp])
      let lamp = try service.require(Lighthouse.lamp)
      try await peripheral.write([1, 2, 3], to: lamp, .withoutResponse)
      #expect(await building.world.writeCount(of: Building.sensor(1)) == 0, "the write arrived at once")
      #expect(await peripheral.disconnection()?.cause == .remote)
      #expect(await building.world.flash(of: Building.sensor(1))?.values["lamp"] == [1, 2, 3])
      #expect(await building.world.writeCount(of: Building.sensor(1), to: Lighthouse.lamp) == 1)
      #expect(await building.world.writeCount(of: Building.sensor(1), to: Lighthouse.service) == 0)
      #expect(await building.world.writes.first?.kind == .withoutResponse)
    }
  }

  @Test(
    "a sensor that hangs keeps its link until the request times out after 30 s, and has no services"
  )
  func hangs() async throws {
    let change = Self.lighthouse(every: .seconds(3), isAnswering: false)
    try await Building.run(change: change) { (building) async throws in
      let peripheral = try await building.connect()
      let before = building.clock.now
      let error = await #expect(throws: CentralError.self) {
        _ = try await peripheral.discover(Lighthouse.service, requiring: [Lighthouse.lamp])
      }
      #expect(error?.code == .attributeMissing(Lighthouse.service))
      let took = before.duration(to: building.clock.now)
      #expect((Duration.seconds(30)...(.seconds(30.5))).contains(took))
      #expect(await peripheral.disconnection()?.cause == .remote)
      #expect(before.duration(to: building.clock.now) < .seconds(32.5))
    }
  }

  @Test("a sensor whose service the stack keeps for itself can be connected to but not used")
  func stackService() async throws {
    try await Building.run(change: {
      Self.lighthouse(every: .seconds(3))(&$0)
      $0.radio.servicesOfTheStack = [Lighthouse.service]
    }) { (building) async throws in
      let peripheral = try await building.connect()
      let error = await #expect(throws: CentralError.self) {
        _ = try await peripheral.discover(Lighthouse.service, requiring: [Lighthouse.lamp])
      }
      #expect(error?.code == .attributeMissing(Lighthouse.service))
    }
  }
}

extension OrgBluezTests {
  private static func lighthouse(
    every interval: Duration, isAnswering: Bool = true, _ change: (inout Scenario) -> Void = { _ in }
  ) -> Scenario {
    building {
      $0.sensors = [
        SensorScenario(address: healthy, family: Lighthouse.family(every: interval, isAnswering: isAnswering))
      ]
      change(&$0)
    }
  }

  @Test(
    "a sensor that advertises rarely is connected to after two advertisements, and written without response")
  func rareAdvertiser() async throws {
    try await serve(Self.lighthouse(every: .seconds(3))) { client, building in
      try await Self.receive(Self.device, client)
      let before = building.clock.now
      try await client.call(Self.device, Self.device1, "Connect")
      #expect(before.duration(to: building.clock.now) > .seconds(3))
      await client.wait { $0.value(of: "ServicesResolved", at: Self.device) == .bool(true) }
      let lamp = try #require(
        try await client.objects().first { $0.hasSuffix("/char0011") }.flatMap { ObjectPath($0) })
      try await client.call(
        lamp, Self.characteristic1, "WriteValue", .bytes([7]), .vardict([("type", .string("command"))]))
      let answered = client.mark
      await client.wait(from: answered) { $0.value(of: "Connected", at: Self.device) == .bool(false) }
      #expect(await building.world.flash(of: Self.healthy)?.values["lamp"] == [7])
    }
  }

  @Test("a sensor that advertises less often than every 4 s is removed, and Connect gets no reply")
  func tooRareAdvertiser() async throws {
    try await serve(Self.lighthouse(every: .seconds(5))) { client, building in
      try await Self.receive(Self.device, client)
      let mark = client.mark
      try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask {
          _ = await client.failure(Self.device, Self.device1, "Connect")
          return false
        }
        group.addTask {
          await client.wait(from: mark) { $0.removes(Self.device) }
          try await building.clock.sleep(for: .seconds(30))
          return true
        }
        let isSilent = try await group.next()
        #expect(isSilent == true, "Connect got a reply")
        group.cancelAll()
      }
      #expect(!client.signals.contains { $0.value(of: "Connected", at: Self.device) == .bool(true) })
      #expect(
        await client.failure(Self.device, Self.device1, "Disconnect")?
          .hasPrefix("org.freedesktop.DBus.Error.UnknownObject: ") == true)
    }
  }

  @Test("a sensor that never responds has no services after 30 s, and no link soon after")
  func mute() async throws {
    try await serve(Self.lighthouse(every: .seconds(1), isAnswering: false)) { client, building in
      try await Self.receive(Self.device, client)
      try await client.call(Self.device, Self.device1, "Connect")
      let resolved = try #require(
        await client.wait { $0.value(of: "ServicesResolved", at: Self.device) == .bool(true) })
      #expect(try await client.objects() == ["/org/bluez", Self.hci0.text, Self.device.text])
      await client.wait(from: resolved) { $0.value(of: "Connected", at: Self.device) == .bool(false) }
    }
  }

  @Test("a service that the stack keeps for itself is listed in UUIDs and has no object")
  func stackService() async throws {
    let scenario = Self.lighthouse(every: .seconds(1)) { $0.radio.servicesOfTheStack = [Lighthouse.service] }
    try await serve(scenario) { client, building in
      try await Self.receive(Self.device, client)
      try await client.call(Self.device, Self.device1, "Connect")
      await client.wait { $0.value(of: "ServicesResolved", at: Self.device) == .bool(true) }
      #expect(try await client.objects() == ["/org/bluez", Self.hci0.text, Self.device.text])
      let uuids = await client.property(Self.device, Self.device1, "UUIDs")?.asStrings
      #expect(uuids?.contains(Lighthouse.service.description.lowercased()) == true)
    }
  }
}
