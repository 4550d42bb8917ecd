import Bluetooth
import Engine
import Families
import FoundationEssentials
import Journal
import Model
import Synchronization
import VirtualBuilding
import VirtualTime

/// A trial being played: the phases, one run after the other, each with what those before it left on record.
struct TrialStage {
  let trial: Trial
  let world: World
  let clock: VirtualClock
  let meter: LinkMeter
  let book: TrialBook
  /// The building as the manifest has it by now.
  private var building: Building
  /// What is on record, run by run.
  private(set) var record: [[RunEvent]] = []
  /// Fireflies whose success nobody can tell from a failure.
  private var doubtful: Set<BluetoothAddress> = []

  /// So many runs after which everything must be done, once nothing is wrong any more: one may find out what a person
  /// must do, for a room and then for the room whose device is in its way; one does it; and the radio has its moods.
  static let calmRuns = 6

  init(trial: Trial, world: World, clock: VirtualClock, meter: LinkMeter, book: TrialBook) {
    self.trial = trial
    building = trial.building
    self.world = world
    self.clock = clock
    self.meter = meter
    self.book = book
    doubtful = Set(
      trial.scenario.sensors.filter { sensor in
        sensor.family.name == "firefly" && sensor.faults.contains { $0.fault.looksLikeSuccess }
      }.map(\.address))
  }

  /// What the next run knows.
  var standing: BuildingStanding { BuildingRecord(record).standing }

  mutating func play() async {
    for run in trial.runs {
      _ = await carryOut(run, isCalm: false)
      try? await clock.sleep(for: run.pause)
    }
    await repairEverything()
    for _ in 0..<Self.calmRuns {
      guard let result = await carryOut(Trial.Run(), isCalm: true) else { return }
      if result.rooms.allSatisfy(\.outcome.isSuccess) {
        await checkDone()
        return
      }
      await lendHands(to: result)
      try? await clock.sleep(for: .seconds(10))
    }
    for (id, room) in standing.rooms.sorted(by: { $0.key < $1.key }) where room.progress != .done {
      let last = room.last.map { "\($0.outcome) \($0.reason?.code.rawValue ?? "")" } ?? "never finished"
      await book.violate(.liveness, "not done after \(Self.calmRuns) runs without faults: \(last)", room: id)
    }
  }

  // MARK: A run

  /// A run from its beginning to its end or death; nil when it did not end, or could not begin.
  private mutating func carryOut(_ run: Trial.Run, isCalm: Bool) async -> ApplyResult? {
    let known = Known(standing: standing, seal: .simulated)
    var request = ApplyRequest(
      building: building,
      excluded: RoomSelection(skip: run.skipped).excluded(from: building, known), known: known,
      runID: "run-\(record.count + 1)", toolVersion: "simulation", host: "host",
      // In its world this is a real run, and counts for the next one.
      manifestPath: "building.yaml", manifestSHA256: "00", isSimulated: false)
    request.parallel = trial.parallel
    request.survey = trial.survey
    request.failureLimit = run.failureLimit
    request.adapters = run.adapters
    request.isWatching = run.isWatching
    request.canaries = run.canaries
    for conflict in request.conflicts {
      await book.violate(
        .record, "the record contradicts an unchanged manifest: \(conflict)", room: conflict.rooms.first)
    }
    guard request.conflicts.isEmpty else { return nil }

    for disturbance in run.disturbances { noteDoubts(disturbance) }
    let bounds = Bounds(trial: trial, rooms: request.rooms)
    let before = Before(links: meter.open, stored: await stored(), attempts: await attempts())
    await book.begin(
      .init(
        rooms: request.rooms, building: building.rooms,
        bound: known.standing.rooms.compactMapValues { $0.binding?.address }, flashes: await flashes(),
        unprovable: doubtful),
      isCalm: isCalm, longestWait: bounds.wait, adapters: building.adapters,
      limit: before.links.isEmpty ? trial.parallel : nil)
    let life = MortalCentral.Life()
    let recorder = MortalRecorder(
      clock: clock, diesAt: run.diesAt, life: life, onDisk: { [book] in await book.take($0) })
    let result = await TrialRun(
      request: request, run: run, world: world, clock: clock, book: book, life: life, recorder: recorder,
      chance: SeededGenerator(seed: trial.seed).split("chance/\(record.count)"),
      bound: isCalm ? bounds.calmRun : bounds.run
    ).carryOut()

    guard life.isAlive else {
      // What was under way when it died arrives.
      try? await clock.sleep(for: .seconds(10))
      let survivors = await recorder.survivors(run.survivors)
      record.append(survivors)
      await book.survived(survivors)
      return result
    }
    record.append(await recorder.events)
    let dialled = Set(await attempts().filter { $0.value != before.attempts[$0.key] }.keys)
    await book.end(result, dialled: dialled)
    await checkTidiness(before, isCalm: isCalm)
    return result
  }

  /// How the host was before a run.
  private struct Before {
    var links: [LinkID: BluetoothAddress]
    var stored: Set<BluetoothAddress>
    var attempts: [BluetoothAddress: Int]
  }

  private func checkTidiness(_ before: Before, isCalm: Bool) async {
    let left = meter.open.filter { before.links[$0.key] == nil }
    for device in Set(left.values).sorted() {
      await book.violate(.tidiness, "a link was left open", device: device)
    }
    for adapter in trial.scenario.adapters where await world.attemptsUnderWay(on: adapter.address) > 0 {
      await book.violate(.tidiness, "an attempt was left under way on \(adapter.name)")
    }
    guard isCalm else { return }
    for device in await stored().subtracting(before.stored).sorted() {
      await book.violate(.tidiness, "the stack was left with it on record", device: device)
    }
  }

  /// A Firefly whose link is cut ends it no differently than one that is done. A refusal that is lost with the link, from a
  /// sensor that may change its address, leaves a stranger's beacon for its own.
  private mutating func noteDoubts(_ disturbance: Disturbance) {
    switch disturbance.kind {
    case .linkCut(let address), .carriedAway(let address, true):
      if family(of: address)?.name == "firefly" { doubtful.insert(address) }
      doubtful.formUnion(deniable.filter { $0 == address })
    case .unplugged, .powered(_, false), .stack(isRunning: false):
      doubtful.formUnion(deniable)
    default:
      break
    }
  }

  /// The sensors whose refusal is all that tells their room's state from a success.
  private var deniable: [BluetoothAddress] {
    zip(trial.building.rooms, trial.scenario.sensors).compactMap { room, sensor in
      let isDeniable = sensor.faults.contains {
        if case .refusesForStranger = $0.fault { true } else { false }
      }
      return room.proofAddress == .any && isDeniable ? sensor.address : nil
    }
  }

  // MARK: What is true

  private func family(of address: BluetoothAddress) -> FirmwareFamily? {
    trial.scenario.sensors.first { $0.address == address }?.family
  }

  private func flashes() async -> [BluetoothAddress: Flash] {
    var flashes: [BluetoothAddress: Flash] = [:]
    for sensor in trial.scenario.sensors { flashes[sensor.address] = await world.flash(of: sensor.address) }
    return flashes
  }

  private func attempts() async -> [BluetoothAddress: Int] {
    var attempts: [BluetoothAddress: Int] = [:]
    for sensor in trial.scenario.sensors {
      attempts[sensor.address] = await world.attemptCount(of: sensor.address)
    }
    return attempts
  }

  private func stored() async -> Set<BluetoothAddress> {
    var stored: Set<BluetoothAddress> = []
    for adapter in trial.scenario.adapters {
      stored.formUnion(await world.storedPeripherals(on: adapter.address))
    }
    return stored
  }

  /// The devices as they are, those of rooms and strangers alike.
  private func devices() async -> [FamilyTruth.Device] {
    let flashes = await flashes()
    return trial.scenario.sensors.compactMap { sensor in
      flashes[sensor.address].map { .init(address: sensor.address, family: sensor.family.name, flash: $0) }
    }
  }

  // MARK: Everything is put right

  /// Every adapter is there, the stack runs, every sensor is on, and nothing is wrong with any; who is no room's is
  /// switched off.
  private func repairEverything() async {
    await world.startStack()
    for adapter in trial.scenario.adapters {
      await world.setPresent(true, adapter.address, name: adapter.name)
      await world.setPowered(true, adapter.address)
    }
    // Until the last was switched on.
    let latest = trial.scenario.sensors.map(\.appearsAfter).max() ?? .zero
    try? await clock.sleep(until: .init(sinceZero: max(clock.now.sinceZero, latest)), tolerance: nil)
    for sensor in trial.scenario.sensors { await world.repair(sensor.address) }
    try? await clock.sleep(for: .seconds(10))
    // What was spoilt so that it hangs is reset. Fireflies only sleep.
    for sensor in trial.scenario.sensors where sensor.family.name != "firefly" {
      if await world.onAir(sensor.address) == nil { await world.pressButton(sensor.address) }
    }
    await switchOffSurplus()
    await freeSensors()
  }

  /// Rooms that take any sensor must find no more than they are: who is left over is switched off, strangers first.
  private func switchOffSurplus() async {
    let standing = standing
    let named = Set(building.rooms.compactMap(\.address))
    let needy = building.rooms.indices.filter { index in
      let room = building.rooms[index]
      return room.address == nil && !room.isRegistered && standing.rooms[room.id]?.bindings.isEmpty ?? true
    }
    // Those that stand in rooms that still want one, those in others, strangers.
    let sensors = trial.scenario.sensors
    let own = needy.map { sensors[$0] }
    let registered = building.rooms.indices.filter { building.rooms[$0].isRegistered }.map {
      sensors[$0].address
    }
    let others = sensors.prefix(building.rooms.count)
    var wanted: [String: Int] = [:]
    for index in needy { wanted[building.rooms[index].profile.rawValue, default: 0] += 1 }
    for address in named.sorted() { await world.setMuted(false, address) }
    var seen = named.union(registered)
    for sensor in own + others + sensors where seen.insert(sensor.address).inserted {
      guard standing.owners(of: sensor.address).isEmpty else { continue }
      let left = wanted[sensor.family.name] ?? 0
      wanted[sensor.family.name] = max(left - 1, 0)
      await world.setMuted(left == 0, sensor.address)
    }
  }

  /// Sensors at work that no room has, though rooms want one, are put back into provisioning mode.
  private func freeSensors() async {
    let standing = standing
    let named = Set(building.rooms.compactMap(\.address))
    let registered = building.rooms.indices.filter { building.rooms[$0].isRegistered }
      .map { trial.scenario.sensors[$0].address }
    for device in await devices() where !trial.strangers.contains(device.address) {
      guard standing.owners(of: device.address).isEmpty, !named.contains(device.address),
        device.identity != nil, !registered.contains(device.address)
      else { continue }
      await world.pressButton(device.address)
    }
  }

  /// A person does what the outcomes ask for.
  private mutating func lendHands(to result: ApplyResult) async {
    let registered = Set(building.rooms.filter(\.isRegistered).map(\.id))
    var pressed: Set<BluetoothAddress> = []
    for room in result.rooms where room.outcome == .needsHands && !registered.contains(room.room) {
      pressed.formUnion([room.address].compactMap(\.self))
      pressed.formUnion(room.reason?.addresses ?? [])
    }
    for address in pressed.sorted() { await world.pressButton(address) }
    for room in result.rooms {
      guard let code = room.reason?.code, code.asksForAddress else { continue }
      nameDevice(of: room.room, evenIfNotNear: code == .addressNeeded || code == .addressMissing)
    }
    await switchOffSurplus()
    await freeSensors()
  }

  /// A person looks which sensor is in a room that is near an adapter, and writes its address into the manifest; or that
  /// of another that is free, where nearness has given it away already.
  /// - Parameter evenIfNotNear: whether a room that is near no adapter is named its sensor, too.
  private mutating func nameDevice(of id: RoomID, evenIfNotNear: Bool) {
    guard let index = building.rooms.firstIndex(where: { $0.id == id }),
      evenIfNotNear || building.rooms[index].near != nil
    else { return }
    let standing = standing
    let named = Set(building.rooms.compactMap(\.address))
    let sensors = trial.scenario.sensors
    let free = (sensors[index...] + sensors).first {
      $0.family.name == building.rooms[index].profile.rawValue && !trial.strangers.contains($0.address)
        && !named.contains($0.address) && standing.owners(of: $0.address).isEmpty
    }
    building.rooms[index].near = nil
    building.rooms[index].address = free?.address
  }

  /// Every device holds what its room wants, no two are taken for one, and the record says so.
  private func checkDone() async {
    let standing = standing
    for room in building.rooms {
      guard let deed = standing.rooms[room.id]?.deed, standing.rooms[room.id]?.progress == .done else {
        await book.violate(.liveness, "told done, and not so on record", room: room.id)
        continue
      }
      let truth = FamilyTruth(room)
      let flash = await world.flash(of: deed.address)
      if !doubtful.contains(deed.address), !truth.holds(flash, room) {
        await book.violate(
          .liveness, "done, and its device does not hold what it was to", room: room.id, device: deed.address)
      }
    }
    let owned = Set(standing.rooms.values.compactMap { $0.deed?.address })
    for devices in FamilyTruth.lookalikes(await devices().filter { owned.contains($0.address) }) {
      await book.violate(.identity, "devices with one identity: \(devices)")
    }
    for contradiction in standing.contradictions {
      await book.violate(.record, "the record contradicts itself: \(contradiction)")
    }
  }
}

extension FailureReason.Code {
  /// Whether it is settled by the address of the room's device.
  fileprivate var asksForAddress: Bool {
    switch self {
    case .notClearlyNearest, .notNear, .heardTooBriefly, .adapterMissing, .adapterShared, .noCandidate,
      .addressNeeded, .addressMissing:
      true
    default: false
    }
  }
}
