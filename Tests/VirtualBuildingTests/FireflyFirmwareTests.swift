import Bluetooth
import Testing
import VirtualBuilding
import VirtualTime

@Suite("The Firefly's firmware")
struct FireflyFirmwareTests {
  private static let message: [UInt8] = [100, 7, 13, 180]
  private static let taken = Flash(
    values: ["value": [100], "control": [7], "elapsed": [13], "range": [180]], isSaved: true)

  /// Runs `body` in a building with one Firefly.
  private static func run<Value: Sendable>(
    _ faults: [ScheduledFault] = [], _ body: @escaping @Sendable (Building) async throws -> Value
  ) async throws -> Value {
    try await Building.run([faults], change: { $0.sensors[0].family = .firefly }, body)
  }

  /// Connects and finds the characteristic.
  private static func converse(
    _ building: Building
  ) async throws -> (peripheral: any Peripheral, message: RemoteCharacteristic) {
    let peripheral = try await building.connect()
    let service = try await peripheral.discover(FireflyGATT.service, requiring: [FireflyGATT.message])
    return (peripheral, try service.require(FireflyGATT.message))
  }

  @Test("a Firefly advertises briefly every few seconds, with the keyboards' service and its own name")
  func advertising() async throws {
    try await Self.run { (building) async throws in
      let first = try #require(try await building.receive())
      #expect(first.localName == "Firefl")
      #expect(first.serviceUUIDs == [MIDIKeyboardGATT.service])
      #expect(first.localName != MIDIKeyboardGATT.localName)
      var last = first
      var longest = Duration.zero
      for _ in 0..<10 {
        let next = try #require(try await building.receive())
        longest = max(longest, last.receivedAt.duration(to: next.receivedAt))
        last = next
      }
      #expect((FireflyGATT.asleepFor...FireflyGATT.asleepFor + .seconds(1)).contains(longest))
    }
  }

  /// From campaign seed 232321743371207247: runs at a multiple of its cycle connected to it in no turn.
  @Test("an attempt at a Firefly that sleeps ends with a link as soon as it wakes up")
  func wakesUp() async throws {
    try await Self.run { (building) async throws in
      try await building.receive()
      let wakesUp = MonotonicInstant(sinceZero: FireflyGATT.awakeFor + FireflyGATT.asleepFor)
      try await building.clock.sleep(for: FireflyGATT.awakeFor + .milliseconds(200))
      let link = try await building.central.connect(to: Building.sensor(1), on: Building.adapter)
      let took = wakesUp.duration(to: building.clock.now)
      #expect((Duration.zero...(.milliseconds(500))).contains(took))
      // The turn that it was asleep in has no further effect.
      try await building.clock.sleep(for: .seconds(5))
      #expect(await building.world.openLinkCount() == 1)
      await link.disconnect()
    }
  }

  @Test("a Firefly accepts four bytes without response, and disconnects within two connection intervals")
  func write() async throws {
    try await Self.run { (building) async throws in
      let (peripheral, message) = try await Self.converse(building)
      try await peripheral.write(Self.message, to: message, .withoutResponse)
      let end = try #require(await peripheral.disconnection())
      #expect(end.cause == .remote)
      #expect(await building.world.flash(of: Building.sensor(1)) == Self.taken)
      let record = try #require(await building.world.writes.first)
      #expect(record.value == Self.message)
      // The disconnect takes up to two intervals, and its detection by the host another one.
      #expect((Duration.milliseconds(60)...(.milliseconds(150))).contains(record.at.duration(to: end.at)))
    }
  }

  @Test("a Firefly can be provisioned again as soon as it advertises again")
  func again() async throws {
    try await Self.run { (building) async throws in
      for value in [1, 2] as [UInt8] {
        let (peripheral, message) = try await Self.converse(building)
        try await peripheral.write([value, 0, 0, 0], to: message, .withoutResponse)
        _ = await peripheral.disconnection()
        #expect(await building.world.flash(of: Building.sensor(1))?.values["value"] == [value])
      }
    }
  }

  @Test("a Firefly ignores a message of another length and stays connected", arguments: [0, 1, 3, 5, 20])
  func length(_ count: Int) async throws {
    try await Self.run { (building) async throws in
      let (peripheral, message) = try await Self.converse(building)
      try await peripheral.write(Array(repeating: 1, count: count), to: message, .withoutResponse)
      try await building.clock.sleep(for: .seconds(20))
      #expect(await building.world.openLinkCount() == 1)
      #expect(await building.world.flash(of: Building.sensor(1)) == Flash())
      try await peripheral.write(Self.message, to: message, .withoutResponse)
      #expect(await peripheral.disconnection()?.cause == .remote)
      #expect(await building.world.flash(of: Building.sensor(1)) == Self.taken)
    }
  }

  @Test("a Firefly refuses reads and writes with response")
  func properties() async throws {
    try await Self.run { (building) async throws in
      let (peripheral, message) = try await Self.converse(building)
      let written = await #expect(throws: CentralError.self) {
        try await peripheral.write(Self.message, to: message, .withResponse)
      }
      let read = await #expect(throws: CentralError.self) { _ = try await peripheral.read(message) }
      #expect(written?.code == .notPermitted)
      #expect(read?.code == .notPermitted)
      #expect(await building.world.flash(of: Building.sensor(1)) == Flash())
    }
  }

  @Test("a Firefly accepts one message per connection, and records its time")
  func once() {
    var firefly = FireflyFirmware()
    var generator = SeededGenerator(seed: 1)
    let events: [FirmwareEvent] = [
      .started, .connected(faults: []), .write(nil, FireflyGATT.message, Self.message),
      .write(nil, FireflyGATT.message, [0, 0, 0, 0]), .disconnected,
    ]
    for (number, event) in events.enumerated() {
      _ = firefly.handle(event, at: .init(sinceZero: .seconds(number)), generator: &generator)
    }
    #expect(firefly.flash == Self.taken)
    #expect(firefly.takenAt == MonotonicInstant(sinceZero: .seconds(2)))
  }

  // MARK: Faults

  @Test("a Firefly with stays_connected accepts the message and keeps the link")
  func staysConnected() async throws {
    try await Self.run([.init(.own(.staysConnected))]) { (building) async throws in
      let (peripheral, message) = try await Self.converse(building)
      try await peripheral.write(Self.message, to: message, .withoutResponse)
      try await building.clock.sleep(for: .seconds(60))
      #expect(await building.world.openLinkCount() == 1)
      #expect(await building.world.flash(of: Building.sensor(1)) == Self.taken)
      await peripheral.disconnect()
      #expect(await building.world.openLinkCount() == 0)
    }
  }

  @Test("a Firefly with dies_when_connected keeps the link without responding while the host waits")
  func hangs() async throws {
    try await Self.run([.init(.own(.diesWhenConnected), attempts: 1)]) { (building) async throws in
      let peripheral = try await building.connect()
      let found = try await building.within(.seconds(10)) {
        try await peripheral.discover(FireflyGATT.service, requiring: [FireflyGATT.message])
      }
      #expect(found == nil)
      #expect(await building.world.openLinkCount() == 1)
      await peripheral.disconnect()
      // The next attempt succeeds.
      let (second, message) = try await Self.converse(building)
      try await second.write(Self.message, to: message, .withoutResponse)
      _ = await second.disconnection()
      #expect(await building.world.flash(of: Building.sensor(1)) == Self.taken)
    }
  }

  @Test(
    "a link that ends at the message looks the same whether the message was accepted or not",
    arguments: [
      (Fault.own(.dropsBeforeWrite), false), (.drops(in: .write(1)), false), (.drops(in: .confirm(1)), true),
    ])
  func drops(_ fault: Fault, _ isTaken: Bool) async throws {
    try await Self.run([.init(fault)]) { (building) async throws in
      let (peripheral, message) = try await Self.converse(building)
      try await peripheral.write(Self.message, to: message, .withoutResponse)
      #expect(await peripheral.disconnection()?.cause == .remote)
      #expect(await building.world.flash(of: Building.sensor(1)) == (isTaken ? Self.taken : Flash()))
    }
  }
}
