import Bluetooth
import Foundation
import Journal
import Model
import SampleFacts

@testable import Reporting

/// A building with a report made like the program's: from the events of its runs, folded by `BuildingRecord`.
struct SampleBuilding {
  static let day = Date(timeIntervalSince1970: 1_795_165_200)
  static let adapters = [AdapterID.first, AdapterID(BluetoothAddress(rawValue: 0x001A_7DDA_7102))]

  private(set) var runs: [[RunEvent]] = []
  let rooms: [PlannedRoom]

  /// A building with rooms of these names; each has the address of its device.
  /// - Parameter perFloor: The number of rooms on a floor; nil for a building without floors.
  init(_ names: [String], perFloor: Int? = nil) {
    rooms = names.enumerated().map { index, name in
      var room = PlannedRoom.sample(
        RoomID(rawValue: "room-\(index + 1)"), name, minor: UInt16(index + 1),
        address: .sensor(UInt64(index + 1)))
      room.floor = perFloor.map { "\(index / $0 + 1)" }
      return room
    }
  }

  /// A building with this number of rooms.
  init(rooms count: Int) {
    self.init((0..<count).map { "Room \(100 * (1 + $0 / 40) + $0 % 40 + 1)" }, perFloor: 40)
  }

  /// Adds a run, which knows the ones before it.
  mutating func add(_ run: SampleRun) { add(run.events) }

  mutating func add(_ events: [RunEvent]) {
    var events = events
    if case .runStarted(var started) = events[0].fact {
      let predecessors = RunOrder.predecessors(after: runs)
      started.predecessors = predecessors.isEmpty ? nil : predecessors
      events[0].fact = .runStarted(started)
    }
    runs.append(events)
  }

  func report(_ manifest: BuildingReport.Manifest? = nil) -> BuildingReport {
    BuildingReport(
      building: "harbour-house",
      runs: runs.enumerated().map {
        RecordedRun(events: $1, journalHash: String(repeating: "c0ffee\($0 % 10)d", count: 8))
      },
      lastKnown: BuildingRecord(runs).lastKnown,
      manifest: manifest
        ?? .init(
          path: "manifests/harbour-house.yaml", sha256: String(repeating: "ab12", count: 16),
          rooms: rooms.wanted),
      made: Self.day.addingTimeInterval(2 * 86_400),
      by: .init(toolVersion: "0.1.0", host: "laptop", user: "anna"))
  }
}

/// One run of the sample. Its facts have explicit times, so that the work of two adapters overlaps.
struct SampleRun {
  let id: String
  private let start: Date
  private var facts: [(at: Double, fact: Fact)] = []
  /// The time at which each adapter can connect next.
  private var free: [Double] = [9, 9.2]
  private var end = 9.5

  init(
    _ building: SampleBuilding, _ command: RecordedCommand = .apply, day: Double, simulated: Bool = false,
    isClockSynchronised: Bool? = true, planned: [PlannedRoom]? = nil
  ) {
    start = SampleBuilding.day.addingTimeInterval(day * 86_400)
    id = "2026112\(Int(day))T0900\(Int(day * 10) % 10)0Z-laptop-7f3a"
    at(
      0,
      .runStarted(
        .init(
          command, run: id, building: "harbour-house", buildingName: "Harbour House", toolVersion: "0.1.0",
          host: "laptop", manifestPath: "manifests/harbour-house.yaml",
          manifestSHA256: String(repeating: "ab12", count: 16), simulated: simulated, operatedBy: "anna",
          isClockSynchronised: isClockSynchronised, rooms: planned ?? building.rooms, families: .builtIn)))
  }

  mutating func at(_ seconds: Double, _ fact: Fact) {
    facts.append((seconds, fact))
    end = max(end, seconds)
  }

  var events: [RunEvent] {
    facts.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.enumerated().map {
      RunEvent(
        sequence: $0 + 1, at: start.addingTimeInterval($1.element.at),
        elapsed: .milliseconds(Int64($1.element.at * 1000)), fact: $1.element.fact)
    }
  }

  /// Two adapters scan for 8 s and receive the devices of these rooms.
  mutating func survey(_ rooms: some Sequence<PlannedRoom>) {
    for (index, adapter) in SampleBuilding.adapters.enumerated() {
      at(0.1, .adapterSelected(.init(adapter: adapter, name: "hci\(index)", stack: "BlueZ 5.66")))
      at(0.3, .scanStarted(.init(adapter: adapter, purpose: .survey)))
      at(8.3, .scanStopped(.init(adapter: adapter, purpose: .survey)))
    }
    for (index, room) in rooms.enumerated() {
      let address = room.address ?? .sensor(0)
      at(
        0.5 + Double(index % 70) / 10,
        .deviceSighted(
          .init(address: address, adapter: .first, profile: "robo-sensor", rssi: Self.rssi(room))))
    }
  }

  /// Writes a room. The attempt fails with `failure`, or is proved in the adapter's next scan window.
  mutating func write(
    _ room: PlannedRoom, _ number: Int = 1, failure: FailureReason? = nil, outcome: Outcome? = nil,
    grade: Evidence.Grade = .freshBeacon
  ) {
    let index = room.minorNumber % 2
    let adapter = SampleBuilding.adapters[index]
    let address = room.address ?? .sensor(0)
    var now = free[index]
    func stage(
      _ stage: Stage, _ setting: SettingName? = nil, _ seconds: Double, _ failure: FailureReason? = nil
    ) {
      at(
        now,
        .stageStarted(.init(room: room.room, attempt: number, stage: stage, setting: setting, timeout: 15)))
      now += seconds
      at(
        now,
        .stageEnded(
          .init(
            room: room.room, attempt: number, stage: stage, setting: setting, seconds: seconds,
            failure: failure)))
    }
    let begin = now
    at(now, .bindingCommitted(.init(room: room.room, address: address, basis: .address)))
    at(
      now,
      .attemptStarted(
        .init(room: room.room, address: address, adapter: adapter, number: number, rssi: Self.rssi(room))))
    if let failure, failure.stage == .connect {
      stage(.connect, nil, 3, failure)
      free[index] = now + 0.1
      at(now, .attemptEnded(.init(room: room.room, number: number, seconds: now - begin, failure: failure)))
      if let outcome { finish(room, outcome, failure, attempts: number, at: now + 0.1) }
      return
    }
    stage(.connect, nil, 0.25 + Double(room.minorNumber % 5) / 20)
    free[index] = now + 0.1
    stage(.discover, nil, 0.8)
    stage(.ready, nil, 0.05)
    for setting in room.settings {
      stage(.write, setting.name, 0.06)
      at(now, .settingWritten(.init(room: room.room, attempt: number, setting: setting.name, bytes: 7)))
    }
    at(now, .saveSubmitted(.init(room: room.room, attempt: number, address: address)))
    stage(.save, nil, 0.4, failure)
    if let failure {
      at(now, .attemptEnded(.init(room: room.room, number: number, seconds: now - begin, failure: failure)))
      if let outcome { finish(room, outcome, failure, attempts: number, at: now + 0.1) }
      return
    }
    let saved = now
    at(now, .scanStarted(.init(adapter: adapter, purpose: .proof)))
    stage(.verify, nil, 2.5)
    at(now, .scanStopped(.init(adapter: adapter, purpose: .proof)))
    let evidence = Evidence(
      grade: grade, address: address, identity: room.identity, rssi: Self.rssi(room),
      secondsAfterSave: now - saved)
    at(now, .proofReceived(.init(room: room.room, attempt: number, evidence: evidence)))
    at(now, .attemptEnded(.init(room: room.room, number: number, seconds: now - begin)))
    at(
      now,
      .roomFinished(
        .init(
          room: room.room, outcome: number == 1 ? .provisioned : .provisionedAfterRetry, address: address,
          adapter: adapter, attempts: number, seconds: now - begin, rssi: Self.rssi(room), evidence: evidence,
          settings: room.proved)))
  }

  /// A room that an earlier run completed: on air again, or silent and done by the record of that run.
  mutating func recall(
    _ room: PlannedRoom, received: Bool, since run: SampleRun, grade: Evidence.Grade = .freshBeacon
  ) {
    let address = room.address ?? .sensor(0)
    let evidence =
      received
      ? Evidence(grade: .beaconOnAir, address: address, identity: room.identity, rssi: Self.rssi(room))
      : Evidence(
        grade: grade, address: address, identity: room.identity, rssi: -60, run: run.id,
        seenAt: run.start.addingTimeInterval(20))
    at(
      9,
      .roomFinished(
        .init(
          room: room.room, outcome: .alreadyProvisioned, address: address, attempts: 0, seconds: 0,
          rssi: received ? Self.rssi(room) : nil, evidence: evidence, settings: room.proved)))
  }

  mutating func finish(
    _ room: PlannedRoom, _ outcome: Outcome, _ reason: FailureReason?, attempts: Int = 0, at time: Double = 30
  ) {
    at(
      time,
      .roomFinished(
        .init(
          room: room.room, outcome: outcome, address: room.address, attempts: attempts, seconds: 4,
          rssi: reason?.code == .neverReceived ? nil : Self.rssi(room), settings: room.settings,
          reason: reason))
    )
  }

  mutating func end(_ outcome: RunOutcome) { at(end + 0.5, .runFinished(.init(outcome: outcome))) }

  private static func rssi(_ room: PlannedRoom) -> Int { -48 - room.minorNumber * 7 % 41 }
}

extension PlannedRoom {
  var minor: UInt16? { settings.first { $0.name == .minor }?.value.flatMap { UInt16($0) } }
  fileprivate var minorNumber: Int { Int(minor ?? 0) }
}

extension SampleBuilding {
  /// Forty rooms with every possible state: runs, amendments, two edits of the manifest.
  static func varied(_ change: (inout [String]) -> Void = { _ in }) -> BuildingReport {
    var names = (1...40).map { "Room \(100 * (1 + $0 / 14) + $0 % 14)" }
    names[2] = "Büro Nord, 1. OG"
    names[4] = "Küche"
    change(&names)
    var building = SampleBuilding(names, perFloor: 14)
    let rooms = building.rooms
    let timeout = FailureReason.connectTimedOut(seconds: 3)
    let lost = FailureReason.linkLost(FailedStep(.save, stackText: "org.bluez.Error.Failed"))

    // The last room was added to the manifest after the runs.
    var planned = Array(rooms.dropLast())
    var first = SampleRun(building, day: 0, planned: planned)
    first.survey(rooms.prefix(35))
    for room in rooms.prefix(30) {
      first.write(room, grade: room.room == "room-29" ? .selfDisconnect : .freshBeacon)
    }
    for room in rooms[30..<33] { first.write(room, failure: timeout, outcome: .unreachable) }
    for room in rooms[33..<35] { first.write(room, failure: lost, outcome: .unconfirmed) }
    for room in rooms[35..<39] { first.finish(room, .unreachable, .neverReceived(searchSeconds: 15)) }
    first.end(.incomplete)
    building.add(first)

    var accept = SampleRun(building, .accept, day: 0.3)
    accept.at(
      0.1, .roomAccepted(.init(room: "room-38", reason: "Behind a locked door until March", by: "J. Meier")))
    accept.end(.complete)
    building.add(accept)

    planned[37].exclusion = Exclusion(.accepted, reason: "Behind a locked door until March", by: "J. Meier")
    var second = SampleRun(building, day: 1, isClockSynchronised: false, planned: planned)
    second.survey(Array(rooms[0..<22]) + rooms[30..<37])
    for (index, room) in rooms.prefix(30).enumerated() {
      let grade = room.room == "room-29" ? Evidence.Grade.selfDisconnect : .freshBeacon
      second.recall(room, received: index < 22, since: first, grade: grade)
    }
    second.write(rooms[30], failure: timeout)
    second.write(rooms[30], 2)
    second.write(rooms[31], failure: timeout)
    second.write(rooms[31], 2, failure: timeout, outcome: .unreachable)
    second.write(rooms[32], failure: timeout, outcome: .unreachable)
    second.write(rooms[33])
    second.write(rooms[34], failure: lost, outcome: .unconfirmed)
    second.write(rooms[35], failure: .refused(stage: .save, deviceText: "error:flash full"), outcome: .failed)
    for room in [rooms[36], rooms[38]] {
      second.finish(room, .unreachable, .neverReceived(searchSeconds: 15))
    }
    second.end(.incomplete)
    building.add(second)

    var retire = SampleRun(building, .retire, day: 1.3)
    retire.at(
      0.1,
      .bindingReleased(
        .init(
          room: "room-30", address: .sensor(30), cause: .retired, reason: "Now a store room", silent: true)))
    retire.at(0.2, .roomRetired(.init(room: "room-30", reason: "Now a store room")))
    retire.end(.complete)
    building.add(retire)

    // Since the runs, the manifest has a new name for one room and lacks another room.
    let wanted = rooms.map { room in
      var room = room
      for index in room.settings.indices
      where room.room == "room-12" && room.settings[index].name == .roomName {
        room.settings[index].value = "Another name"
      }
      return room
    }
    return building.report(
      .init(
        path: "manifests/harbour-house.yaml", sha256: String(repeating: "ab12", count: 16),
        rooms: wanted.filter { $0.room != "room-37" }.wanted))
  }

  /// A large building with few open rooms: provisioned in one run, found unchanged in `recalls` more.
  static func large(rooms count: Int, recalls: Int) -> BuildingReport {
    var building = SampleBuilding(rooms: count)
    let rooms = building.rooms
    let timeout = FailureReason.connectTimedOut(seconds: 3)
    var first = SampleRun(building, day: 0)
    first.survey(rooms)
    for (index, room) in rooms.enumerated() {
      let isLate = index % 10 == 3
      if isLate { first.write(room, failure: timeout) }
      if index % 50 == 7 {
        first.finish(room, .unreachable, .neverReceived(searchSeconds: 15))
      } else {
        first.write(room, isLate ? 2 : 1)
      }
    }
    first.end(.incomplete)
    building.add(first)
    for day in 1..<(1 + recalls) {
      var run = SampleRun(building, day: Double(day))
      run.survey(rooms.prefix(count - count / 5))
      for (index, room) in rooms.enumerated() {
        if index % 50 == 7 {
          run.finish(room, .unreachable, .neverReceived(searchSeconds: 15))
        } else {
          run.recall(room, received: index < count - count / 5, since: first)
        }
      }
      run.end(.incomplete)
      building.add(run)
    }
    return building.report()
  }
}

extension [PlannedRoom] {
  /// The rooms of a manifest that was read without a site key.
  var wanted: [WantedRoom] { map { WantedRoom($0, sealKey: nil, expected: []) } }
}
