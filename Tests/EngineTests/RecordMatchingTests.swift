import Bluetooth
import Foundation
import SampleFacts
import Testing

@testable import Engine
@testable import Families
@testable import Model

/// Decisions by the record beside the advertisements.
@Suite("matching with a record") struct RecordMatchingTests {
  private static let seal = SecretSeal(key: "k1") { text in "sealed(\(text.count),\(text.hashValue))" }
  private static let then = Date(timeIntervalSince1970: 1_795_000_000)

  /// A room with device `number`, and its last write.
  private func lastKnown(
    _ room: Room, _ number: UInt64, _ state: LastWrite.State?, sealedBy seal: SecretSeal? = seal
  ) -> LastKnownRoom {
    var lastKnown = LastKnownRoom(name: room.name, profile: room.family.id)
    let address = Sample.address(number)
    lastKnown.bindings = [Binding(address: address, basis: .any, run: "run-1", at: Self.then)]
    lastKnown.lastWrite = state.map {
      LastWrite(
        address: address, state: $0,
        settings: room.settingResults(seal) { $0 == .minor ? .proved : .written }, identity: room.identity,
        sealKey: seal?.key,
        run: "run-1", at: Self.then)
    }
    return lastKnown
  }

  private func proved(_ number: UInt64, _ minor: UInt16) -> LastWrite.State {
    .proved(Evidence(grade: .freshBeacon, address: Sample.address(number), identity: .sensor(minor)))
  }

  private func known(
    _ rooms: [RoomID: LastKnownRoom], _ permissions: RecordPermissions = .init(), seal: SecretSeal? = seal
  ) -> Known {
    Known(lastKnown: LastKnownBuilding(rooms: rooms), permissions: permissions, seal: seal)
  }

  private func one(
    _ room: Room, _ lastKnown: LastKnownRoom?, air: [Advertisement],
    _ permissions: RecordPermissions = .init(),
    assign: Building.Assignment = .any
  ) -> Match? {
    match(
      Sample.building([room], assign), with: Sample.air(air),
      known(lastKnown.map { [room.id: $0] } ?? [:], permissions))[room.id]
  }

  @Test("a binding on record outranks unclaimed devices")
  func binding() {
    let room = Sample.room(7)
    let match = one(room, lastKnown(room, 2, nil), air: [Sample.waiting(1)])
    #expect(match == .device(Sample.address(2), .record))
  }

  @Test("an address in the manifest outranks the record")
  func manifestAddress() {
    let room = Sample.room(7, address: 1)
    let match = one(
      room, lastKnown(room, 2, nil), air: [Sample.waiting(1), Sample.waiting(2)], .init(rebind: [room.id]))
    #expect(match == .device(Sample.address(1), .address))
    let written = one(room, lastKnown(room, 2, proved(2, 7)), air: [], .init(rebind: [room.id]))
    #expect(written == .device(Sample.address(1), .address), "another device was written")
  }

  @Test("a retired or accepted room is excluded unless it is forced")
  func retiredOrAccepted() {
    let rooms = [Sample.room(7), Sample.room(8), Sample.room(9)]
    let recorded = RecordedAt(run: "run-1", at: Self.then)
    var lastKnownRooms = rooms.map { lastKnown($0, UInt64($0.minor ?? 0), nil) }
    lastKnownRooms[0].retirement = RoomRetirement(reason: "walled up", recorded: recorded)
    lastKnownRooms[1].acceptances = [Acceptance(reason: "no power", by: "QA", given: recorded)]
    let record = Dictionary(uniqueKeysWithValues: zip(rooms.map(\.id), lastKnownRooms))
    func excluded(_ permissions: RecordPermissions = .init()) -> [Exclusion?] {
      let excluded = RoomSelection().excluded(from: Sample.building(rooms), known(record, permissions))
      return rooms.map { excluded[$0.id] }
    }
    #expect(
      excluded() == [
        Exclusion(.retired, reason: "walled up"), Exclusion(.accepted, reason: "no power", by: "QA"), nil,
      ])
    #expect(excluded(.init(force: Set(rooms.map(\.id)))) == [nil, nil, nil])
  }

  @Test("a device with a room is given to no other room")
  func boundElsewhere() {
    let other = Sample.room(8)
    let matches = match(
      Sample.building([Sample.room(7)], .any), with: Sample.air([Sample.waiting(2)]),
      known([other.id: lastKnown(other, 2, nil)]))
    #expect(matches["room-7"] == .stopped(.pending, .noCandidate()))
  }

  @Test("a retired device is given to no room")
  func retiredDevice() {
    let retired = LastKnownBuilding(
      retired: [Sample.address(1): Retirement(room: "old", reason: nil, at: Self.then)])
    let matches = match(
      Sample.building([Sample.room(7)], .any), with: Sample.air([Sample.waiting(1)]),
      Known(lastKnown: retired)
    )
    #expect(matches["room-7"] == .stopped(.pending, .noCandidate()))
  }

  @Test("a room with a proof on record is done without a sighting")
  func doneWithoutSighting() {
    let room = Sample.room(7)
    guard case .done(let evidence, let settings)? = one(room, lastKnown(room, 1, proved(1, 7)), air: [])
    else {
      Issue.record("the match must be .done")
      return
    }
    #expect(evidence == Evidence(grade: .freshBeacon, address: Sample.address(1), identity: 7, run: "run-1"))
    #expect(settings.map(\.state) == [.written, .written, .written, .proved])
  }

  @Test("a room with a proof on record is done by the last sighting of its device")
  func seenLater() {
    let room = Sample.room(7)
    var seen = lastKnown(room, 1, proved(1, 7))
    seen.lastWrite?.seen = RecordedAt(run: "run-2", at: Self.then + 60)
    guard case .done(let evidence, _)? = one(room, seen, air: []) else {
      Issue.record("the match must be .done")
      return
    }
    #expect(evidence.run == "run-2" && evidence.seenAt == Self.then + 60)
  }

  @Test("a room with a proof on record and a sighting is done by the sighting")
  func doneBySighting() {
    let room = Sample.room(7)
    guard
      case .done(let evidence, let settings)? = one(
        room, lastKnown(room, 1, proved(1, 7)), air: [Sample.beacon(1, minor: 7)])
    else {
      Issue.record("the match must be .done")
      return
    }
    #expect(evidence.grade == .beaconOnAir && evidence.run == nil)
    #expect(settings.map(\.state) == [.written, .written, .written, .proved])
  }

  @Test("a proved device in provisioning mode is provisioned again")
  func provisionedAgain() {
    let room = Sample.room(7)
    let match = one(room, lastKnown(room, 1, proved(1, 7)), air: [Sample.waiting(1)])
    #expect(match == .device(Sample.address(1), .record))
  }

  /// Changes since the last write, and whether they matter.
  static let changes: [(String, @Sendable (inout Room) -> Void, SettingName?)] = [
    ("nothing", { _ in }, nil),
    ("the password", { $0.settings[.wifiPassword] = .secret(Secret("another horse")) }, .wifiPassword),
    ("the network", { $0.settings[.wifiSSID] = .text("Guests") }, .wifiSSID),
    ("the name on the sensor", { $0.settings[.roomName] = .text("Kitchen") }, .roomName),
    // Without a network in the manifest, no network is written and none is removed.
    (
      "WiFi left out",
      {
        $0.settings[.wifiSSID] = nil; $0.settings[.wifiPassword] = nil
      }, nil
    ),
  ]

  @Test("a configured device with changed settings requires action", arguments: changes.indices)
  func changedSettings(index: Int) {
    let (what, change, changed) = Self.changes[index]
    let before = Sample.room(7)
    var now = before
    change(&now)
    for air in [[], [Sample.beacon(1, minor: 7)]] {
      let match = one(now, lastKnown(before, 1, proved(1, 7)), air: air)
      if let changed {
        guard case .stopped(.actionRequired, let reason)? = match, let changes = reason.changes else {
          Issue.record("\(what): \(String(describing: match))")
          continue
        }
        #expect(reason == .settingsChanged(7, changes), "\(what)")
        #expect(changes.map(\.name) == [changed] && changes[0].change == .changed, "\(what)")
        #expect(changes[0].recorded == before.settings[changed]?.shown, "\(what)")
      } else {
        guard case .done? = match else {
          Issue.record("\(what): \(String(describing: match))")
          continue
        }
      }
    }
    let waiting = one(now, lastKnown(before, 1, proved(1, 7)), air: [Sample.waiting(1)])
    #expect(waiting == .device(Sample.address(1), .record), "\(what): a waiting device is written again")
  }

  @Test("a room that runs wrote without knowledge of each other is written again, once a person permits it")
  func unordered() {
    let room = Sample.room(7)
    var recorded = lastKnown(room, 1, proved(1, 7))
    recorded.unordered = ["a", "b"]
    for lastWrite in [recorded.lastWrite, nil] {
      recorded.lastWrite = lastWrite
      let beacon = one(room, recorded, air: [Sample.beacon(1, minor: 7)])
      #expect(
        beacon == .stopped(.actionRequired, .settingsChanged(7)),
        "the beacon does not show which password it has")
      #expect(one(room, recorded, air: [Sample.waiting(1)]) == .device(Sample.address(1), .record))
    }
    let record = LastKnownBuilding(rooms: [room.id: recorded])
    #expect(!Known(lastKnown: record).isDone(room))
    #expect(
      conflicts(of: [room], with: record, allowing: .init()) == [.unordered(room: room.id, runs: ["a", "b"])])
    #expect(conflicts(of: [room], with: record, allowing: .init(force: [room.id])).isEmpty)
    #expect(conflicts(of: [room], with: record, allowing: .init(rebind: [room.id])).isEmpty)
  }

  @Test("a password sealed with another key counts as equal")
  func otherSealKey() {
    var now = Sample.room(7)
    now.settings[.wifiPassword] = .secret(Secret("another horse"))
    let other = SecretSeal(key: "k2") { _ in "different" }
    let before = lastKnown(Sample.room(7), 1, proved(1, 7), sealedBy: other)
    guard case .done? = one(now, before, air: []) else {
      Issue.record("a password under another key must count as equal")
      return
    }
  }

  @Test("a save with an unknown result is done if its identity is on air, and otherwise repeated")
  func unknownSaveResult() {
    let room = Sample.room(7)
    let submitted = lastKnown(room, 1, .submitted)
    // Received as configured: done. Received in provisioning mode, or not at all: to be connected to after a
    // sighting.
    guard case .done(let evidence, _)? = one(room, submitted, air: [Sample.beacon(1, minor: 7)]) else {
      Issue.record("the match must be .done")
      return
    }
    #expect(evidence.grade == .beaconOnAir)
    #expect(one(room, submitted, air: [Sample.waiting(1)]) == .device(Sample.address(1), .record))
    #expect(one(room, submitted, air: []) == .device(Sample.address(1), .record))
  }

  @Test("a save with an unknown result and other settings requires action if its identity is on air")
  func changedSinceSave() {
    let before = Sample.room(7)
    var now = before
    now.settings[.wifiSSID] = .text("Guests")
    let match = one(now, lastKnown(before, 1, .submitted), air: [Sample.beacon(1, minor: 7)])
    let old = before.settings[.wifiSSID]?.shown
    let change = PlannedSetting(name: .wifiSSID, value: "Guests", recorded: old, change: .changed)
    #expect(match == .stopped(.actionRequired, .settingsChanged(7, [change])))
  }

  @Test("a configured device whose room got another minor requires action, and the reason has its minor")
  func renumbered() {
    let before = Sample.room(7)
    var now = Sample.room(8)
    now.id = before.id
    for air in [[], [Sample.beacon(1, minor: 7)]] {
      let match = match(
        Sample.building([now]), with: Sample.air(air), known([before.id: lastKnown(before, 1, proved(1, 7))]))
      guard case .stopped(.actionRequired, let reason)? = match[now.id], let changes = reason.changes else {
        Issue.record("\(String(describing: match[now.id]))")
        continue
      }
      let minor = PlannedSetting(name: .minor, value: "8", recorded: "7", change: .changed)
      #expect(reason == .settingsChanged(7, changes) && changes.contains(minor))
    }
  }

  @Test("a minor on record for another device blocks the room unless that device is received without it")
  func identityOnRecord() {
    let gone = Sample.room(7)
    var now = Sample.room(7, address: 2)
    now.id = "new"
    let record = known([gone.id: lastKnown(gone, 1, proved(1, 7))])
    func decide(_ air: [Advertisement]) -> Match? {
      match(Sample.building([now]), with: Sample.air(air), record)[now.id]
    }
    let stopped = Match.stopped(
      .actionRequired, .identityOnRecord(7, [Sample.address(1)]))
    #expect(decide([Sample.waiting(2)]) == stopped)
    #expect(decide([Sample.waiting(2), Sample.waiting(1)]) == .device(Sample.address(2), .address))
    #expect(decide([Sample.waiting(2), Sample.beacon(1, minor: 9)]) == .device(Sample.address(2), .address))
  }

  @Test("a device that changed its address is the room's only if the manifest permits it")
  func changedAddress() {
    var room = Sample.room(7)
    room.proofAddress = .any
    let moved = lastKnown(
      room, 1, .proved(Evidence(grade: .freshBeaconOtherAddress, address: Sample.address(5), identity: 7)))
    guard case .done(let evidence, _)? = one(room, moved, air: [Sample.beacon(5, minor: 7)]) else {
      Issue.record("the other address must count as the room's device")
      return
    }
    #expect(evidence.address == Sample.address(5))
    #expect(
      one(room, moved, air: [Sample.waiting(1), Sample.beacon(5, minor: 7)])
        == .device(Sample.address(1), .record), "it is in provisioning mode again")
    #expect(
      one(room, moved, air: [Sample.beacon(1, minor: 9), Sample.beacon(5, minor: 7)])
        == .stopped(.actionRequired, .configuredOtherwise(9)))
    #expect(
      one(room, moved, air: [Sample.beacon(5, minor: 7), Sample.beacon(6, minor: 7)])
        == .stopped(.actionRequired, .identityOnAir(7, [Sample.address(6)])))
    room.proofAddress = .own
    #expect(
      one(room, moved, air: [Sample.beacon(5, minor: 7)])
        == .stopped(.actionRequired, .identityOnAir(7, [Sample.address(5)])))
    #expect(one(room, moved, air: []) == .device(Sample.address(1), .record))
  }

  @Test("a device that shows only that it is configured is done if its last write gave it the settings")
  func unnamed() {
    let room = ImprovScenarios.room()
    let (device, unknown) = (Sample.address(1), Match.stopped(.actionRequired, .settingsUnknown(nil)))
    let online = Advertisement(
      address: device, adapter: Sample.adapter, receivedAt: .init(sinceZero: .seconds(1)),
      serviceUUIDs: [Improv.Attribute.service],
      serviceData: [Improv.serviceData: [ImprovState.online.rawValue]])
    func decide(
      _ state: LastWrite.State?, isAccepted: Bool = false, unordered: [String] = [], now: Room? = nil,
      _ permissions: RecordPermissions = .init()
    ) -> Match? {
      var known = lastKnown(room, 1, state)
      known.lastWrite?.isAccepted = isAccepted
      known.unordered = unordered
      return one(now ?? room, known, air: [online], permissions)
    }
    func isDone(_ match: Match?) -> Bool {
      guard case .done(let evidence, _)? = match else { return false }
      return evidence.grade == .deviceStatus && evidence.address == device && evidence.run == "run-1"
    }
    #expect(decide(nil) == unknown && decide(.submitted) == unknown)
    #expect(isDone(decide(.submitted, isAccepted: true)) && isDone(decide(.acknowledged)))
    #expect(decide(.acknowledged, unordered: ["a", "b"]) == unknown)
    #expect(decide(.acknowledged, now: ImprovScenarios.room(password: "another horse")) == unknown)
    let proof = LastWrite.State.proved(Evidence(grade: .deviceStatus, address: device))
    #expect(isDone(decide(proof)) && decide(proof, unordered: ["a", "b"]) == unknown)
    for permissions in [RecordPermissions(force: [room.id]), .init(overwrite: [room.id])] {
      #expect(decide(nil, permissions) == .device(device, .address))
    }
    #expect(one(room, nil, air: []) == .device(device, .address))
    #expect(blocker(to: room, at: device, wasTouched: true, Sample.air([online]), Known()) == nil)
  }

  @Test("a device may have had its room's identity before, by what it sent and what is on record")
  func mayHaveHad() {
    let (room, device) = (Sample.room(7), Sample.address(1))
    let sent = Sample.air([Sample.beacon(1, minor: 7)])
    #expect(Known().mayHaveHad(room, at: device, sent))
    #expect(!Known().mayHaveHad(room, at: device, Sample.air([])))
    for other in [Sample.beaconRoom(7), ImprovScenarios.room()] {
      #expect(!Known().mayHaveHad(other, at: device, sent), "it is rewritable, or has no identity")
    }
    var changed = room
    changed.settings[.wifiSSID] = .text("Guests")
    let same = lastKnown(room, 1, .submitted).lastWrite
    let other = lastKnown(changed, 1, .submitted).lastWrite
    var later = same
    later?.run = "run-2"
    func known(_ writes: [LastWrite?], _ permissions: RecordPermissions = .init()) -> Known {
      var lastKnown = LastKnownBuilding()
      lastKnown.holdings = [device: writes.map { Holding(identity: 7, write: $0) }]
      return Known(lastKnown: lastKnown, permissions: permissions, seal: Self.seal)
    }
    #expect(!known([same, later]).mayHaveHad(room, at: device, sent))
    #expect(known([same], .init(force: [room.id])).mayHaveHad(room, at: device, sent))
    #expect(known([same, later]).onlyWrite(for: room, at: device)?.run == "run-2")
    for unlike in [other, nil] {
      #expect(known([same, unlike]).mayHaveHad(room, at: device, sent))
      #expect(known([unlike, same]).onlyWrite(for: room, at: device) == nil)
    }
  }

  @Test("a forced room is done again, but a configured device cannot be rewritten")
  func forced() {
    let room = Sample.room(7)
    let force = RecordPermissions(force: [room.id])
    let done = lastKnown(room, 1, proved(1, 7))
    #expect(one(room, done, air: [], force) == .device(Sample.address(1), .record))
    #expect(
      one(room, done, air: [Sample.beacon(1, minor: 7)], force)
        == .stopped(.actionRequired, .settingsChanged(7)))
  }
}

/// Conflicts that prevent a run.
@Suite("conflicts with the record") struct RecordConflictTests {
  private func bound(_ devices: [UInt64], minor: UInt16? = nil) -> LastKnownRoom {
    var lastKnown = LastKnownRoom(name: "x", profile: "robo-sensor")
    lastKnown.bindings = devices.map {
      Binding(address: Sample.address($0), basis: .any, run: "r", at: Date(timeIntervalSince1970: 0))
    }
    lastKnown.lastWrite = minor.map {
      LastWrite(
        address: Sample.address(devices[0]), state: .submitted,
        settings: [SettingResult(name: .minor, value: "\($0)", state: .written)], identity: .sensor($0),
        sealKey: nil,
        run: "r",
        at: Date(timeIntervalSince1970: 0))
    }
    return lastKnown
  }

  private func found(
    _ rooms: [Room], _ lastKnownRooms: [RoomID: LastKnownRoom], retired: [BluetoothAddress: Retirement] = [:],
    _ permissions: RecordPermissions = .init()
  ) -> [RecordConflict] {
    conflicts(of: rooms, with: .init(rooms: lastKnownRooms, retired: retired), allowing: permissions)
  }

  @Test("a manifest that agrees with the record has no conflict")
  func noConflict() {
    #expect(found([Sample.room(7, address: 1)], ["room-7": bound([1], minor: 7)]).isEmpty)
    #expect(found([Sample.room(7)], ["room-7": bound([1], minor: 7)]).isEmpty)
    #expect(found([Sample.room(7, address: 1)], [:]).isEmpty)
  }

  @Test("another address than on record is a conflict without a permission")
  func anotherAddress() {
    let rooms = [Sample.room(7, address: 2)]
    let lastKnownRooms: [RoomID: LastKnownRoom] = ["room-7": bound([1])]
    #expect(
      found(rooms, lastKnownRooms)
        == [.boundToAnother(room: "room-7", named: Sample.address(2), recorded: Sample.address(1))])
    #expect(found(rooms, lastKnownRooms, .init(rebind: ["room-7"])).isEmpty)
    #expect(
      !found(rooms, lastKnownRooms, .init(rebind: ["room-8"], renumber: true, force: ["room-7"])).isEmpty)
  }

  @Test(
    "another uuid or major of a provisioned beacon is a conflict, as another minor is; what firmware sends is not"
  )
  func otherMajor() {
    func conflicts(_ then: Room, _ now: Room, renumber: Bool = false) -> [RecordConflict] {
      var recorded = LastKnownRoom(name: "x", profile: then.family.id)
      recorded.bindings = [
        Binding(address: Sample.address(1), basis: .any, run: "r", at: Date(timeIntervalSince1970: 0))
      ]
      recorded.lastWrite = LastWrite(
        address: Sample.address(1), state: .submitted, settings: then.settingResults(nil) { _ in .written },
        identity: then.identity, sealKey: nil, run: "r", at: Date(timeIntervalSince1970: 0))
      return found([now], [now.id: recorded], .init(renumber: renumber))
    }
    let then = Sample.beaconRoom(7, address: 1)
    let changed = [
      Sample.beaconRoom(7, address: 1, major: 9),
      Sample.beaconRoom(7, address: 1, uuid: RoboSensor.FactoryBeacon.uuid),
      Sample.beaconRoom(7, address: 1, minor: 8),
    ]
    for now in changed {
      guard case .renumbered(_, then.identity, now.identity, _)? = conflicts(then, now).first else {
        Issue.record("no conflict: \(String(describing: now.identity))")
        continue
      }
      #expect(conflicts(then, now, renumber: true).isEmpty)
    }
    #expect(conflicts(then, Sample.beaconRoom(7, address: 1, power: "high")).isEmpty)
    var expecting = Sample.room(7, address: 1)
    expecting.settings[.beaconMajor] = .integer(9)
    #expect(conflicts(Sample.room(7, address: 1), expecting).isEmpty, "its firmware decides the major")
  }

  @Test("the device of another room is a conflict without a permission")
  func anotherRoomsDevice() {
    let rooms = [Sample.room(7, address: 1)]
    let lastKnownRooms: [RoomID: LastKnownRoom] = ["office": bound([1])]
    #expect(
      found(rooms, lastKnownRooms)
        == [.deviceOfAnotherRoom(room: "room-7", named: Sample.address(1), other: "office")])
    #expect(
      found(rooms, ["office": bound([1]), "attic": bound([1])])
        == [.deviceOfAnotherRoom(room: "room-7", named: Sample.address(1), other: "attic")])
    #expect(found(rooms, lastKnownRooms, .init(rebind: ["room-7"])).isEmpty)
  }

  @Test("a retired device is a conflict without a permission")
  func retiredDevice() {
    let retirement = Retirement(room: "room-7", reason: "dead", at: Date(timeIntervalSince1970: 0))
    let rooms = [Sample.room(7, address: 1)]
    let retired = [Sample.address(1): retirement]
    #expect(
      found(rooms, [:], retired: retired)
        == [.deviceRetired(room: "room-7", named: Sample.address(1), retirement)])
    #expect(found(rooms, [:], retired: retired, .init(rebind: ["room-7"])).isEmpty)
  }

  @Test("a new minor for a provisioned room is a conflict without a permission")
  func newMinor() {
    let rooms = [Sample.room(7, address: 1)]
    let lastKnownRooms: [RoomID: LastKnownRoom] = ["room-7": bound([1], minor: 6)]
    #expect(
      found(rooms, lastKnownRooms)
        == [.renumbered(room: "room-7", from: 6, to: 7, device: Sample.address(1))])
    #expect(found(rooms, lastKnownRooms, .init(renumber: true)).isEmpty)
    // A room that was never written may get any minor.
    #expect(found(rooms, ["room-7": bound([1])]).isEmpty)
  }

  @Test("all contradictions of a record are in the order of its rooms")
  func allConflicts() {
    let (one, two, three) = (Sample.address(1), Sample.address(2), Sample.address(3))
    var rooms: [RoomID: LastKnownRoom] = [
      "a": bound([1], minor: 7), "b": bound([1], minor: 7), "c": bound([3, 2]), "d": bound([3, 2]),
      "e": bound([4], minor: 8), "f": bound([5], minor: 8), "g": bound([6], minor: 9),
      "h": bound([7], minor: 9), "i": bound([8]), "k": bound([9]),
    ]
    for room in ["i", "k"] as [RoomID] { rooms[room]?.unordered = ["x", "y"] }
    let conflicts = LastKnownBuilding(rooms: rooms).conflicts
    #expect(
      conflicts.prefix(7) == [
        .severalDevices(room: "c", [two, three]), .severalDevices(room: "d", [two, three]),
        .severalRooms(device: one, ["a", "b"]), .severalRooms(device: two, ["c", "d"]),
        .severalRooms(device: three, ["c", "d"]), .unordered(room: "i", runs: ["x", "y"]),
        .unordered(room: "k", runs: ["x", "y"]),
      ])
    #expect(
      conflicts.dropFirst(7) == [
        .identityTwice(8, ["e", "f"], [Sample.address(4), Sample.address(5)]),
        .identityTwice(9, ["g", "h"], [Sample.address(6), Sample.address(7)]),
      ])
  }

  @Test("a room has its earlier id only if that is gone from the manifest, and it has no device itself")
  func earlierIDs() {
    func planned(_ room: RoomID, _ device: UInt64?) -> PlannedRoom {
      PlannedRoom(
        room: room, name: "x", profile: "robo-sensor", address: device.map(Sample.address), settings: [])
    }
    let record = LastKnownBuilding(rooms: [
      "a": bound([1]), "b": bound([1]), "c": bound([1]), "d": bound([2]), "e": bound([3]), "f": bound([]),
    ])
    let manifest = [
      planned("c", 1), planned("d", 3), planned("f", 2), planned("new", 1), planned("other", nil),
    ]
    // The device of f is that of d, which the manifest still has.
    #expect(record.earlierIDs(of: manifest) == ["new": "a"])
    #expect(record.earlierIDs(of: [planned("f", 2)]) == ["f": "d"])
  }

  @Test("contradictions in merged records are conflicts")
  func mergedRecords() {
    #expect(
      found([Sample.room(7)], ["room-7": bound([2, 1])])
        == [.severalDevices(room: "room-7", [Sample.address(1), Sample.address(2)])])
    #expect(
      found([Sample.room(7)], ["room-7": bound([1]), "room-8": bound([1])])
        == [.severalRooms(device: Sample.address(1), ["room-7", "room-8"])])
  }
}
