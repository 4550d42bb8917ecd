import Bluetooth
import Engine
import Families
import Foundation
import Journal
import Model
import Session
import Simulation
import SampleFacts
import Testing
import VirtualBuilding
import VirtualCentral
import VirtualTime

/// A building over months: rooms, sensors, two laptops with separate records, and people who change the
/// manifest, press buttons and replace sensors.
struct Installation {
  let premises: VirtualPremises
  var world: World { premises.world }
  var clock: VirtualClock { premises.clock }
  var chance: SeededGenerator

  var rooms: [Room]
  let assignment: Building.Assignment
  private var laptops = Laptops(2)
  /// Unused sensors, switched off.
  var spares: [UInt64]
  /// Discarded sensors, switched off for good.
  var dustbin: Set<BluetoothAddress> = []
  /// The actions, for the analysis of a failure.
  var log: [String] = []
  /// Laptops whose process was killed, perhaps with a link that only the same laptop can recognise.
  private var died: Set<Int> = []
  private var runs = 0
  private var nextNumber = 100
  /// How far the clock of each laptop is wrong, in seconds.
  private var clockErrors = [0.0, 0.0]

  /// The number of rooms.
  static let roomCount = 3

  init(
    _ premises: VirtualPremises, chance: SeededGenerator, assignment: Building.Assignment,
    furniture: Furniture = .roboSensors
  ) async {
    self.premises = premises
    self.chance = chance
    self.assignment = assignment
    rooms = furniture.rooms(assignment)
    spares = (1...2).map { UInt64(Self.roomCount + $0) }
    for spare in spares { await world.setMuted(true, Sample.address(spare)) }
  }

  /// The present state of the building.
  enum Furniture: CaseIterable {
    case roboSensors
    case beacons
    /// One room of each family, and a registered one.
    case mixed

    /// The family of each sensor: the sensors of the rooms, then the unused ones.
    var families: [FirmwareFamily] {
      switch self {
      case .roboSensors: Array(repeating: .roboSensor, count: 5)
      case .beacons: Array(repeating: .iotDesignShop, count: 5)
      case .mixed:
        [.roboSensor, .iotDesignShop, .firefly, .roboSensor, .iotDesignShop, .plainBeacon(minor: 4)]
      }
    }

    fileprivate func rooms(_ assignment: Building.Assignment) -> [Room] {
      let rooms = (1...Installation.roomCount).map { number in
        let address = assignment == .any ? nil : UInt64(number)
        return switch families[number - 1].name {
        case "robo-sensor": Sample.room(number, address: address, retries: 1)
        case "firefly": Sample.fireflyRoom(number, address: address, retries: 1)
        default: Sample.beaconRoom(number, address: address, retries: 1)
        }
      }
      let registered = Sample.beaconRoom(4, power: nil, interval: nil, registered: true)
      return self == .mixed ? rooms + [registered] : rooms
    }

    func scenario(_ seed: UInt64) -> Scenario {
      Scenario(
        seed: seed, adapters: adapters,
        sensors: families.enumerated().map {
          SensorScenario(address: Sample.address(UInt64($0.offset + 1)), family: $0.element)
        })
    }
  }

  // MARK: Records

  func archive(_ laptop: Int) -> BuildingRecord { laptops.record(of: laptop) }

  var addresses: [BluetoothAddress] { world.scenario.sensors.map(\.address) }

  func known(_ laptop: Int, _ permissions: RecordPermissions = .init()) -> Known {
    Known(lastKnown: archive(laptop).lastKnown, permissions: permissions, seal: .simulated)
  }

  /// Sets a laptop's clock, up to 400 days wrong.
  mutating func setClock(_ laptop: Int, _ chance: inout SeededGenerator) {
    let days = chance.next() % 2 == 0 ? 400.0 : 0.02
    clockErrors[laptop] = (Double(chance.next() % 2001) / 1000 - 1) * days * 86_400
    log.append("the clock of laptop \(laptop) is \(clockErrors[laptop]) s ahead")
  }

  // MARK: Operator actions

  mutating func merge() {
    log.append("merge")
    laptops.merge()
  }

  /// Changes a setting that all rooms of a family share.
  mutating func changePassword() {
    let password = "horse \(chance.next())"
    let power = ["low", "medium", "high"][Int(chance.next() % 3)]
    let interval = [Duration.milliseconds(100), .seconds(1), .seconds(3)][Int(chance.next() % 3)]
    log.append("new password, \(power), \(interval)")
    for index in rooms.indices where !rooms[index].isRegistered {
      switch rooms[index].family.id {
      case "robo-sensor":
        rooms[index].settings[.wifiPassword] = .secret(Secret(password))
      case "iot-design-shop":
        rooms[index].settings[.power] = .text(power)
        rooms[index].settings[.interval] = .duration(interval)
        rooms[index].timeouts = DeviceFamily.iotDesignShop.timeouts(for: rooms[index].settings)
      default:
        rooms[index].settings[.value] = .integer(password.utf8.count)
      }
    }
  }

  mutating func renumber() {
    let index = Int(chance.next() % UInt64(Self.roomCount))
    nextNumber += 1
    log.append("\(rooms[index].id) gets number \(nextNumber)")
    switch rooms[index].family.id {
    case "robo-sensor": rooms[index].settings[.minor] = .integer(nextNumber)
    case "iot-design-shop":
      rooms[index].settings[.minor] = .integer(nextNumber)
      if chance.next() % 2 == 0 { rooms[index].settings[.major] = .integer(nextNumber * 100) }
    default: rooms[index].settings[.control] = .integer(nextNumber)
    }
  }

  /// Carries a registered device out of the building, or back.
  mutating func carryAway(_ isAway: Bool) async {
    guard rooms.contains(where: \.isRegistered) else { return }
    log.append(isAway ? "the registered one is away" : "the registered one is there")
    await world.setMuted(isAway, Sample.address(UInt64(Self.roomCount + 3)))
  }

  mutating func pressSomeButton() async {
    let address = addresses[Int(chance.next() % UInt64(addresses.count))]
    log.append("button of \(address)")
    await world.pressButton(address)
    try? await clock.sleep(for: .seconds(10))
  }

  /// Replaces a room's broken sensor by an unused one.
  mutating func replaceSomeSensor(_ laptop: Int) async {
    merge()
    let bound = archive(laptop).lastKnown.rooms.compactMap { id, room in room.binding.map { (id, $0.address) }
    }
    .sorted { $0.0 < $1.0 }
    guard !bound.isEmpty else { return }
    let (room, old) = bound[Int(chance.next() % UInt64(bound.count))]
    let fitting = spares.firstIndex { family(of: Sample.address($0)) == family(of: old) }
    guard let fitting else { return }
    let new = Sample.address(spares.remove(at: fitting))
    log.append("\(room): \(old) replaced by \(new)")
    dustbin.insert(old)
    await world.setMuted(true, old)
    await world.setMuted(false, new)
    amend(laptop, .replace, .bindingReleased(.init(room: room, address: old, cause: .replaced)))
    if let index = rooms.firstIndex(where: { $0.id == room }), rooms[index].address != nil {
      rooms[index].address = new
    }
    merge()
  }

  private func family(of address: BluetoothAddress) -> String? {
    world.scenario.sensors.first { $0.address == address }?.family.name
  }

  private mutating func amend(_ laptop: Int, _ command: RecordedCommand, _ fact: Fact) {
    let id = nextRun()
    let started = RunStarted(
      command, run: id, building: "house", buildingName: "House", toolVersion: "t", host: "h",
      manifestPath: "m", manifestSHA256: "0", simulated: false,
      predecessors: laptops.predecessors(of: laptop), rooms: [],
      families: FamilyCatalogue.builtIn.all.map { RecordedFamily($0) })
    let events = [.runStarted(started), fact].enumerated().map {
      RunEvent(
        sequence: $0.offset + 1, at: premises.now(clockErrors[laptop]), elapsed: .zero, fact: $0.element)
    }
    laptops.add(events, of: id, to: laptop)
  }

  private mutating func nextRun() -> String {
    runs += 1
    // Not in the order of the runs: nothing may depend on the ids.
    return "run-\(10_000 + runs * 7_919 % 10_007)"
  }

  // MARK: Runs

  /// The permissions that the record requires, and the rooms that must wait.
  private mutating func permissions(
    _ laptop: Int
  ) async -> (permissions: RecordPermissions, blocked: Set<RoomID>) {
    var permissions = RecordPermissions(renumber: true)
    if conflicts(of: rooms, with: known(laptop).lastKnown, allowing: permissions).isEmpty {
      return (permissions, [])
    }
    merge()
    let settlement = await Settlement(
      of: &rooms, with: known(laptop).lastKnown, allowing: permissions, without: dustbin
    ) { [world] device, room in
      await world.flash(of: device).map { FirmwareFamily.of(room).hasIdentity(of: room, $0) } == true
    }
    for (room, device) in settlement.named { log.append("\(room) is settled on \(device)") }
    permissions = settlement.permissions
    return (permissions, settlement.blocked)
  }

  /// A run with a laptop, which may be killed. Nil if the record contradicts the manifest and no permission
  /// resolves the conflict.
  /// - Parameters:
  ///   - diesAt: the event at which it is killed.
  ///   - pressed: sensors whose button a person presses during the run, for example in `watch`.
  mutating func run(
    _ laptop: Int, only: Set<RoomID> = [], diesAt: Int? = nil, pressed: Set<BluetoothAddress> = [],
    watch: @escaping @Sendable (RunEvent) async -> Void = { _ in },
    location: SourceLocation = #_sourceLocation
  ) async -> ApplyResult? {
    let (permissions, blocked) = await permissions(laptop)
    let selected = Set(rooms.map(\.id).filter { only.isEmpty || only.contains($0) }).subtracting(blocked)
    guard !selected.isEmpty else { return nil }
    let building = Building(
      id: "house", name: "House", assignment: assignment, rooms: rooms, families: FamilyCatalogue.builtIn)
    let known = known(laptop, permissions)
    let id = nextRun()
    log.append(
      "\(id) on laptop \(laptop)" + (blocked.isEmpty ? "" : " without \(blocked)")
        + (diesAt.map { ", dies at event \($0)" } ?? ""))
    var request = premises.request(building, known, run: id, after: laptops.runs(of: laptop))
    request.host = "laptop-\(laptop)"
    request.excluded = RoomSelection(only: selected).excluded(from: building, known)
    let life = MortalCentral.Life()
    let recorder = MortalRecorder(clock: clock, diesAt: diesAt, life: life, watch: watch)
    let bound = known.lastKnown.rooms.compactMapValues { $0.binding?.address }
    var invariants = Invariants(
      .init(
        rooms: request.rooms, firmware: FirmwareFamily.all, building: rooms, bound: bound,
        flashes: await premises.flashes()))
    let writesBefore = await world.writes.count
    let result = await apply(
      request,
      in: premises.environment(
        MortalCentral(central: await premises.central(), life: life), builtInFamilies),
      recording: premises.coordinator(recorder, clockError: clockErrors[laptop]))
    // Requests in progress at the kill may complete.
    try? await clock.sleep(for: .seconds(10))
    log[log.count - 1] +=
      ": "
      + result.rooms.map { "\($0.room) \($0.outcome) \($0.reason?.code.rawValue ?? "")" }.joined(
        separator: ", ")
    nameDevices(asked: result)
    laptops.add(await recorder.survivors(Double(chance.next() % 101) / 100), of: id, to: laptop)
    for device in pressed.sorted() { invariants.handle(device) }
    invariants.take(
      zip(await recorder.events, await recorder.onDiskAt), await world.writes(since: writesBefore),
      flashes: await premises.flashes())
    await check(invariants, location)
    if life.isAlive { died.remove(laptop) } else { died.insert(laptop) }
    if died.isEmpty {
      let links = await world.openLinkCount()
      #expect(
        links == 0, "a link was left\n\(Comment(rawValue: log.joined(separator: "\n")))",
        sourceLocation: location)
    }
    return result
  }

  /// The operator writes the address of a room's device into the manifest if the room needs one.
  private mutating func nameDevices(asked result: ApplyResult) {
    for room in result.rooms where room.reason?.code == .addressNeeded {
      guard let index = rooms.firstIndex(where: { $0.id == room.room }) else { continue }
      rooms[index].address = Sample.address(UInt64(index + 1))
      log.append("\(room.room) is named its device")
    }
  }

  private func devices() async -> [SimulatedDevice] {
    var devices: [SimulatedDevice] = []
    for sensor in world.scenario.sensors where !dustbin.contains(sensor.address) {
      guard let flash = await world.flash(of: sensor.address) else { continue }
      devices.append(.init(address: sensor.address, family: sensor.family, flash: flash))
    }
    return devices
  }

  // MARK: Rules

  private func check(_ invariants: Invariants, _ location: SourceLocation) async {
    let example = Comment(rawValue: log.joined(separator: "\n"))
    for violation in invariants.violations {
      Issue.record("\(violation)\n\(example)", sourceLocation: location)
    }
    #expect(
      SimulatedDevice.lookalikes(await devices()) == [], "two devices with one identity\n\(example)",
      sourceLocation: location)
  }

  /// At the end all records are merged, all sensors have power, the operator does every required action, and
  /// every room becomes correct.
  mutating func finish(location: SourceLocation = #_sourceLocation) async {
    merge()
    await carryAway(false)
    for _ in 0..<12 {
      guard let result = await run(0, location: location) else { continue }
      if result.rooms.filter(\.outcome.isSuccess).count == rooms.count {
        await expectDone(location)
        return
      }
      for room in result.rooms
      where room.outcome == .actionRequired || room.reason?.code == .beaconAsBefore {
        if let address = room.address {
          log.append("button of \(address), as \(room.room) asks")
          await world.pressButton(address)
        }
      }
      if result.rooms.contains(where: { $0.reason?.code == .noCandidate }) { await freeStrays() }
      try? await clock.sleep(for: .seconds(10))
    }
    Issue.record("never done\n\(log.joined(separator: "\n"))", sourceLocation: location)
  }

  /// Puts configured sensors that no room has back into provisioning mode, for rooms that need one.
  private mutating func freeStrays() async {
    let lastKnown = archive(0).lastKnown
    for device in await devices() where device.identity != nil {
      guard lastKnown.owners(of: device.address).isEmpty else { continue }
      log.append("button of \(device.address), which no room has")
      await world.pressButton(device.address)
    }
  }

  private func expectDone(_ location: SourceLocation) async {
    let lastKnown = archive(0).lastKnown
    for room in rooms {
      let lastWrite = lastKnown.rooms[room.id]?.lastWrite
      if room.isRegistered {
        #expect(lastWrite?.address == Sample.address(UInt64(Self.roomCount + 3)), sourceLocation: location)
        continue
      }
      let flash: Flash? = if let lastWrite { await world.flash(of: lastWrite.address) } else { nil }
      // No other byte changed, except the elapsed time of a Firefly.
      #expect(
        flash?.isSaved == true
          && flash?.values.filter { $0.key != "elapsed" } == FirmwareFamily.of(room).flash(of: room),
        "\(room.id)\n\(log.joined(separator: "\n"))", sourceLocation: location)
    }
    #expect(lastKnown.conflicts.isEmpty, sourceLocation: location)
  }
}
