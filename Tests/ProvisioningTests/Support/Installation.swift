import Bluetooth
import Foundation
import Journal
import Provisioning
import Testing
import VirtualBuilding
import VirtualTime

/// A building over months: rooms, sensors, two laptops, each with the record of what was done with it; and persons
/// who change the manifest, press buttons and replace sensors.
struct Installation {
  let world: World
  let clock: VirtualClock
  var chance: SeededGenerator

  var rooms: [Room]
  let assignment: Building.Assignment
  /// What each laptop has on record: its runs, by id.
  var records: [[String: [RunEvent]]] = [[:], [:]]
  /// Sensors on the shelf, switched off, never used.
  var spares: [UInt64]
  /// Sensors in the dustbin, switched off for good.
  var dustbin: Set<BluetoothAddress> = []
  /// What was done, for who looks into a failure.
  var diary: [String] = []
  /// The laptop that died with a link, maybe: another does not know whose that is.
  private var diedLast: Int?
  private var runs = 0
  private var nextMinor = 100

  static let roomCount = 3
  static let seal = SecretSeal(key: "site") { text in
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return String(hash, radix: 16)
  }

  init(world: World, clock: VirtualClock, chance: SeededGenerator, assignment: Building.Assignment) async {
    self.world = world
    self.clock = clock
    self.chance = chance
    self.assignment = assignment
    rooms = (1...Self.roomCount).map {
      Sample.room($0, address: assignment == .any ? nil : UInt64($0), retries: 1)
    }
    spares = (1...2).map { UInt64(Self.roomCount + $0) }
    for spare in spares { await world.setMuted(true, Sample.address(spare)) }
  }

  static func scenario(_ seed: UInt64) -> Scenario {
    Scenario(
      seed: seed, adapters: adapters,
      sensors: (1...UInt64(roomCount + 2)).map { SensorScenario(address: Sample.address($0)) })
  }

  // MARK: What is known

  func archive(_ laptop: Int) -> BuildingRecord {
    BuildingRecord(records[laptop].sorted { $0.key < $1.key }.map(\.value), simulated: true)
  }

  var addresses: [BluetoothAddress] { world.scenario.sensors.map(\.address) }

  func known(_ laptop: Int, _ permissions: RecordPermissions = .init()) -> Known {
    Known(standing: archive(laptop).standing, permissions: permissions, seal: Self.seal)
  }

  /// Everybody's events, each run once.
  private var everything: [RunEvent] {
    records[0].merging(records[1]) { a, b in a.count > b.count ? a : b }.values.flatMap(\.self)
  }

  // MARK: What persons do

  mutating func merge() {
    diary.append("merge")
    let all = records[0].merging(records[1]) { a, b in a.count > b.count ? a : b }
    records = [all, all]
  }

  mutating func changePassword() {
    let password = "horse \(chance.next())"
    diary.append("new password")
    for index in rooms.indices { rooms[index].settings[.wifiPassword] = .secret(Secret(password)) }
  }

  mutating func renumber() {
    let index = Int(chance.next() % UInt64(rooms.count))
    nextMinor += 1
    diary.append("\(rooms[index].id) gets minor \(nextMinor)")
    rooms[index].settings[.minor] = .integer(nextMinor)
  }

  mutating func pressSomeButton() async {
    let address = addresses[Int(chance.next() % UInt64(addresses.count))]
    diary.append("button of \(address)")
    await world.pressButton(address)
    try? await clock.sleep(for: .seconds(10))
  }

  /// A room's sensor breaks, and is replaced by one from the shelf.
  mutating func replaceSomeSensor(_ laptop: Int) async {
    merge()
    let bound = archive(laptop).standing.rooms.compactMap { id, room in room.binding.map { (id, $0.address) }
    }
    .sorted { $0.0 < $1.0 }
    guard !spares.isEmpty, !bound.isEmpty else { return }
    let (room, old) = bound[Int(chance.next() % UInt64(bound.count))]
    let new = Sample.address(spares.removeFirst())
    diary.append("\(room): \(old) replaced by \(new)")
    dustbin.insert(old)
    await world.setMuted(true, old)
    await world.setMuted(false, new)
    amend(laptop, .replace, .bindingReleased(.init(room: room, address: old, cause: .replaced)))
    if let index = rooms.firstIndex(where: { $0.id == room }), rooms[index].address != nil {
      rooms[index].address = new
    }
    merge()
  }

  private mutating func amend(_ laptop: Int, _ command: RecordedCommand, _ fact: Fact) {
    let id = nextRun()
    let started = RunStarted(
      command, run: id, building: "house", buildingName: "House", toolVersion: "t", host: "h",
      manifestPath: "m", manifestSHA256: "0", simulated: true, rooms: [])
    records[laptop][id] = [.runStarted(started), fact].enumerated().map {
      RunEvent(sequence: $0.offset + 1, at: wall(), elapsed: .zero, fact: $0.element)
    }
  }

  private mutating func nextRun() -> String {
    runs += 1
    return "run-\(10_000 + runs)"
  }

  private func wall() -> Date {
    Date(timeIntervalSince1970: 1_795_251_600 + clock.now.sinceZero.inSeconds)
  }

  // MARK: Runs

  /// What a person allows because the record asks for it.
  private mutating func permissions(_ laptop: Int) async -> RecordPermissions? {
    var permissions = RecordPermissions(renumber: true)
    if conflicts(of: rooms, with: known(laptop).standing, allowing: permissions).isEmpty {
      return permissions
    }
    merge()
    for conflict in conflicts(of: rooms, with: known(laptop).standing, allowing: permissions) {
      switch conflict {
      case .boundToAnother(let room, _, _), .deviceOfAnotherRoom(let room, _, _):
        permissions.rebind.insert(room)
      case .severalDevices(let room, let devices):
        await settle(room, among: devices.filter { !dustbin.contains($0) }, &permissions)
      case .severalRooms(let device, let claimants):
        let minor = await world.flash(of: device)?.minor.map(Int.init)
        let owner =
          rooms.first { claimants.contains($0.id) && $0.minor.map(Int.init) == minor }
          ?? rooms.first {
            claimants.contains($0.id)
          }
        if let owner { await settle(owner.id, among: [device], &permissions) }
      case .deviceRetired, .renumbered, .minorTwice:
        break
      }
    }
    let left = conflicts(of: rooms, with: known(laptop).standing, allowing: permissions)
    // One settled, others may be left, which the next run is told of.
    return left.isEmpty ? permissions : nil
  }

  /// A person looks which sensor is in the room, and writes its address into the manifest.
  private mutating func settle(
    _ room: RoomID, among devices: [BluetoothAddress], _ permissions: inout RecordPermissions
  ) async {
    guard let index = rooms.firstIndex(where: { $0.id == room }) else { return }
    var choice = devices.first
    for device in devices where await world.flash(of: device)?.minor == rooms[index].minor { choice = device }
    guard let choice else { return }
    diary.append("\(room) is settled on \(choice)")
    for other in rooms.indices where rooms[other].address == choice { rooms[other].address = nil }
    rooms[index].address = choice
    permissions.rebind.insert(room)
  }

  /// A run with a laptop, which may die; nil when the record contradicts the manifest in what no person settled.
  /// - Parameters:
  ///   - diesAt: the event that it dies with.
  ///   - pressed: sensors whose button somebody presses while it goes on, as `watch` may.
  mutating func run(
    _ laptop: Int, only: Set<RoomID> = [], diesAt: Int? = nil, pressed: Set<BluetoothAddress> = [],
    watch: @escaping @Sendable (RunEvent) async -> Void = { _ in },
    location: SourceLocation = #_sourceLocation
  ) async -> ApplyResult? {
    guard let permissions = await permissions(laptop) else { return nil }
    let building = Building(id: "house", name: "House", assignment: assignment, rooms: rooms)
    let known = known(laptop, permissions)
    let id = nextRun()
    diary.append("\(id) on laptop \(laptop)" + (diesAt.map { ", dies at event \($0)" } ?? ""))
    let request = ApplyRequest(
      building: building, excluded: RoomSelection(only: only).excluded(from: building, known), known: known,
      runID: id, toolVersion: "t", host: "laptop-\(laptop)", manifestPath: "m", manifestSHA256: "0",
      isSimulated: true)
    let life = MortalCentral.Life()
    let recorder = MortalRecorder(clock: clock, diesAt: diesAt, life: life, watch: watch)
    let start = wall().addingTimeInterval(-clock.now.sinceZero.inSeconds)
    let coordinator = Coordinator(
      clock: clock, wall: { [clock] in start.addingTimeInterval(clock.now.sinceZero.inSeconds) },
      recorder: recorder)
    let atWork = await sensorsAtWork().subtracting(pressed)
    let writes = await world.writes.count
    let result = await apply(
      request,
      in: ApplyEnvironment(
        central: MortalCentral(central: await VirtualCentral(world: world, clock: clock), life: life),
        clock: clock, chance: { 0.5 }, confirm: { _ in true }, interruptions: AsyncStream { _ in }),
      recording: coordinator)
    // What was under way when it died arrives.
    try? await clock.sleep(for: .seconds(10))
    diary[diary.count - 1] +=
      ": "
      + result.rooms.map { "\($0.room) \($0.outcome) \($0.reason?.code.rawValue ?? "")" }.joined(
        separator: ", ")
    records[laptop][id] = await recorder.survivors(Double(chance.next() % 101) / 100)
    await check(id, laptop, building, atWork, writes, location)
    if !life.isAlive {
      diedLast = laptop
    } else if diedLast == nil || diedLast == laptop {
      diedLast = nil
      let links = await world.openLinkCount()
      #expect(
        links == 0, "a link was left\n\(Comment(rawValue: diary.joined(separator: "\n")))",
        sourceLocation: location)
    }
    return result
  }

  private func sensorsAtWork() async -> Set<BluetoothAddress> {
    var result: Set<BluetoothAddress> = []
    for address in addresses where await world.flash(of: address)?.isSaved == true { result.insert(address) }
    return result
  }

  // MARK: What must be true

  private func check(
    _ id: String, _ laptop: Int, _ building: Building, _ atWork: Set<BluetoothAddress>, _ writes: Int,
    _ location: SourceLocation
  ) async {
    let story = Comment(rawValue: diary.joined(separator: "\n"))
    let intents = Set(
      everything.compactMap { event in
        if case .saveSubmitted(let fact) = event.fact { fact.address } else { nil }
      })
    var holders: [UInt16: [BluetoothAddress]] = [:]
    for address in addresses {
      guard let flash = await world.flash(of: address) else { continue }
      #expect(
        flash == Flash() || intents.contains(address), "changed without intent\n\(story)",
        sourceLocation: location)
      if flash.isSaved, let minor = flash.minor, !dustbin.contains(address) {
        holders[minor, default: []].append(address)
      }
    }
    #expect(
      holders.values.allSatisfy { $0.count == 1 }, "two sensors with one minor\n\(story)",
      sourceLocation: location)
    for event in records[laptop][id] ?? [] {
      guard case .roomFinished(let fact) = event.fact, fact.outcome.isSuccess, let address = fact.address
      else {
        continue
      }
      let room = building.rooms.first { $0.id == fact.room }
      let flash = await world.flash(of: address)
      // A sensor whose button was pressed since, out of hearing, is another matter.
      if fact.outcome != .alreadyProvisioned {
        #expect(
          flash?.isSaved == true && flash?.minor == room?.minor,
          "told done, and is not: \(fact.room)\n\(story)",
          sourceLocation: location)
      }
    }
    let written = Set(await world.writes.dropFirst(writes).map(\.address))
    #expect(written.isDisjoint(with: atWork), "written while at work\n\(story)", sourceLocation: location)
  }

  /// In the end: everybody knows everything, all sensors have power, persons do what they are told to; and every
  /// room is right.
  mutating func finish(location: SourceLocation = #_sourceLocation) async {
    merge()
    for _ in 0..<12 {
      guard let result = await run(0, location: location) else { continue }
      if result.outcome == .complete {
        await expectDone(location)
        return
      }
      for room in result.rooms where room.outcome == .needsHands {
        if let address = room.address {
          diary.append("button of \(address), as \(room.room) asks")
          await world.pressButton(address)
        }
      }
      if result.rooms.contains(where: { $0.reason?.code == .noCandidate }) { await freeStrays() }
      try? await clock.sleep(for: .seconds(10))
    }
    Issue.record("never done\n\(diary.joined(separator: "\n"))", sourceLocation: location)
  }

  /// Sensors at work that no room has (any more) are put back into provisioning mode: rooms want one.
  private mutating func freeStrays() async {
    let standing = archive(0).standing
    for address in await sensorsAtWork().sorted() where !dustbin.contains(address) {
      guard standing.owners(of: address).isEmpty else { continue }
      diary.append("button of \(address), which no room has")
      await world.pressButton(address)
    }
  }

  private func expectDone(_ location: SourceLocation) async {
    let standing = archive(0).standing
    for room in rooms {
      let address = standing.rooms[room.id]?.deed?.address
      let flash: Flash? = if let address { await world.flash(of: address) } else { nil }
      let wanted = Dictionary(
        uniqueKeysWithValues: room.settings.map { ($0.key.rawValue, encoded($0.value)) })
      #expect(
        flash == Flash(values: wanted, isSaved: true), "\(room.id)\n\(diary.joined(separator: "\n"))",
        sourceLocation: location)
    }
    #expect(standing.contradictions.isEmpty, sourceLocation: location)
  }

  private func encoded(_ value: SettingValue) -> [UInt8] {
    switch value {
    case .text(let text): Array(text.utf8)
    case .secret(let secret): Array(secret.reveal().utf8)
    case .integer(let number): [UInt8(number >> 8), UInt8(number & 0xFF)]
    case .uuid, .duration: preconditionFailure("a Robo Sensor has no such setting")
    }
  }
}
