import Bluetooth
import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@testable import Engine
@testable import Families
@testable import Model

@Suite("sensors whose firmware sends another beacon than the factory's") struct ExpectedBeaconScenarios {
  private static let site: BluetoothUUID = "6F1C2A90-5B7D-4E21-9A44-0C1D2E3F4A5B"
  private static let major: UInt16 = 7
  private static let beacon = BuiltInBeacon(uuid: site, major: major)

  /// A room that expects that beacon; its sensor has the same number.
  private static func room(_ number: Int, retries: Int = 2) -> Room {
    var room = Sample.room(number, address: UInt64(number), retries: retries)
    room.settings[.beaconUUID] = .uuid(site)
    room.settings[.beaconMajor] = .integer(Int(major))
    return room
  }

  private static func advertisement(
    _ number: UInt64, uuid: BluetoothUUID = site, major: UInt16 = major, minor: UInt16,
    services: [BluetoothUUID] = []
  ) -> Advertisement {
    let beacon = IBeacon(uuid: uuid, major: major, minor: minor, measuredPower: -59)
    return Advertisement(
      address: Sample.address(number), adapter: Sample.adapter, receivedAt: .init(sinceZero: .seconds(1)),
      rssi: -50, serviceUUIDs: services, manufacturerData: [IBeacon.company: beacon.manufacturerData])
  }

  private static func factory(_ number: UInt64, minor: UInt16) -> Advertisement {
    advertisement(
      number, uuid: RoboSensor.FactoryBeacon.uuid, major: RoboSensor.FactoryBeacon.major, minor: minor)
  }

  private static func air(_ rooms: [Room], _ advertisements: [Advertisement]) -> AirLedger {
    var air = AirLedger(families: FamilyCatalogue.builtIn.expecting(rooms))
    for advertisement in advertisements { _ = air.receive(advertisement) }
    return air
  }

  // MARK: Whole runs

  @Test("a sensor is proved by the beacon that its room expects, and is already provisioned in the next run")
  func proved() async throws {
    let rooms = (1...3).map { Self.room($0) }
    for runs in 1...2 {
      let run = try await rehearse(
        [[], [], []], rooms: rooms, runs: runs,
        scenario: { for index in 0...2 { $0.sensors[index].beacon = Self.beacon } }
      ).expectInvariants()
      for room in run.result.rooms {
        #expect(room.outcome == (runs == 1 ? .provisioned : .alreadyProvisioned))
        #expect(room.evidence?.grade == (runs == 1 ? .freshBeacon : .beaconOnAir))
        #expect(
          room.settings.filter { $0.state == .proved }.map(\.name) == [.beaconUUID, .beaconMajor, .minor])
      }
      #expect(run.writes.isEmpty == (runs == 2))
    }
  }

  @Test("a sensor with an unexpected beacon fails, and the reason has that beacon")
  func unexpected() async throws {
    let run = try await rehearse([[]], retries: 0, scenario: { $0.sensors[0].beacon = Self.beacon })
    #expect(run.outcome(1)?.outcome == .failed)
    #expect(
      run.outcome(1)?.reason == .wrongIdentity(.beacon(Self.site, 7, 1)))
  }

  @Test("a sensor with another beacon than the expected one fails: the minor alone proves nothing")
  func otherFirmware() async throws {
    let run = try await rehearse([[]], rooms: [Self.room(1, retries: 0)])
    #expect(run.outcome(1)?.outcome == .failed)
    #expect(run.outcome(1)?.reason?.code == .wrongIdentity)
    #expect(run.outcome(1)?.settings.allSatisfy { $0.state != .proved } == true)
  }

  @Test("a factory beacon of another device with the same minor does not block the minor of a room")
  func neighbour() async throws {
    let run = try await rehearse(
      [[], []], rooms: [Self.room(1)],
      scenario: {
        $0.sensors[0].beacon = Self.beacon
        $0.sensors[1].holds = ["minor": "1", "room_name": "Not ours"]
      })
    #expect(run.outcome(1)?.outcome == .provisioned)
    #expect(run.outcome(1)?.evidence?.address == Sample.address(1))
    #expect(!run.writes.contains { $0.address == Sample.address(2) })
  }

  // MARK: Decisions

  @Test("a sensor is recognised by the expected beacon with any minor; a factory beacon is not the room's")
  func matched() {
    let room = Self.room(7).with(address: 1)
    let expected = DeviceIdentity.beacon(Self.site, Self.major, 7)
    func found(_ received: Advertisement) -> Match? {
      match(Sample.building([room]), with: Self.air([room], [received]))[room.id]
    }
    #expect(found(Self.advertisement(1, minor: 7)) == .stopped(.actionRequired, .settingsUnknown(expected)))
    #expect(
      found(Self.advertisement(1, minor: 9))
        == .stopped(.actionRequired, .configuredOtherwise(.beacon(Self.site, Self.major, 9))))
    #expect(
      found(Self.factory(1, minor: 7))
        == .stopped(.actionRequired, .configuredOtherwise(7)))
    #expect(found(Self.factory(2, minor: 7)) == .device(Sample.address(1), .address), "another device has it")
    #expect(
      found(Self.advertisement(2, minor: 7))
        == .stopped(.actionRequired, .identityOnAir(expected, [Sample.address(2)])))
  }

  @Test("a beacon of another family with the same uuid and major does not become a Robo Sensor")
  func sameBeacon() {
    let service = DeviceFamily.iotDesignShop.service
    let rooms = [Self.room(1), Sample.beaconRoom(2, address: 2, uuid: Self.site, major: Int(Self.major))]
    for order in [[0, 1], [1, 0, 1]] {
      let received = [
        Self.advertisement(2, minor: 2, services: [service]), Self.advertisement(2, minor: 2),
      ]
      let air = Self.air(rooms, order.map { received[$0] })
      #expect(air[Sample.address(2)]?.life?.profile == "iot-design-shop")
    }
    #expect(
      Self.air(rooms, [Self.advertisement(1, minor: 1)])[Sample.address(1)]?.life?.profile == "robo-sensor")
  }

  @Test("a proof on record for another beacon does not count once the manifest expects a different one")
  func recorded() {
    let expecting = Self.room(1)
    let plain = Sample.room(1, address: 1)
    for (then, now) in [(plain, expecting), (expecting, plain)] {
      var lastKnown = LastKnownRoom(name: then.name, profile: then.family.id)
      lastKnown.lastWrite = LastWrite(
        address: Sample.address(1),
        state: .proved(Evidence(grade: .freshBeacon, address: Sample.address(1), identity: 1)),
        settings: then.settingResults(nil) { _ in .proved }, identity: then.identity, sealKey: nil,
        run: "run-1",
        at: Date(timeIntervalSince1970: 1_795_000_000))
      let known = Known(lastKnown: LastKnownBuilding(rooms: [then.id: lastKnown]))
      #expect(known.isDone(then) && !known.isDone(now))
      let silent = match(Sample.building([now]), with: Self.air([now], []), known)[now.id]
      #expect(silent == .device(Sample.address(1), .address))
      let received = now == plain ? Self.factory(1, minor: 1) : Self.advertisement(1, minor: 1)
      guard case .done? = match(Sample.building([now]), with: Self.air([now], [received]), known)[now.id]
      else {
        Issue.record("a device with the expected beacon must be done")
        continue
      }
      guard case .done? = match(Sample.building([then]), with: Self.air([then], []), known)[then.id] else {
        Issue.record("the proof on record must count")
        continue
      }
    }
  }

  @Test("a sensor is verified by the beacon that its room expects")
  func verified() {
    let rooms = [Self.room(1), Self.room(2)]
    var window = Verification.ledger(for: rooms, of: .builtIn)
    for received in [
      Self.advertisement(1, minor: 1), Self.factory(2, minor: 2), Self.advertisement(3, minor: 3),
      Self.advertisement(4, minor: 4),
    ] {
      _ = window.receive(received)
    }
    let verification = Verification(rooms, Known(), windows: [window], by: [])
    #expect(verification.rooms.map(\.finding) == [.onAir, .otherIdentity])
    #expect(verification.rooms.map(\.held) == [nil, 2])
    #expect(verification.unexpected.map(\.address) == [Sample.address(3), Sample.address(4)])
  }

  @Test("a plan does not write the settings of the expected beacon")
  func planned() {
    let room = Self.room(1)
    let request = ApplyRequest(
      building: Sample.building([room]), runID: "run-1", toolVersion: "", host: "", manifestPath: "",
      manifestSHA256: "", isSimulated: true)
    let plan = ApplyPlan(request, [room.id: .device(Sample.address(1), .address)])
    #expect(plan.rooms[0].settings?.map(\.name) == [.wifiSSID, .wifiPassword, .roomName, .minor])
  }
}

extension Room {
  fileprivate func with(address: UInt64) -> Room {
    var room = self
    room.address = Sample.address(address)
    return room
  }
}
