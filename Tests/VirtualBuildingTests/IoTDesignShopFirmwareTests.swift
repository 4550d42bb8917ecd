import Bluetooth
import Testing
import VirtualBuilding

@Suite("The IoT Design Shop beacon's firmware")
struct IoTDesignShopFirmwareTests {
  private static let all = [
    IoTDesignShopGATT.beaconUUID, IoTDesignShopGATT.beaconID, IoTDesignShopGATT.transmission,
  ]
  private static let uuid: BluetoothUUID = "11111111-2222-3333-4444-555555555555"

  /// Runs `body` in a building with one beacon.
  private static func run<Value: Sendable>(
    _ faults: [ScheduledFault] = [], holds: [String: String] = [:],
    _ body: @escaping @Sendable (Building) async throws -> Value
  ) async throws -> Value {
    try await Building.run(
      [faults],
      change: {
        $0.sensors[0].family = .iotDesignShop
        $0.sensors[0].holds = holds
      }, body)
  }

  @Test("the beacon advertises an iBeacon and its service in factory state")
  func factory() async throws {
    try await Self.run { (building) async throws in
      let received = try #require(try await building.receive())
      #expect(
        received.iBeacon == IBeacon(uuid: IoTDesignShopGATT.service, major: 0, minor: 0, measuredPower: -59))
      #expect(received.serviceUUIDs == [IoTDesignShopGATT.service])
      let peripheral = try await building.connect()
      let service = try await peripheral.discover(IoTDesignShopGATT.service, requiring: Self.all)
      var values: [[UInt8]] = []
      for uuid in Self.all { values.append(try await peripheral.read(try service.require(uuid))) }
      #expect(values == [IoTDesignShopGATT.service.bytes, [0, 0, 0, 0], [2, 0, 0x40, 0x06]])
      #expect(await building.world.flash(of: Building.sensor(1))?.isSaved == false)
    }
  }

  @Test("a confirmed write is the change, which is on air when the link has ended")
  func change() async throws {
    try await Self.run { (building) async throws in
      let beacon = try await Conversing(building)
      try await beacon.write(Self.uuid.bytes, IoTDesignShopGATT.beaconUUID)
      try await beacon.write([0x01, 0x02, 0x03, 0x04], IoTDesignShopGATT.beaconID)
      try await beacon.write([0x01, 0x00, 0x80, 0x3E], IoTDesignShopGATT.transmission)
      let flash = try #require(await building.world.flash(of: Building.sensor(1)))
      #expect(flash.isSaved)
      #expect(flash.values["uuid"] == Self.uuid.bytes)
      #expect(flash.number("major") == 0x0201)
      #expect(flash.minor == 0x0403)
      #expect(flash.number("power") == 1)
      #expect(flash.number("interval") == 16000)
      #expect(try await beacon.read(IoTDesignShopGATT.beaconID) == [0x01, 0x02, 0x03, 0x04])
      for uuid in Self.all {
        #expect(await building.world.writeCount(of: Building.sensor(1), to: uuid) == 1)
      }
      await beacon.peripheral.disconnect()
      let received = try #require(try await building.receive())
      #expect(
        received.iBeacon == IBeacon(uuid: Self.uuid, major: 0x0201, minor: 0x0403, measuredPower: -65))
      // From now on every 10 s.
      let next = try #require(try await building.receive())
      let apart = received.receivedAt.duration(to: next.receivedAt)
      #expect((Duration.seconds(9.98)...(.seconds(10.02))).contains(apart))
    }
  }

  @Test("a beacon advertises its old values until the link has ended")
  func duringLink() {
    var beacon = FirmwareBench(IoTDesignShopFirmware())
    let before = beacon.firmware.advertising
    _ = beacon.write([9, 0, 9, 0], to: IoTDesignShopGATT.beaconID)
    #expect(beacon.firmware.advertising == before)
    _ = beacon.deliver(.disconnected)
    #expect(beacon.firmware.advertising != before)
  }

  @Test(
    "the beacon checks nothing: a value of any length is stored, and is no iBeacon on air",
    arguments: [
      (IoTDesignShopGATT.beaconUUID, [UInt8]()),
      (IoTDesignShopGATT.beaconUUID, Array(repeating: 7, count: 17)),
      (IoTDesignShopGATT.beaconID, [1]), (IoTDesignShopGATT.beaconID, [1, 2, 3]),
      (IoTDesignShopGATT.beaconID, [1, 2, 3, 4, 5]),
    ])
  func nonsense(_ characteristic: BluetoothUUID, _ value: [UInt8]) throws {
    var beacon = FirmwareBench(IoTDesignShopFirmware())
    #expect(beacon.write(value, to: characteristic) == [.answer(1, [])])
    #expect(beacon.deliver(.read(2, characteristic)) == [.answer(2, value)])
    _ = beacon.deliver(.disconnected)
    let data = try #require(beacon.firmware.advertising?.manufacturerData[IBeacon.company])
    #expect(IBeacon(manufacturerData: data) == nil)
  }

  @Test("the beacon stores an undefined power")
  func power() {
    var beacon = FirmwareBench(IoTDesignShopFirmware())
    _ = beacon.write([0xFF, 0xFF, 0x40, 0x06], to: IoTDesignShopGATT.transmission)
    #expect(beacon.firmware.flash.number("power") == 0xFFFF)
  }

  @Test(
    "an interval below 100 ms hangs the beacon, and the button restores factory values",
    arguments: [
      ([UInt8(2), 0, 160, 0], true), ([2, 0, 159, 0], false), ([2, 0, 0, 0], false), ([2, 0], false),
    ])
  func interval(_ value: [UInt8], _ lives: Bool) async throws {
    try await Self.run(holds: ["major": "9", "minor": "9"]) { (building) async throws in
      let beacon = try await Conversing(building)
      try await beacon.write(value, IoTDesignShopGATT.transmission)
      #expect(try await beacon.read(IoTDesignShopGATT.transmission) == value)
      await beacon.peripheral.disconnect()
      #expect((try await building.receive(within: .seconds(60)) != nil) == lives)
      await building.world.pressButton(Building.sensor(1))
      let received = try await building.receive { $0.iBeacon?.minor == 0 }
      #expect(received?.iBeacon?.uuid == IoTDesignShopGATT.service)
    }
  }

  @Test("a beacon can have initial values")
  func past() async throws {
    let holds = [
      "uuid": Self.uuid.description, "major": "1", "minor": "515", "power": "low", "interval": "500ms",
    ]
    try await Self.run(holds: holds) { (building) async throws in
      let flash = try #require(await building.world.flash(of: Building.sensor(1)))
      #expect(
        flash.values == [
          "uuid": Self.uuid.bytes, "major": [1, 0], "minor": [3, 2], "power": [0, 0],
          "interval": [0x20, 0x03],
        ])
      #expect(flash.isSaved)
      let received = try #require(try await building.receive())
      #expect(received.iBeacon == IBeacon(uuid: Self.uuid, major: 1, minor: 515, measuredPower: -82))
    }
  }

  @Test(
    "invalid initial values are refused",
    arguments: [
      ["uuid": "180D"], ["uuid": ""], ["major": "0x10000"], ["power": "extreme"], ["interval": "99ms"],
      ["interval": "41s"], ["interval": "9223372036854775807s"], ["interval": "1"], ["room_name": "Lobby"],
    ])
  func impossible(_ holds: [String: String]) throws {
    let problem = #expect(throws: ScenarioProblem.self) { try FirmwareFamily.iotDesignShop.encode(holds) }
    #expect(problem?.key == holds.keys.first)
  }

  // MARK: Faults

  @Test("a beacon with keeps_old confirms the write and stores nothing")
  func keepsOld() async throws {
    let fault = Fault.own(.keepsOld(IoTDesignShopGATT.beaconID))
    try await Self.run([.init(fault, attempts: 1)]) { (building) async throws in
      let beacon = try await Conversing(building)
      try await beacon.write([1, 0, 2, 0], IoTDesignShopGATT.beaconID)
      try await beacon.write(Self.uuid.bytes, IoTDesignShopGATT.beaconUUID)
      #expect(try await beacon.read(IoTDesignShopGATT.beaconID) == [0, 0, 0, 0])
      #expect(try await beacon.read(IoTDesignShopGATT.beaconUUID) == Self.uuid.bytes)
      await beacon.peripheral.disconnect()
      let second = try await Conversing(building)
      try await second.write([1, 0, 2, 0], IoTDesignShopGATT.beaconID)
      #expect(try await second.read(IoTDesignShopGATT.beaconID) == [1, 0, 2, 0])
    }
  }

  @Test("a beacon with stores_wrong stores a value with one wrong bit")
  func storesWrong() async throws {
    try await Self.run([.init(.own(.storesWrong(IoTDesignShopGATT.beaconID)))]) { (building) async throws in
      let beacon = try await Conversing(building)
      try await beacon.write([1, 0, 2, 0], IoTDesignShopGATT.beaconID)
      #expect(try await beacon.read(IoTDesignShopGATT.beaconID) == [1, 0, 2, 1])
      #expect(await building.world.flash(of: Building.sensor(1))?.minor == 258)
    }
  }

  @Test("a beacon with old_beacon stores and returns new values, and advertises the old ones")
  func oldBeacon() async throws {
    try await Self.run([.init(.own(.oldBeacon))], holds: ["minor": "5"]) { (building) async throws in
      let beacon = try await Conversing(building)
      try await beacon.write([1, 0, 2, 0], IoTDesignShopGATT.beaconID)
      #expect(try await beacon.read(IoTDesignShopGATT.beaconID) == [1, 0, 2, 0])
      await beacon.peripheral.disconnect()
      for _ in 0..<3 { #expect(try await building.receive()?.iBeacon?.minor == 5) }
    }
  }

  @Test("a write-protected beacon refuses the write and keeps its value")
  func writeProtected() async throws {
    let fault = Fault.rejectsWrite(to: IoTDesignShopGATT.beaconUUID, code: ATTCode.writeNotPermitted)
    try await Self.run([.init(fault)]) { (building) async throws in
      let beacon = try await Conversing(building)
      let error = await #expect(throws: CentralError.self) {
        try await beacon.write(Self.uuid.bytes, IoTDesignShopGATT.beaconUUID)
      }
      #expect(error?.code == .notPermitted)
      try await beacon.write([1, 0, 2, 0], IoTDesignShopGATT.beaconID)
      let flash = await building.world.flash(of: Building.sensor(1))
      #expect(flash?.values["uuid"] == IoTDesignShopGATT.service.bytes)
      #expect(flash?.minor == 2)
    }
  }

  @Test(
    "a link that is lost during a write leaves the value stored or not, as ordered", arguments: [true, false])
  func drops(isStored: Bool) async throws {
    let fault = Fault.drops(in: isStored ? .confirm(2) : .write(2))
    try await Self.run([.init(fault, attempts: 1)]) { (building) async throws in
      let beacon = try await Conversing(building)
      try await beacon.write(Self.uuid.bytes, IoTDesignShopGATT.beaconUUID)
      let error = await #expect(throws: CentralError.self) {
        try await beacon.write([1, 0, 2, 0], IoTDesignShopGATT.beaconID)
      }
      #expect(error?.code == .disconnected)
      #expect(await building.world.flash(of: Building.sensor(1))?.minor == (isStored ? 2 : 0))
      #expect(try await building.receive()?.iBeacon?.uuid == Self.uuid, "the stored value is not on air")
    }
  }
}

/// A link to a beacon, with its characteristics.
private struct Conversing {
  var peripheral: any Peripheral
  var service: RemoteService

  init(_ building: Building) async throws {
    peripheral = try await building.connect()
    service = try await peripheral.discover(
      IoTDesignShopGATT.service,
      requiring: [
        IoTDesignShopGATT.beaconUUID, IoTDesignShopGATT.beaconID, IoTDesignShopGATT.transmission,
      ])
  }

  func write(_ value: [UInt8], _ uuid: BluetoothUUID) async throws {
    try await peripheral.write(value, to: try service.require(uuid), .withResponse)
  }

  func read(_ uuid: BluetoothUUID) async throws -> [UInt8] {
    try await peripheral.read(try service.require(uuid))
  }
}
