import Bluetooth
import Testing
import VirtualBuilding
import VirtualTime

@Suite("Faults to order")
struct FaultTests {
  private static let room: (String, UInt16) = ("Lobby", 0x0102)

  /// Connects and has the whole conversation without SSID and password, returning what was said from `SAVE` on.
  private func converse(_ building: Building, ssid: String? = nil) async throws -> [String] {
    let conversation = try await Conversation(try await building.connect())
    try await conversation.write(ssid, nil, Self.room.0, Self.room.1)
    return try await conversation.save()
  }

  @Test("silent: is never heard")
  func silent() async throws {
    try await Building.run([[.init(.silent)], []]) { (building) async throws in
      #expect(try await building.hear(within: .seconds(30)) == nil)
      #expect(try await building.hear(Building.sensor(2)) != nil)
    }
  }

  @Test("never answers: is heard, and its connect neither succeeds nor fails")
  func neverAnswers() async throws {
    try await Building.run([[.init(.neverAnswers)]]) { (building) async throws in
      #expect(try await building.hear()?.localName == "Robo Sensor")
      let link = try await building.within(.seconds(120)) {
        try await building.central.connect(to: Building.sensor(1), on: Building.adapter).address
      }
      #expect(link == nil)
      #expect(await building.world.attemptsUnderWay(on: Building.adapter.address) == 0)
    }
  }

  @Test("strikes in the first attempts only, when told so")
  func limited() async throws {
    try await Building.run([[.init(.neverAnswers, attempts: 1), .init(.drops(in: .connect), attempts: 2)]]) {
      (building) async throws in
      try await building.hear()
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
    "drops the link in the stage that was ordered, and takes nothing over",
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
      // And the next attempt succeeds.
      #expect(try await converse(building) == ["saved"])
    }
  }

  @Test(
    "rejects the write that was ordered with the code that was ordered",
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

  @Test("no ready: the status stays empty, but everything else works")
  func noReady() async throws {
    try await Building.run([[.init(.noReady)]]) { (building) async throws in
      let conversation = try await Conversation(try await building.connect())
      #expect(conversation.statusRead == "")
      try await conversation.write(nil, nil, "Lobby", 1)
      #expect(try await conversation.save() == ["saved"])
    }
  }

  @Test("stale error: is there when we connect, is no refusal, and goes with our first write")
  func staleError() async throws {
    try await Building.run([[.init(.staleError("wifi failed"))]]) { (building) async throws in
      let conversation = try await Conversation(try await building.connect())
      #expect(conversation.statusRead == "error:wifi failed")
      try await conversation.write(nil, nil, "Lobby", 1)
      #expect(try await conversation.save() == ["saved"])
    }
  }

  @Test("fresh error after the first write: is notified, and SAVE is refused")
  func freshError() async throws {
    try await Building.run([[.init(.errorAfterFirstWrite("flash worn"))]]) { (building) async throws in
      let conversation = try await Conversation(try await building.connect())
      try await conversation.write(nil, nil, "Lobby", 1)
      var statuses = conversation.statuses.makeAsyncIterator()
      #expect(await statuses.next().map { String(decoding: $0.value, as: UTF8.self) } == "error:flash worn")
      try await conversation.write(Array("SAVE".utf8), RoboSensorGATT.command)
      #expect(await statuses.next()?.value.starts(with: Array("error:".utf8)) == true)
      #expect(await building.world.flash(of: Building.sensor(1))?.isSaved == false)
    }
  }

  @Test(
    "refuses SAVE: says why, saves nothing, keeps the link",
    arguments: [
      (Fault.errorOnSave("no space"), "error:no space"), (.savesOnlyWithSSID, "error:no ssid"),
    ])
  func refusesSave(_ fault: Fault, _ status: String) async throws {
    try await Building.run([[.init(fault)]]) { (building) async throws in
      let conversation = try await Conversation(try await building.connect())
      try await conversation.write(nil, nil, "Lobby", 1)
      try await conversation.write(Array("SAVE".utf8), RoboSensorGATT.command)
      var statuses = conversation.statuses.makeAsyncIterator()
      #expect(await statuses.next().map { String(decoding: $0.value, as: UTF8.self) } == status)
      #expect(await building.world.openLinkCount() == 1)
      #expect(await building.world.flash(of: Building.sensor(1))?.isSaved == false)
    }
  }

  @Test("saves only with an SSID: and does so with one")
  func savesWithSSID() async throws {
    try await Building.run([[.init(.savesOnlyWithSSID)]]) { (building) async throws in
      #expect(try await converse(building, ssid: "Guests") == ["saved"])
    }
  }

  @Test("no saved: is silent, but comes back provisioned")
  func noSaved() async throws {
    try await Building.run([[.init(.noSaved)]]) { (building) async throws in
      #expect(try await converse(building) == [])
      #expect(try await building.hear { $0.iBeacon != nil }?.iBeacon?.minor == Self.room.1)
    }
  }

  @Test(
    "restarts before it confirms SAVE: the write fails, and only the air tells", arguments: [true, false])
  func restarts(saved: Bool) async throws {
    try await Building.run([[.init(.restartsBeforeConfirming(saved: saved))]]) { (building) async throws in
      let error = await #expect(throws: CentralError.self) { try await converse(building) }
      #expect(error?.code == .disconnected)
      let news = try await building.hear()
      #expect(news?.iBeacon?.minor == (saved ? Self.room.1 : nil))
      #expect(news?.localName == (saved ? nil : "Robo Sensor"))
    }
  }

  @Test("wrong minor: says saved, and comes back with another")
  func wrongMinor() async throws {
    try await Building.run([[.init(.returnsWithMinor(999))]]) { (building) async throws in
      #expect(try await converse(building) == ["saved"])
      #expect(try await building.hear { $0.iBeacon != nil }?.iBeacon?.minor == 999)
    }
  }

  @Test("never returns: says saved, and is not heard again")
  func neverReturns() async throws {
    try await Building.run([[.init(.neverReturns)]]) { (building) async throws in
      #expect(try await converse(building) == ["saved"])
      #expect(try await building.hear(within: .seconds(60)) == nil)
    }
  }

  @Test("returns from another address: says saved, and its beacon comes from there")
  func returnsFrom() async throws {
    let other = BluetoothAddress(rawValue: 0xC47C_8D99_0001)
    try await Building.run([[.init(.returnsFrom(other))]]) { (building) async throws in
      #expect(try await converse(building) == ["saved"])
      let heard = try await building.hear(other) { $0.iBeacon != nil }
      #expect(heard?.iBeacon?.minor == Self.room.1)
    }
  }

  @Test("refuses for a stranger: says an error, keeps nothing, and the stranger has its minor")
  func refusesForStranger() async throws {
    let other = BluetoothAddress(rawValue: 0xC47C_8D99_0001)
    try await Building.run([[.init(.refusesForStranger("no", other))]]) { (building) async throws in
      #expect(try await converse(building) == ["error:no"])
      let heard = try await building.hear(other) { $0.iBeacon != nil }
      #expect(heard?.iBeacon?.minor == Self.room.1)
      #expect(await building.world.flash(of: Building.sensor(1))?.isSaved == false)
    }
  }

  @Test("slow: takes a second more for an answer and ten for its services")
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

  @Test("refuses subscriptions: can be provisioned without, its status being read")
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

  @Test("older firmware: has no WiFi scan, and everything else")
  func withoutWiFiScan() async throws {
    try await Building.run([[.init(.withoutWiFiScan)]]) { (building) async throws in
      let service = try await building.connect().roboSensor()
      #expect(service[RoboSensorGATT.wifiScan] == nil)
      #expect(service.characteristics.count == 6)
    }
  }
}
