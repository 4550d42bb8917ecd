import Bluetooth
import Testing
import VirtualBuilding
import VirtualTime

@Suite("Faults of virtual sensors")
struct FaultTests {
  private static let room: (String, UInt16) = ("Lobby", 0x0102)

  /// Connects and provisions without SSID and password. Returns the statuses from `SAVE` on.
  private func converse(_ building: Building, ssid: String? = nil) async throws -> [String] {
    let session = try await TypedSession(try await building.connect())
    try await session.write(ssid, nil, Self.room.0, Self.room.1)
    return try await session.save()
  }

  @Test("a silent sensor is never received")
  func silent() async throws {
    try await Building.run([[.init(.silent)], []]) { (building) async throws in
      #expect(try await building.receive(within: .seconds(30)) == nil)
      #expect(try await building.receive(Building.sensor(2)) != nil)
    }
  }

  @Test("a sensor that never answers is received, and connecting neither succeeds nor fails")
  func neverConnects() async throws {
    try await Building.run([[.init(.neverAnswers)]]) { (building) async throws in
      #expect(try await building.receive()?.localName == "Robo Sensor")
      let link = try await building.within(.seconds(120)) {
        try await building.central.connect(to: Building.sensor(1), on: Building.adapter).address
      }
      #expect(link == nil)
      #expect(await building.world.attemptsUnderWay(on: Building.adapter.address) == 0)
    }
  }

  @Test("a fault for the first attempts does not occur later")
  func limited() async throws {
    try await Building.run([[.init(.neverAnswers, attempts: 1), .init(.drops(in: .connect), attempts: 2)]]) {
      (building) async throws in
      try await building.receive()
      let first = try await building.within(.seconds(10)) {
        try await building.central.connect(to: Building.sensor(1), on: Building.adapter).address
      }
      #expect(first == nil)
      await #expect(throws: CentralError.self) { try await building.connect() }
      _ = try await building.connect()
      #expect(await building.world.attemptCount(of: Building.sensor(1)) == 3)
      #expect(await building.world.connectionCount(of: Building.sensor(1)) == 1)
    }
  }

  @Test(
    "a link drops at the ordered stage, and no value is stored",
    arguments: [
      Fault.DropStage.connect, .discover, .subscribe, .write(1), .write(2), .save,
    ])
  func drops(_ stage: Fault.DropStage) async throws {
    try await Building.run([[.init(.drops(in: stage), attempts: 1)]]) { (building) async throws in
      let expected: CentralError.Code = stage == .connect ? .connectFailed : .disconnected
      let error = await #expect(throws: CentralError.self) { try await converse(building) }
      #expect(error?.code == expected)
      let arrived = await building.world.writes.count
      let expectedWrites: Int
      switch stage {
      case .connect, .discover, .subscribe: expectedWrites = 0
      case .write(let number), .confirm(let number): expectedWrites = number
      case .save: expectedWrites = 3
      }
      #expect(arrived == expectedWrites)
      #expect(await building.world.flash(of: Building.sensor(1)) == Flash())
      // The next attempt succeeds.
      #expect(try await converse(building) == ["saved"])
    }
  }

  @Test(
    "the ordered write is rejected with the ordered code",
    arguments: [
      (RoboSensorGATT.roomName, UInt8(0x80)), (RoboSensorGATT.minor, UInt8(0x0E)),
      (RoboSensorGATT.command, UInt8(0xFF)),
    ])
  func rejects(_ characteristic: BluetoothUUID, _ code: UInt8) async throws {
    try await Building.run([[.init(.rejectsWrite(to: characteristic, code: code))]]) {
      (building) async throws in
      let error = await #expect(throws: CentralError.self) { try await converse(building) }
      #expect(error?.code == .att(code))
      #expect(await building.world.writes.last?.characteristic == characteristic)
      #expect(await building.world.flash(of: Building.sensor(1))?.isSaved == false)
    }
  }

  @Test(
    "a status that does not say ready refuses nothing: none, or an error that ends with the first write",
    arguments: [(Fault.noReady, ""), (.staleError("wifi failed"), "error:wifi failed")])
  func notReady(_ fault: Fault, _ status: String) async throws {
    try await Building.run([[.init(fault)]]) { (building) async throws in
      let session = try await TypedSession(try await building.connect())
      #expect(session.statusRead == status)
      try await session.write(nil, nil, "Lobby", 1)
      #expect(try await session.save() == ["saved"])
    }
  }

  @Test("an error after the first write is notified, and SAVE is refused")
  func freshError() async throws {
    try await Building.run([[.init(.errorAfterFirstWrite("flash worn"))]]) { (building) async throws in
      let session = try await TypedSession(try await building.connect())
      try await session.write(nil, nil, "Lobby", 1)
      var statuses = session.statuses.makeAsyncIterator()
      #expect(await statuses.next().map { String(decoding: $0.value, as: UTF8.self) } == "error:flash worn")
      try await session.write(Array("SAVE".utf8), RoboSensorGATT.command)
      #expect(await statuses.next()?.value.starts(with: Array("error:".utf8)) == true)
      #expect(await building.world.flash(of: Building.sensor(1))?.isSaved == false)
    }
  }

  @Test(
    "a refused SAVE reports the reason, saves nothing and keeps the link",
    arguments: [
      (Fault.errorOnSave("no space"), "error:no space"), (.savesOnlyWithSSID, "error:no ssid"),
    ])
  func refusesSave(_ fault: Fault, _ status: String) async throws {
    try await Building.run([[.init(fault)]]) { (building) async throws in
      let session = try await TypedSession(try await building.connect())
      try await session.write(nil, nil, "Lobby", 1)
      try await session.write(Array("SAVE".utf8), RoboSensorGATT.command)
      var statuses = session.statuses.makeAsyncIterator()
      #expect(await statuses.next().map { String(decoding: $0.value, as: UTF8.self) } == status)
      #expect(await building.world.openLinkCount() == 1)
      #expect(await building.world.flash(of: Building.sensor(1))?.isSaved == false)
    }
  }

  @Test("a sensor that saves only with an SSID saves with one")
  func savesWithSSID() async throws {
    try await Building.run([[.init(.savesOnlyWithSSID)]]) { (building) async throws in
      #expect(try await converse(building, ssid: "Guests") == ["saved"])
    }
  }

  /// A sensor that returns with the address of another one.
  private static let stranger = BluetoothAddress(rawValue: 0xC47C_8D99_0001)

  @Test(
    "a sensor without saved, with a wrong minor, or with another address comes back as ordered",
    arguments: [
      (Fault.noSaved, [], Building.sensor(1), room.1),
      (.returnsWithMinor(999), ["saved"], Building.sensor(1), 999),
      (.returnsFrom(stranger), ["saved"], stranger, room.1),
      (.refusesForStranger("no", stranger), ["error:no"], stranger, room.1),
    ] as [(Fault, [String], BluetoothAddress, UInt16)])
  func comesBack(_ fault: Fault, _ statuses: [String], _ address: BluetoothAddress, _ minor: UInt16)
    async throws
  {
    try await Building.run([[.init(fault)]]) { (building) async throws in
      #expect(try await converse(building) == statuses)
      #expect(try await building.receive(address) { $0.iBeacon != nil }?.iBeacon?.minor == minor)
      guard statuses == ["error:no"] else { return }
      #expect(await building.world.flash(of: Building.sensor(1))?.isSaved == false)
    }
  }

  @Test(
    "a restart before SAVE is confirmed fails the write, and only the advertisement shows the result",
    arguments: [true, false])
  func restarts(saved: Bool) async throws {
    try await Building.run([[.init(.restartsBeforeConfirming(saved: saved))]]) { (building) async throws in
      let error = await #expect(throws: CentralError.self) { try await converse(building) }
      #expect(error?.code == .disconnected)
      let advertisement = try await building.receive()
      #expect(advertisement?.iBeacon?.minor == (saved ? Self.room.1 : nil))
      #expect(advertisement?.localName == (saved ? nil : "Robo Sensor"))
    }
  }

  @Test("a sensor that never returns reports saved and is not received again")
  func neverReturns() async throws {
    try await Building.run([[.init(.neverReturns)]]) { (building) async throws in
      #expect(try await converse(building) == ["saved"])
      #expect(try await building.receive(within: .seconds(60)) == nil)
    }
  }

  @Test("a slow sensor takes 1 s longer for a response and 10 s longer for its services")
  func slow() async throws {
    try await Building.run([[.init(.slow)]]) { (building) async throws in
      let peripheral = try await building.connect()
      let connected = building.clock.now
      let service = try await peripheral.roboSensor()
      #expect(connected.duration(to: building.clock.now) > .seconds(10.5))
      let before = building.clock.now
      try await peripheral.write([0, 1], to: try service.require(RoboSensorGATT.minor), .withResponse)
      #expect((Duration.seconds(1)...(.seconds(1.6))).contains(before.duration(to: building.clock.now)))
    }
  }

  @Test("a sensor that refuses subscriptions can be provisioned by reading its status")
  func refusesSubscription() async throws {
    try await Building.run([[.init(.refusesSubscription)]]) { (building) async throws in
      let peripheral = try await building.connect()
      let service = try await peripheral.roboSensor()
      let status = try service.require(RoboSensorGATT.status)
      let error = await #expect(throws: CentralError.self) {
        _ = try await peripheral.notifications(of: status)
      }
      #expect(error?.code == .notPermitted)
      #expect(try await peripheral.read(status) == Array("ready".utf8))
    }
  }

  @Test("a sensor with older firmware has everything but the WiFi scan")
  func withoutWiFiScan() async throws {
    try await Building.run([[.init(.withoutWiFiScan)]]) { (building) async throws in
      let service = try await building.connect().roboSensor()
      #expect(service[RoboSensorGATT.wifiScan] == nil)
      #expect(service.characteristics.count == 6)
    }
  }
}
