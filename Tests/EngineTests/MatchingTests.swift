import Bluetooth
import Foundation
import SampleFacts
import Testing

@testable import Engine
@testable import Families
@testable import Model

/// Rooms and advertisements for tests.
enum Sample {
  static let adapter = AdapterID(BluetoothAddress(rawValue: 0xAD))

  static func address(_ number: UInt64) -> BluetoothAddress {
    BluetoothAddress(rawValue: 0xC47C_8D00_0000 + number)
  }

  static func room(
    _ number: Int, address: UInt64? = nil, wifi: Bool = true, retries: Int = 2
  ) -> Room {
    var settings: [SettingName: SettingValue] = [
      .roomName: .text("Room \(number)"), .minor: .integer(number),
    ]
    if wifi {
      settings[.wifiSSID] = .text("Plant")
      settings[.wifiPassword] = .secret(Secret("correct horse"))
    }
    return Room(
      id: RoomID(rawValue: "room-\(number)"), name: "Room \(number)", family: .roboSensor,
      address: address.map(Self.address), settings: settings, timeouts: StageTimeouts(),
      retries: retries)
  }

  static func building(_ rooms: [Room], _ assignment: Building.Assignment = .address) -> Building {
    Building(
      id: "house", name: "House", assignment: assignment, rooms: rooms, families: FamilyCatalogue.builtIn)
  }

  static func waiting(_ number: UInt64, at second: Double = 1, rssi: Int = -50) -> Advertisement {
    Advertisement(
      address: address(number), adapter: adapter, receivedAt: .init(sinceZero: .seconds(second)), rssi: rssi,
      localName: "Robo Sensor")
  }

  static func beacon(
    _ number: UInt64, minor: UInt16, at second: Double = 1, major: UInt16 = 1, name: String? = nil
  ) -> Advertisement {
    let beacon = IBeacon(
      uuid: RoboSensor.FactoryBeacon.uuid, major: major, minor: minor, measuredPower: -59)
    return Advertisement(
      address: address(number), adapter: adapter, receivedAt: .init(sinceZero: .seconds(second)), rssi: -50,
      localName: name, manufacturerData: [IBeacon.company: beacon.manufacturerData])
  }

  /// The identity of a Robo Sensor with the factory firmware.
  static func identity(_ minor: UInt16) -> DeviceIdentity { .sensor(minor) }

  static func air(_ advertisement: [Advertisement]) -> AirLedger {
    var air = AirLedger(families: FamilyCatalogue.builtIn)
    for advertisement in advertisement { _ = air.receive(advertisement) }
    return air
  }
}

/// The matches of all rooms of a building.
func match(_ building: Building, with air: AirLedger, _ known: Known = Known()) -> [RoomID: Match] {
  match(building.rooms, of: building, with: air, known)
}

@Suite("matching") struct MatchingTests {
  @Test(
    "a device is strongest on an adapter that still receives it", arguments: [(10.0, true), (10.5, false)])
  func strongest(seconds: Double, counts: Bool) {
    let near = Sample.waiting(1, at: 1, rssi: -40)
    var far = Sample.waiting(1, at: 1 + seconds, rssi: -80)
    far.adapter = AdapterID(BluetoothAddress(rawValue: 0x001A_7DDA_7102))
    let strongest = Sample.air([near, far])[Sample.address(1)]?.strongest
    #expect(strongest?.adapter == (counts ? near.adapter : far.adapter))
    #expect(strongest?.rssi == (counts ? -40 : -80))
  }

  @Test("a room whose label has its secrets gets no device before the label is read")
  func awaitsLabel() {
    func room(_ device: String?) -> Room {
      var room = Sample.room(1, address: 1)
      let source = SecretSource.labels("labels.json", device: device, setting: "pop")
      room.access["pop"] = .secret(Secret(SecretReference(source, file: "b.yaml", line: 1, column: 1)))
      return room
    }
    let air = Sample.air([Sample.waiting(1)])
    #expect(match(Sample.building([room(nil)]), with: air)["room-1"] == .stopped(.pending, .addressMissing))
    #expect(
      match(Sample.building([room("PROV_1")]), with: air)["room-1"] == .device(Sample.address(1), .address))
  }

  @Test("the address in the manifest decides the device of a room")
  func manifestAddress() {
    let matches = match(
      Sample.building([Sample.room(7, address: 1), Sample.room(8, address: 2)]),
      with: Sample.air([Sample.waiting(2), Sample.waiting(1), Sample.waiting(3)]))
    #expect(matches["room-7"] == .device(Sample.address(1), .address))
    #expect(matches["room-8"] == .device(Sample.address(2), .address))
  }

  @Test("a device in the manifest without a sighting is still the room's")
  func withoutSighting() {
    let matches = match(Sample.building([Sample.room(7, address: 1)]), with: Sample.air([]))
    #expect(matches["room-7"] == .device(Sample.address(1), .address))
  }

  @Test("a device that advertises the room's identity, and of which nothing is on record, is not done")
  func ownIdentity() {
    let matches = match(
      Sample.building([Sample.room(7, address: 1)]), with: Sample.air([Sample.beacon(1, minor: 7)]))
    #expect(matches["room-7"] == .stopped(.actionRequired, .settingsUnknown(7)))
  }

  @Test("a device that advertises another room's identity requires action")
  func otherRoomsIdentity() {
    let matches = match(
      Sample.building([Sample.room(7, address: 1)]), with: Sample.air([Sample.beacon(1, minor: 9)]))
    #expect(matches["room-7"] == .stopped(.actionRequired, .configuredOtherwise(9)))
  }

  @Test("a minor that another address advertises is never given to a room", arguments: [1, nil] as [UInt64?])
  func identityOnAir(address: UInt64?) {
    let matches = match(
      Sample.building([Sample.room(7, address: address)], .any),
      with: Sample.air([Sample.waiting(1), Sample.beacon(2, minor: 7)]))
    #expect(
      matches["room-7"]
        == .stopped(.actionRequired, .identityOnAir(7, [Sample.address(2)])))
  }

  @Test("a beacon with the same minor and another major blocks no room")
  func otherMajor() {
    let matches = match(
      Sample.building([Sample.room(7, address: 1)]),
      with: Sample.air([Sample.waiting(1), Sample.beacon(2, minor: 7, major: 2)]))
    #expect(matches["room-7"] == .device(Sample.address(1), .address))
  }

  @Test("a room without an address gets no device without `assign: any`")
  func withoutAddress() {
    let matches = match(Sample.building([Sample.room(7)]), with: Sample.air([Sample.waiting(1)]))
    #expect(matches["room-7"] == .stopped(.pending, .noCandidate()))
  }

  @Test("a device that a room names is none of the others'")
  func named() {
    var rooms = [EspScenarios.room(1), EspScenarios.room(2)]
    for index in rooms.indices { rooms[index].address = nil }
    rooms[0].deviceName = "PROV_1"
    var device = Sample.waiting(1)
    device.localName = "PROV_1"
    let matches = match(Sample.building(rooms, .any), with: Sample.air([device]))
    #expect(matches["room-1"] == .device(Sample.address(1), .name))
    #expect(matches["room-2"] == .stopped(.pending, .addressNeeded(received: [])))
  }

  @Test("`assign: any` gives unclaimed devices to rooms by address, for any order of advertisements")
  func addressOrder() {
    let rooms = [Sample.room(7), Sample.room(8, address: 1), Sample.room(9), Sample.room(10)]
    let advertisement = [1, 2, 3].map { Sample.waiting($0) }
    for order in [advertisement, advertisement.reversed()] {
      let matches = match(Sample.building(rooms, .any), with: Sample.air(order))
      #expect(matches["room-7"] == .device(Sample.address(2), .any))
      #expect(matches["room-8"] == .device(Sample.address(1), .address))
      #expect(matches["room-9"] == .device(Sample.address(3), .any))
      #expect(matches["room-10"] == .stopped(.pending, .noCandidate()))
    }
  }

  @Test("`assign: any` gives no device while more devices are received than rooms are left")
  func surplusDevices() {
    let matches = match(
      Sample.building([Sample.room(7)], .any), with: Sample.air([Sample.waiting(2), Sample.waiting(1)]))
    #expect(
      matches["room-7"]
        == .stopped(
          .ambiguous,
          .tooManyCandidates([Sample.address(1), Sample.address(2)])))
    var other = Sample.waiting(3)
    (other.localName, other.serviceUUIDs) = (nil, [EspIdf.Service.library])
    let alone = match(
      Sample.building([Sample.room(7)], .any),
      with: Sample.air([Sample.waiting(1), Sample.beacon(2, minor: 9), other]))
    #expect(
      alone["room-7"] == .device(Sample.address(1), .any), "one is configured, another one of another family")
  }
}

@Suite("air ledger") struct AirLedgerTests {
  @Test("the ledger returns a sighting once for each device and for each new state")
  func oncePerState() {
    var air = Sample.air([])
    let received1 = air.receive(Sample.waiting(1))
    #expect(received1?.life?.recognition == .awaitingProvisioning)
    let received2 = air.receive(Sample.waiting(1, at: 2))
    #expect(received2 == nil)
    let received3 = air.receive(Sample.beacon(1, minor: 7, at: 3))
    #expect(received3 != nil)
    let received4 = air.receive(Sample.beacon(1, minor: 7, at: 4))
    #expect(received4 == nil)
    #expect(air.free(for: "robo-sensor").isEmpty)
    #expect(air[Sample.address(1)]?.lastReceived == .init(sinceZero: .seconds(4)))
  }

  @Test("an advertisement with a beacon and an old name counts as a beacon")
  func oldName() {
    let air = Sample.air([Sample.beacon(1, minor: 7, name: "Robo Sensor")])
    #expect(air.free(for: "robo-sensor").isEmpty)
    #expect(air.devices(sending: 7).map(\.address) == [Sample.address(1)])
  }

  @Test("a name is that of a device only while no other device has it")
  func named() {
    let name = DeviceReference.name("Robo Sensor")
    #expect(Sample.air([])[name] == nil)
    #expect(Sample.air([Sample.waiting(1)])[name]?.address == Sample.address(1))
    #expect(Sample.air([Sample.waiting(1), Sample.waiting(2)])[name] == nil)
  }

  @Test("devices of unknown families are dropped")
  func unknownFamily() {
    var air = Sample.air([])
    var keyboard = Sample.waiting(9)
    keyboard.localName = "Robo Sensor 2"
    let received5 = air.receive(keyboard)
    #expect(received5 == nil)
    #expect(air[Sample.address(9)] == nil)
  }

  @Test("a beacon and the service of its device may be in separate advertisements")
  func splitAdvertisement() {
    let factory = IBeacon(uuid: IoTDesignShop.Attribute.service, major: 0, minor: 0, measuredPower: -59)
    let ours = IBeacon(uuid: Sample.site, major: 1, minor: 7, measuredPower: -59)
    func advertisement(_ beacon: IBeacon?, service: Bool) -> Advertisement {
      Advertisement(
        address: Sample.address(1), adapter: Sample.adapter, receivedAt: .init(sinceZero: .seconds(1)),
        serviceUUIDs: service ? [IoTDesignShop.Attribute.service] : [],
        manufacturerData: beacon.map { [IBeacon.company: $0.manufacturerData] } ?? [:])
    }
    func kind(_ advertisement: Advertisement...) -> Recognition? {
      Sample.air(advertisement)[Sample.address(1)]?.life?.recognition
    }
    #expect(kind(advertisement(factory, service: false)) == nil, "any device may send this beacon")
    #expect(kind(advertisement(nil, service: true)) == .present)
    #expect(
      kind(advertisement(nil, service: true), advertisement(factory, service: false)) == .awaitingProvisioning
    )
    #expect(
      kind(advertisement(nil, service: true), advertisement(ours, service: false))
        == .configured(DeviceIdentity(ours)))
    #expect(
      kind(advertisement(factory, service: true), advertisement(nil, service: true)) == .awaitingProvisioning)
    #expect(
      kind(advertisement(ours, service: true), advertisement(nil, service: true))
        == .configured(DeviceIdentity(ours)))
    #expect(
      kind(advertisement(ours, service: true), advertisement(factory, service: false))
        == .awaitingProvisioning)
    let replaced = Sample.air([Sample.waiting(1), advertisement(nil, service: true)])[Sample.address(1)]
    #expect(replaced?.life == .init(profile: "iot-design-shop", recognition: .present))
  }

  @Test("a sender of a wanted identity is kept though it is of no family, and no room may get it")
  func wanted() {
    func sent(_ minor: UInt16?, at second: Double) -> Advertisement {
      let beacon = minor.map { IBeacon(uuid: Sample.site, major: 1, minor: $0, measuredPower: -59) }
      return Advertisement(
        address: Sample.address(1), adapter: Sample.adapter, receivedAt: .init(sinceZero: .seconds(second)),
        manufacturerData: beacon.map { [IBeacon.company: $0.manufacturerData] } ?? [:])
    }
    let identity = DeviceIdentity.beacon(Sample.site, 1, 1)
    var air = AirLedger(families: FamilyCatalogue.builtIn, wanted: [identity])
    _ = air.receive(sent(2, at: 0))
    #expect(air.all.isEmpty)
    let first = air.receive(sent(1, at: 1))
    #expect(first?.identity == identity && first?.life == nil)
    _ = air.receive(sent(nil, at: 2))
    #expect(air[Sample.address(1)]?.lastReceived == .init(sinceZero: .seconds(2)))
    #expect(air.free.isEmpty && air.writable.isEmpty)
    _ = air.receive(sent(2, at: 3))
    #expect(air[Sample.address(1)]?.contradiction == nil)
    _ = air.receive(sent(1, at: 5))
    #expect(air[Sample.address(1)]?.contradiction != nil, "no device has two identities in turn")
  }

  @Test("a device may have sent what it sent, and anything once it has sent 16 identities")
  func sentIdentities() {
    var air = Sample.air([])
    for minor in Array(1...15) + Array(1...15) {
      _ = air.receive(Sample.beacon(1, minor: UInt16(minor)))
    }
    #expect(air.mayHaveSent(1, from: Sample.address(1)) && air.mayHaveSent(15, from: Sample.address(1)))
    #expect(!air.mayHaveSent(99, from: Sample.address(1)) && !air.mayHaveSent(1, from: Sample.address(2)))
    for minor: UInt16 in [16, 17] {
      _ = air.receive(Sample.beacon(1, minor: minor))
      #expect(air.mayHaveSent(99, from: Sample.address(1)))
    }
  }

  @Test("a device that two families recognise stays ambiguous, whatever it sends later")
  func rivals() {
    var other = DeviceFamily.roboSensor
    other.id = "other"
    var air = AirLedger(families: FamilyCatalogue([.roboSensor, other]))
    let bare = Advertisement(
      address: Sample.address(1), adapter: Sample.adapter, receivedAt: .init(sinceZero: .seconds(2)))
    for advertisement in [Sample.waiting(1), bare] {
      _ = air.receive(advertisement)
      #expect(air[Sample.address(1)]?.rivals == ["robo-sensor", "other"])
    }
  }

  @Test("a device counts as received until each of its adapters must receive it again")
  func receivedAgain() {
    var second = Sample.waiting(1, at: 2)
    second.adapter = AdapterID(BluetoothAddress(rawValue: 0xAE))
    var air = Sample.air([Sample.waiting(1), second])
    air.mustBeReceivedAgain(Sample.address(1), on: Sample.adapter)
    #expect(air[Sample.address(1)]?.lastReceived == second.receivedAt)
    #expect(air[Sample.address(1)]?.strongest.adapter == second.adapter)
    air.mustBeReceivedAgain(Sample.address(1), on: second.adapter)
    #expect(air[Sample.address(1)] != nil && air[Sample.address(1)]?.lastReceived == nil)
  }

  @Test("a device without an identity on air is free only if its family has none")
  func withoutIdentity() {
    func advertisement(_ number: UInt64, _ service: BluetoothUUID, _ name: String?) -> Advertisement {
      Advertisement(
        address: Sample.address(number), adapter: Sample.adapter, receivedAt: .init(sinceZero: .seconds(1)),
        localName: name, serviceUUIDs: [service])
    }
    let air = Sample.air([
      advertisement(1, IoTDesignShop.Attribute.service, nil),
      advertisement(2, Firefly.Attribute.service, "Firefl"),
      advertisement(3, Firefly.Attribute.service, "Stage Piano"),
    ])
    #expect(air.free.map(\.address) == [Sample.address(2)])
    #expect(air.free(for: "iot-design-shop").isEmpty)
    #expect(air[Sample.address(1)]?.life?.recognition == .present)
  }

  @Test("a device that may be at work is not free, also without an identity on air")
  func mayBeAtWork() {
    var shy = DeviceFamily.roboSensor
    (shy.identity, shy.recognition) = (nil, [RecognitionRule(.present, .name("Robo Sensor"))])
    var air = AirLedger(families: FamilyCatalogue([shy]))
    _ = air.receive(Sample.waiting(1))
    #expect(air[Sample.address(1)]?.life?.recognition == .present)
    #expect(air.free.isEmpty && air.free(for: shy.id).isEmpty)
  }

  @Test("an advertisement without a beacon does not update the instant of the beacon")
  func withoutBeacon() {
    let first = Sample.beacon(1, minor: 7, at: 2)
    let bare = Advertisement(
      address: first.address, adapter: Sample.adapter, receivedAt: .init(sinceZero: .seconds(9)), rssi: -70)
    var air = Sample.air([first, Sample.beacon(1, minor: 7, at: 4), bare, bare])
    #expect(air[first.address]?.lastReceived == .init(sinceZero: .seconds(9)))
    #expect(air[first.address]?.identity?.minor == 7)
    #expect(air[first.address]?.identityReceived == .init(sinceZero: .seconds(4)))
    _ = air.receive(Sample.beacon(1, minor: 7, at: 12))
    #expect(air[first.address]?.identityReceived == .init(sinceZero: .seconds(12)))
    _ = air.receive(Sample.waiting(1, at: 13))
    #expect(air[first.address]?.identity == nil)
  }

  @Test("an advertisement without content keeps the state and updates the RSSI")
  func withoutContent() {
    var air = Sample.air([Sample.waiting(1)])
    let bare = Advertisement(
      address: Sample.address(1), adapter: Sample.adapter, receivedAt: .init(sinceZero: .seconds(9)),
      rssi: -70)
    let received6 = air.receive(bare)
    #expect(received6 == nil)
    #expect(air[Sample.address(1)]?.life?.recognition == .awaitingProvisioning)
    #expect(air[Sample.address(1)]?.rssi == -70)
    air.mustBeReceivedAgain(Sample.address(1))
    #expect(air[Sample.address(1)]?.lastReceived == nil)
  }
}

@Suite("what a scan received of the rooms") struct ReceptionTests {
  @Test("a device is unclaimed if it is in provisioning mode and no room has it")
  func unclaimed() {
    let rooms = [Sample.room(1, address: 1), Sample.room(2, address: 2), Sample.room(3)]
    // The device of room 1, a configured one that no room has, and two that wait.
    let air = Sample.air([
      Sample.waiting(1), Sample.beacon(7, minor: 7), Sample.waiting(8), Sample.waiting(9),
    ])
    let reception = RoomReception(rooms, Known(), air: air)
    #expect(reception.received.map(\.id) == ["room-1"])
    #expect(reception.missing.map(\.id) == ["room-2"] && reception.unknown.map(\.id) == ["room-3"])
    #expect(reception.unclaimed == 2)
  }

  @Test("a registered room without a device has the one device that sends its identity, in each window")
  func registered() throws {
    let room = Sample.beaconRoom(1, power: nil, interval: nil, registered: true)
    let identity = try #require(room.identity)
    let near = AdapterID(BluetoothAddress(rawValue: 0xAE))
    func beacon(_ number: UInt64, rssi: Int?, by adapter: AdapterID = Sample.adapter) -> Advertisement {
      let beacon = IBeacon(uuid: Sample.site, major: UInt16(Sample.major), minor: 1, measuredPower: -59)
      return Advertisement(
        address: Sample.address(number), adapter: adapter, receivedAt: .init(sinceZero: .seconds(1)),
        rssi: rssi, manufacturerData: [IBeacon.company: beacon.manufacturerData])
    }
    func verified(_ room: Room, _ windows: [[Advertisement]]) -> RoomVerified {
      let ledgers = windows.map { received in
        var ledger = Verification.ledger(for: [room], of: .builtIn)
        for advertisement in received { _ = ledger.receive(advertisement) }
        return ledger
      }
      return Verification([room], Known(), windows: ledgers, by: []).rooms[0]
    }
    let one = verified(room, [[beacon(5, rssi: -70)], [], [beacon(5, rssi: -60, by: near)]])
    #expect(one.finding == .onAir && one.address == Sample.address(5) && one.identity == identity)
    #expect(one.windowsReceived == 2 && one.windows == 3 && one.rssi == -60 && one.rssiMin == -70)
    #expect(one.rssiMax == -60 && one.others == [] && one.adapter == near)
    for (rssi, isWeak) in [(-85, false), (-86, true), (nil, false)] as [(Int?, Bool)] {
      let found = verified(room, [[beacon(5, rssi: rssi)]])
      #expect(found.finding == .onAir && found.isWeak == isWeak, "\(String(describing: rssi))")
    }
    var silent = room
    silent.settings[.minor] = nil
    let unknown = verified(silent, [[beacon(5, rssi: -60)]])
    #expect(unknown.finding == .notVerifiable && unknown.windowsReceived == 0 && unknown.windows == 1)
    #expect(verified(room, [[], []]).finding == .missing)
    let two = verified(room, [[beacon(5, rssi: -70), beacon(6, rssi: -60)]])
    #expect(two.finding == .otherDevice && two.others == [Sample.address(5), Sample.address(6)])
    #expect(two.windowsReceived == 0 && two.address == nil)
    // Nobody registered it, so the beacon is no evidence of its device.
    let written = verified(Sample.beaconRoom(1), [[beacon(5, rssi: -70)]])
    #expect(written.finding == .otherDevice && written.windowsReceived == 0)
    let own = verified(Sample.beaconRoom(1, address: 5), [[beacon(5, rssi: -70), beacon(6, rssi: -60)]])
    #expect(own.finding == .duplicate && own.windowsReceived == 1 && own.others == [Sample.address(6)])
    let known = verified(Sample.beaconRoom(1, address: 5, registered: true), [[beacon(6, rssi: -60)]])
    #expect(known.finding == .otherDevice && known.address == Sample.address(5))
  }

  @Test("a device that changes its address is received with either, the recorded one first")
  func eitherAddress() {
    var room = Sample.room(7, address: 1)
    room.proofAddress = .any
    var lastKnown = LastKnownRoom(name: room.name, profile: room.family.id)
    lastKnown.lastWrite = LastWrite(
      address: Sample.address(1),
      state: .proved(Evidence(grade: .freshBeaconOtherAddress, address: Sample.address(5), identity: 7)),
      settings: [], identity: room.identity, sealKey: nil, run: "run-1",
      at: Date(timeIntervalSince1970: 1_795_000_000))
    lastKnown.lastWrite?.provedBy = AdapterID(BluetoothAddress(rawValue: 0xAE))
    let known = Known(lastKnown: LastKnownBuilding(rooms: [room.id: lastKnown]))
    func verified(_ window: Advertisement...) -> RoomVerified {
      Verification([room], known, windows: [Sample.air(window)], by: []).rooms[0]
    }
    #expect(verified().finding == .notSearched, "its adapter is absent")
    var moved = Sample.beacon(5, minor: 7)
    #expect(verified(moved).finding == .onAir && verified(Sample.waiting(1)).finding == .waiting)
    moved.rssi = -70
    let both = verified(moved, Sample.beacon(1, minor: 7))
    #expect(both.finding == .onAir && both.rssi == -50 && both.windowsReceived == 1)
    #expect(verified(Sample.beacon(5, minor: 8), Sample.waiting(1)).finding == .waiting)
  }

  @Test("a device that has something else is told as its newest window shows it")
  func newest() {
    let room = Sample.room(1, address: 1)
    func verified(_ windows: Advertisement...) -> RoomVerified {
      Verification([room], Known(), windows: windows.map { Sample.air([$0]) }, by: []).rooms[0]
    }
    let other = verified(Sample.beacon(1, minor: 8), Sample.beacon(1, minor: 9))
    #expect(other.finding == .otherIdentity && other.held == Sample.identity(9))
    #expect(verified(Sample.beacon(1, minor: 8), Sample.waiting(1)).finding == .waiting)
    #expect(verified(Sample.waiting(1), Sample.beacon(1, minor: 8)).finding == .otherIdentity)
  }
}

@Suite("proof watch") struct ProofWatchTests {
  private func watch(mayMove: Bool = false, known: Set<BluetoothAddress> = []) -> ProofWatch {
    ProofWatch(
      identity: 7, family: Shared(.roboSensor), address: Sample.address(1), mayMove: mayMove,
      isAccepted: false, isUnderWay: false,
      submittedAt: .init(sinceZero: .seconds(10)), known: known)
  }

  private func verdict(
    of received: [Advertisement], mayMove: Bool = false, known: Set<BluetoothAddress> = [],
    isOver: Bool = true
  ) -> ProofWatch.Verdict {
    var watch = watch(mayMove: mayMove, known: known)
    for advertisement in received { watch.receive(advertisement) }
    return watch.verdict(isOver: isOver)
  }

  private func evidence(_ grade: Evidence.Grade, _ number: UInt64, after: Double) -> Evidence {
    Evidence(grade: grade, address: Sample.address(number), identity: 7, rssi: -50, secondsAfterSave: after)
  }

  @Test("the device's own beacon after the save proves it")
  func ownBeacon() {
    var watch = watch()
    watch.receive(Sample.beacon(1, minor: 7, at: 12))
    #expect(watch.isDecided)
    watch.receive(Sample.beacon(1, minor: 7, at: 13))
    #expect(watch.verdict() == .proved(evidence(.freshBeacon, 1, after: 2)), "the first one counts")
  }

  @Test("a beacon from before the save proves nothing")
  func beforeSave() {
    #expect(verdict(of: [Sample.beacon(1, minor: 7, at: 10), Sample.beacon(1, minor: 7, at: 9)]) == .silent)
  }

  @Test("a beacon with another minor is reported as another identity")
  func otherMinor() {
    #expect(verdict(of: [Sample.beacon(1, minor: 8, at: 12)]) == .other(Sample.identity(8)))
    // Bytes in the wrong order give another minor.
    #expect(verdict(of: [Sample.beacon(1, minor: 0x0700, at: 12)]) == .other(Sample.identity(0x0700)))
  }

  @Test("a beacon from another address proves nothing by default")
  func otherAddress() {
    let neighbour = Sample.beacon(2, minor: 7, at: 12)
    #expect(verdict(of: [neighbour]) == .receivedElsewhere)
    #expect(verdict(of: [Sample.beacon(2, minor: 7, at: 12, major: 2)]) == .silent)
    // The same if the device may change its address: the address is another room's, one of two, or was
    // received before.
    #expect(verdict(of: [neighbour], mayMove: true, known: [Sample.address(2)]) == .receivedElsewhere)
    let second = Sample.beacon(3, minor: 7, at: 13)
    #expect(verdict(of: [neighbour, second], mayMove: true) == .receivedElsewhere)
    var watch = watch(mayMove: true)
    watch.receive(neighbour, firstReceived: .init(sinceZero: .seconds(10)))
    #expect(watch.verdict() == .receivedElsewhere)
  }

  @Test("the other addresses that send the identity are reported in order")
  func otherSenders() {
    var watch = watch()
    for beacon in [Sample.beacon(3, minor: 7, at: 12), Sample.beacon(2, minor: 7, at: 13)] {
      watch.receive(beacon)
    }
    #expect(
      watch.otherSenders
        == OtherSenders(
          identity: 7, addresses: [Sample.address(2), Sample.address(3)],
          candidates: [2, 3].map { .init(address: Sample.address($0), adapter: Sample.adapter, rssi: -50) }))
  }

  @Test("a beacon from another address counts only if the address may change and no other result exists")
  func changedAddress() {
    let moved = Sample.beacon(2, minor: 7, at: 12)
    let proved = ProofWatch.Verdict.proved(evidence(.freshBeaconOtherAddress, 2, after: 2))
    #expect(verdict(of: [moved, Sample.beacon(2, minor: 7, at: 13)], mayMove: true) == proved)
    #expect(verdict(of: [moved], mayMove: true, isOver: false) == .receivedElsewhere, "a second may follow")
    #expect(verdict(of: [moved, Sample.waiting(1, at: 13)], mayMove: true) == .backAgain)
    #expect(
      verdict(of: [moved, Sample.beacon(1, minor: 8, at: 13)], mayMove: true) == .other(Sample.identity(8)))
    #expect(
      verdict(of: [moved, Sample.beacon(1, minor: 7, at: 13)], mayMove: true)
        == .proved(evidence(.freshBeacon, 1, after: 3)))
  }

  @Test("a device received in provisioning mode again may still send its proof within 12 s")
  func backInProvisioning() {
    var watch = watch()
    #expect(watch.settlesAt == nil)
    watch.receive(Sample.waiting(1, at: 11))
    watch.receive(Sample.waiting(1, at: 15))
    #expect(watch.settlesAt == .init(sinceZero: .seconds(23)))
    #expect(watch.verdict() == .backAgain && !watch.isDecided)
    watch.receive(Sample.beacon(1, minor: 7, at: 16))
    #expect(watch.verdict() == .proved(evidence(.freshBeacon, 1, after: 6)))
  }

  @Test("a factory beacon after the write is reported as another identity")
  func factoryBeacon() {
    let room = Sample.beaconRoom(7)
    var watch = ProofWatch(
      identity: room.identity ?? 0, family: room.sharedFamily, address: Sample.address(1), mayMove: false,
      isAccepted: false, isUnderWay: false,
      submittedAt: .init(sinceZero: .seconds(10)), known: [])
    let factory = IBeacon(uuid: IoTDesignShop.Attribute.service, major: 0, minor: 5, measuredPower: -59)
    watch.receive(
      Advertisement(
        address: Sample.address(1), adapter: Sample.adapter, receivedAt: .init(sinceZero: .seconds(12)),
        serviceUUIDs: [IoTDesignShop.Attribute.service],
        manufacturerData: [IBeacon.company: factory.manufacturerData]))
    #expect(watch.verdict() == .other(DeviceIdentity(factory)))
    #expect(watch.settlesAt == nil, "the device refused nothing")
  }

  @Test("other devices in provisioning mode have no effect")
  func otherDevices() {
    #expect(verdict(of: [Sample.waiting(2, at: 11), Sample.waiting(2, at: 20)]) == .silent)
  }
}

extension ProofWatch {
  /// Applies an advertisement with the identity that it has in the format of any family.
  fileprivate mutating func receive(
    _ advertisement: Advertisement, firstReceived: MonotonicInstant? = nil
  ) {
    receive(
      advertisement, with: FamilyCatalogue.builtIn.identity(in: advertisement), firstReceived: firstReceived)
  }
}
