import Bluetooth
import Engine
import FoundationEssentials
import Journal
import Model
import Synchronization
import VirtualBuilding
import VirtualCentral
import VirtualTime

/// A scenario in progress: both phases, run by run, each run with the record of the earlier ones.
struct TestCaseExecution {
  let testCase: TestCase
  let world: World
  let networks: VirtualNetworks
  let clock: VirtualClock
  let meter: LinkMeter
  let checker: TestCaseChecker
  /// The building with the operator's changes to the manifest.
  private var building: Building
  private var laptops = Laptops(2)
  /// The laptop of the present run, or of the last one.
  private var laptop = 0
  private var runCount = 0
  /// The last run that wrote each device.
  private var lastWriters: [BluetoothAddress: String] = [:]
  /// Devices that a person put into provisioning mode since their last write.
  private var pressed: Set<BluetoothAddress> = []
  /// Devices whose success cannot be distinguished from a failure.
  private var doubtful: Set<BluetoothAddress> = []

  /// The number of runs without faults after which every room must be done: runs find out which operator
  /// actions are required, for a room and then for the room whose device blocks it; a further one provisions;
  /// and connections fail now and then.
  static let calmRuns = 6
  /// The same if several laptops worked: their merged records may first need an operator's decision.
  static let calmRunsAfterMerge = 12

  init(testCase: TestCase, world: World, clock: VirtualClock, meter: LinkMeter, checker: TestCaseChecker) {
    self.testCase = testCase
    building = testCase.building
    self.world = world
    networks = VirtualNetworks(of: testCase.scenario, clock: clock)
    self.clock = clock
    self.meter = meter
    self.checker = checker
    doubtful = Set(
      testCase.scenario.sensors.filter { sensor in
        sensor.family.isPerAction && sensor.faults.contains { $0.fault.looksLikeSuccess }
      }.map(\.address))
  }

  /// The state that the next run begins with.
  var lastKnown: LastKnownBuilding { laptops.record(of: laptop).lastKnown }

  /// Whether a second laptop works on the building.
  private var hasTwoLaptops: Bool { testCase.runs.contains { $0.laptop > 0 } }

  mutating func play() async {
    for run in testCase.runs {
      laptop = run.laptop
      if run.isAfterMerge { laptops.merge() }
      await change(as: run)
      _ = await carryOut(run, isCalm: false)
      try? await clock.sleep(for: run.pause)
    }
    laptops.merge()
    laptop = 0
    await repairEverything()
    let calmRuns = hasTwoLaptops ? Self.calmRunsAfterMerge : Self.calmRuns
    for _ in 0..<calmRuns {
      guard let (rooms, isComplete) = await carryOut(TestCase.Run(), isCalm: true) else { return }
      if isComplete, rooms.allSatisfy(\.outcome.isSuccess) {
        await checkDone()
        return
      }
      await followOutcomes(to: rooms)
      try? await clock.sleep(for: .seconds(10))
    }
    for (id, room) in lastKnown.rooms.sorted(by: { $0.key < $1.key }) where !room.isProved {
      let last = room.last.map { "\($0.outcome) \($0.reason?.code.rawValue ?? "")" } ?? "never finished"
      await checker.violate(
        .liveness, "not done after \(calmRuns) runs without faults: \(last)", room: id)
    }
  }

  /// Changes the manifest and puts devices into provisioning mode, as a person does before a run.
  private mutating func change(as run: TestCase.Run) async {
    guard let password = run.newPassword else { return }
    for index in building.rooms.indices {
      let room = building.rooms[index]
      guard room.settings[.wifiPassword] != nil, !room.isRegistered else { continue }
      building.rooms[index].settings[.wifiPassword] = .secret(Secret(password))
    }
    // A person knows the devices of both laptops.
    for laptop in 0..<2 {
      let lastKnown = laptops.record(of: laptop).lastKnown
      for room in run.readied.sorted() {
        if let device = lastKnown.rooms[room]?.binding?.address { await press(device) }
      }
    }
    try? await clock.sleep(for: .seconds(5))
  }

  // MARK: Runs

  /// Performs a run until it ends or is killed; nil when it could not begin. It is complete unless rooms had to
  /// wait for the run of another room.
  private mutating func carryOut(
    _ run: TestCase.Run, isCalm: Bool
  ) async -> (rooms: [RoomFinished], isComplete: Bool)? {
    let settlement = await settleConflicts()
    let known = Known(lastKnown: lastKnown, permissions: settlement.permissions, seal: .simulated)
    let skipped = run.skipped.union(settlement.blocked)
    // Every room waits for another run.
    if skipped.count == building.rooms.count { return ([], false) }
    runCount += 1
    let id = "run-\(runCount)"
    var request = ApplyRequest(
      building: building, excluded: RoomSelection(skip: skipped).excluded(from: building, known),
      known: known, runID: id, toolVersion: "simulation", host: "host-\(laptop)",
      // Within the virtual world this is a real run, which counts for the next one.
      manifestPath: "building.yaml", manifestSHA256: "00", isSimulated: false)
    request.predecessors = laptops.predecessors(of: laptop)
    request.parallel = testCase.parallel
    request.survey = testCase.survey
    request.failureLimit = run.failureLimit
    request.adapters = run.adapters
    request.isWatching = run.isWatching
    request.canaries = run.canaries
    for conflict in request.conflicts {
      await checker.violate(
        .record, "the record contradicts an unchanged manifest: \(conflict)", room: conflict.rooms.first)
    }
    guard request.conflicts.isEmpty else { return nil }

    for disturbance in run.disturbances { noteDoubts(disturbance) }
    let bounds = Bounds(testCase: testCase, rooms: request.rooms)
    let before = Before(links: meter.open, stored: await stored(), attempts: await attempts())
    await checker.begin(
      .init(
        rooms: request.rooms, firmware: testCase.families.all.map(\.firmware), building: building.rooms,
        bound: known.lastKnown.rooms.compactMapValues { $0.binding?.address }, flashes: await flashes(),
        unprovable: doubtful, keepingOtherNumber: keepingOtherNumber, shared: shared,
        changedSince: writtenElsewhere.union(pressed), proved: proved, forced: settlement.permissions.force),
      isCalm: isCalm, longestWait: bounds.wait, adapters: building.adapters,
      // A host that is lost keeps links that no session uses.
      limit: !run.disturbances.contains(where: \.losesHost) ? testCase.parallel : nil)
    let writesBefore = await world.writes.count
    let life = MortalCentral.Life()
    let recorder = MortalRecorder(
      clock: clock, diesAt: run.diesAt, life: life, onDisk: { [checker] in await checker.take($0) })
    let result = await TestCaseRun(
      request: request, run: run, drivers: testCase.families.drivers, world: world,
      networks: networks, clock: clock, checker: checker, life: life, recorder: recorder,
      chance: SeededGenerator(seed: testCase.seed).split("chance/\(runCount - 1)"),
      bound: isCalm ? bounds.calmRun : bounds.run
    ).carryOut()

    guard life.isAlive else {
      // Requests in progress at the kill may complete.
      try? await clock.sleep(for: .seconds(10))
      let survivors = await recorder.survivors(run.survivors)
      laptops.add(survivors, of: id, to: laptop)
      await checker.survived(survivors)
      await noteWrites(of: id, since: writesBefore, run)
      return (result.rooms, settlement.blocked.isEmpty)
    }
    laptops.add(await recorder.events, of: id, to: laptop)
    await noteWrites(of: id, since: writesBefore, run)
    let connected = Set(await attempts().filter { $0.value != before.attempts[$0.key] }.keys)
    await checker.end(result, connected: connected)
    await checkTidiness(before, isCalm: isCalm)
    return (result.rooms, settlement.blocked.isEmpty)
  }

  /// With several laptops, the record may contradict the manifest or itself: then the operator merges the
  /// records and decides.
  private mutating func settleConflicts() async -> Settlement {
    if hasTwoLaptops, !conflicts(of: building.rooms, with: lastKnown, allowing: .init()).isEmpty {
      laptops.merge()
      return await Settlement(of: &building.rooms, with: lastKnown, allowing: .init()) {
        [world, sensors = testCase.scenario.sensors] device, room in
        await world.flash(of: device).flatMap { flash in
          sensors.first { $0.address == device }?.family.hasIdentity(of: room, flash)
        } == true
      }
    }
    return Settlement()
  }

  /// Notes which devices a run wrote, and checks what its laptop now has as done.
  private mutating func noteWrites(of id: String, since count: Int, _ run: TestCase.Run) async {
    for write in await world.writes(since: count) {
      lastWriters[write.address] = id
      if family(of: write.address)?.isChange(write) == true { pressed.remove(write.address) }
    }
    for case .button(let address) in run.disturbances.map(\.kind) { pressed.insert(address) }
    let lastKnown = lastKnown
    for room in building.rooms where !room.isRegistered && lastKnown.rooms[room.id]?.isProved == true {
      guard let lastWrite = lastKnown.rooms[room.id]?.lastWrite, !doubtful.contains(lastWrite.address),
        !pressed.contains(lastWrite.address), !writtenElsewhere.contains(lastWrite.address),
        room.wanted(sealedBy: .simulated).changes(from: lastWrite).settings.isEmpty
      else { continue }
      if !holds(await world.flash(of: lastWrite.address), room, lastWrite) {
        await checker.violate(
          .truth, "the record has it as done, but its device lacks the wanted settings", room: room.id,
          device: lastWrite.address)
      }
    }
  }

  /// The devices whose last write the present laptop does not know.
  private var writtenElsewhere: Set<BluetoothAddress> {
    Set(lastWriters.filter { !laptops.has($0.value, on: laptop) }.keys)
  }

  /// The rooms whose device this laptop's record alone proves, with the settings that are wanted.
  private var proved: Set<RoomID> {
    let (lastKnown, writtenElsewhere) = (lastKnown, writtenElsewhere)
    let rooms = building.rooms.filter { room in
      guard let known = lastKnown.rooms[room.id], known.isProved, known.unordered.isEmpty,
        let lastWrite = known.lastWrite, !writtenElsewhere.contains(lastWrite.address)
      else { return false }
      return room.wanted(sealedBy: .simulated).changes(from: lastWrite).settings.isEmpty
    }
    return Set(rooms.map(\.id))
  }

  private mutating func press(_ device: BluetoothAddress) async {
    pressed.insert(device)
    await world.pressButton(device)
  }

  /// The state of the host before a run.
  private struct Before {
    var links: [LinkID: BluetoothAddress]
    var stored: Set<BluetoothAddress>
    var attempts: [BluetoothAddress: Int]
  }

  private func checkTidiness(_ before: Before, isCalm: Bool) async {
    // What is left on a host that cannot be reached is for the next run.
    let reachable = testCase.scenario.adapters.filter { adapter in
      adapter.host.flatMap { networks[$0]?.isUp } ?? true
    }
    let left = meter.open.filter { link, _ in
      before.links[link] == nil && reachable.contains { $0.address == meter.adapter(of: link) }
    }
    for device in Set(left.values).sorted() {
      await checker.violate(.tidiness, "a link was left open", device: device)
    }
    for adapter in reachable where await world.attemptsUnderWay(on: adapter.address) > 0 {
      await checker.violate(.tidiness, "an attempt was left in progress on \(adapter.name)")
    }
    guard isCalm else { return }
    for device in await stored().subtracting(before.stored).sorted() {
      await checker.violate(.tidiness, "the stack was left with it on record", device: device)
    }
  }

  /// Notes devices whose success becomes ambiguous. A device per action whose link is cut ends it no differently than
  /// one that is done, and one that does not show its state on air hides that a person has reset it. If a refusal is lost with the link of a sensor that may change its address, a foreign
  /// beacon counts as its own.
  private mutating func noteDoubts(_ disturbance: Disturbance) {
    switch disturbance.kind {
    case .linkCut(let address), .carriedAway(let address, true):
      if family(of: address)?.isPerAction == true { doubtful.insert(address) }
      doubtful.formUnion(deniable.filter { $0 == address })
    case .unplugged, .powered(_, false), .stack(_, isRunning: false), .host(_, isReachable: false):
      doubtful.formUnion(deniable)
    case .button(let address):
      let sensor = testCase.scenario.sensors.first { $0.address == address }
      if sensor?.faults.contains(where: { $0.fault.hidesReset }) == true { doubtful.insert(address) }
    default:
      break
    }
  }

  /// The sensors whose refusal is the only difference from a success.
  private var deniable: [BluetoothAddress] {
    zip(testCase.building.rooms, testCase.scenario.sensors).compactMap { room, sensor in
      let isDeniable = sensor.faults.contains {
        if case .refusesForStranger = $0.fault { true } else { false }
      }
      return room.proofAddress == .any && isDeniable ? sensor.address : nil
    }
  }

  /// The sensors that acknowledge a number and keep another one.
  private var keepingOtherNumber: Set<BluetoothAddress> {
    let sensors = testCase.scenario.sensors.filter { sensor in
      sensor.faults.contains { if case .returnsWithMinor = $0.fault { true } else { false } }
    }
    return Set(sensors.map(\.address))
  }

  /// Addresses that a second sensor may send with.
  private var shared: Set<BluetoothAddress> {
    Set(
      testCase.scenario.sensors.flatMap(\.faults).compactMap {
        if case .returnsFrom(let address) = $0.fault { address } else { nil }
      })
  }

  // MARK: State of the world

  private func family(of address: BluetoothAddress) -> FirmwareFamily? {
    testCase.scenario.sensors.first { $0.address == address }?.family
  }

  private func flashes() async -> [BluetoothAddress: Flash] {
    var flashes: [BluetoothAddress: Flash] = [:]
    for sensor in testCase.scenario.sensors {
      flashes[sensor.address] = await world.flash(of: sensor.address)
    }
    return flashes
  }

  private func attempts() async -> [BluetoothAddress: Int] {
    var attempts: [BluetoothAddress: Int] = [:]
    for sensor in testCase.scenario.sensors {
      attempts[sensor.address] = await world.attemptCount(of: sensor.address)
    }
    return attempts
  }

  private func stored() async -> Set<BluetoothAddress> {
    var stored: Set<BluetoothAddress> = []
    for adapter in testCase.scenario.adapters {
      stored.formUnion(await world.storedPeripherals(on: adapter.address))
    }
    return stored
  }

  /// The devices of rooms and the foreign ones.
  private func devices() async -> [SimulatedDevice] {
    let flashes = await flashes()
    return testCase.scenario.sensors.compactMap { sensor in
      flashes[sensor.address].map { .init(address: sensor.address, family: sensor.family, flash: $0) }
    }
  }

  // MARK: Repair

  /// Ends all faults: every adapter is present, the stack runs, every sensor works; foreign devices are
  /// switched off where they would be surplus.
  private mutating func repairEverything() async {
    await world.startStack()
    for host in testCase.scenario.hosts { networks[host.name]?.restore() }
    for adapter in testCase.scenario.adapters {
      await world.setPresent(true, adapter.address, name: adapter.name)
      await world.setPowered(true, adapter.address)
    }
    // After the last sensor appeared.
    let latest = testCase.scenario.sensors.map(\.appearsAfter).max() ?? .zero
    try? await clock.sleep(until: .init(sinceZero: max(clock.now.sinceZero, latest)), tolerance: nil)
    for sensor in testCase.scenario.sensors { await world.repair(sensor.address) }
    try? await clock.sleep(for: .seconds(10))
    // Sensors that hang after a fault, or send with the address of another one, are reset. Devices per action only sleep.
    for sensor in testCase.scenario.sensors where !sensor.family.isPerAction {
      let onAir = await world.onAir(sensor.address)
      // A device that has no identity to send may be silent at work.
      let isDone =
        sensor.family.oracle?.sendsNothingAtWork == true
        && lastKnown.rooms.values.contains { $0.isProved && $0.lastWrite?.address == sensor.address }
      if onAir == nil && !isDone || sendsWithAddressOfAnother(sensor) { await press(sensor.address) }
    }
    await switchOffSurplus()
    await freeSensors()
  }

  private func sendsWithAddressOfAnother(_ sensor: SensorScenario) -> Bool {
    sensor.faults.contains {
      guard case .returnsFrom(let address) = $0.fault else { return false }
      return family(of: address) != nil
    }
  }

  /// Rooms that take any sensor must not find more sensors than rooms: surplus sensors are switched off,
  /// foreign ones first.
  private func switchOffSurplus() async {
    let lastKnown = lastKnown
    let named = Set(building.rooms.compactMap(\.address))
    let needy = building.rooms.indices.filter { index in
      let room = building.rooms[index]
      return room.address == nil && !room.isRegistered && lastKnown.rooms[room.id]?.bindings.isEmpty ?? true
    }
    // In order: sensors of rooms that still need one, sensors of other rooms, foreign ones.
    let sensors = testCase.scenario.sensors
    let own = needy.map { sensors[$0] }
    let others = sensors.prefix(building.rooms.count)
    var wanted: [String: Int] = [:]
    for index in needy { wanted[building.rooms[index].family.id.rawValue, default: 0] += 1 }
    for address in named.sorted() { await world.setMuted(false, address) }
    var seen = named.union(registered)
    for sensor in own + others + sensors where seen.insert(sensor.address).inserted {
      guard lastKnown.owners(of: sensor.address).isEmpty else { continue }
      let left = wanted[sensor.family.name] ?? 0
      wanted[sensor.family.name] = max(left - 1, 0)
      await world.setMuted(left == 0, sensor.address)
    }
  }

  /// Configured sensors that no room has return to provisioning mode.
  private mutating func freeSensors() async {
    let lastKnown = lastKnown
    let named = Set(building.rooms.compactMap(\.address))
    for device in await devices() where !testCase.strangers.contains(device.address) {
      guard lastKnown.owners(of: device.address).isEmpty, !named.contains(device.address),
        device.identity != nil, !registered.contains(device.address)
      else { continue }
      await press(device.address)
    }
  }

  /// Performs the operator actions that the outcomes require.
  private mutating func followOutcomes(to rooms: [RoomFinished]) async {
    let registered = Set(building.rooms.filter(\.isRegistered).map(\.id))
    var pressed: Set<BluetoothAddress> = []
    for room in rooms
    where room.outcome == .actionRequired && room.reason?.code != .localAdapterNeeded
      && !registered.contains(room.room)
      || room.reason?.code == .beaconAsBefore || room.reason?.code == .contradictorySightings
      // A Shelly whose last restart a kill hid takes nothing over Bluetooth before it is reset.
      || room.reason?.code == .serviceMissing
    {
      pressed.formUnion([room.address].compactMap(\.self))
      pressed.formUnion(room.reason?.addresses ?? [])
    }
    for address in pressed.sorted() { await press(address) }
    for room in rooms {
      guard let code = room.reason?.code, code.asksForAddress else { continue }
      nameDevice(of: room.room, evenIfNotNear: code == .addressNeeded || code == .addressMissing)
    }
    await switchOffSurplus()
    await freeSensors()
  }

  /// The devices of the rooms that were configured elsewhere.
  private var registered: Set<BluetoothAddress> {
    Set(
      zip(testCase.building.rooms, testCase.scenario.sensors).filter(\.0.isRegistered).map(\.1.address))
  }

  /// Names a device for a room in the manifest: the correct one, or another free one if nearness has already
  /// given it to a room.
  /// - Parameter evenIfNotNear: whether this also applies to a room that is near no adapter.
  private mutating func nameDevice(of id: RoomID, evenIfNotNear: Bool) {
    guard let index = building.rooms.firstIndex(where: { $0.id == id }),
      evenIfNotNear || building.rooms[index].near != nil || building.assignment == .address
    else { return }
    let lastKnown = lastKnown
    let taken = registered.union(building.rooms.compactMap(\.address))
    let sensors = testCase.scenario.sensors
    let free = (sensors[index...] + sensors).first {
      $0.family.name == building.rooms[index].family.id.rawValue && !testCase.strangers.contains($0.address)
        && !taken.contains($0.address) && lastKnown.owners(of: $0.address).isEmpty
    }
    guard let free else { return }
    (building.rooms[index].near, building.rooms[index].address) = (nil, free.address)
  }

  /// Whether a device holds what its record claims: every setting that is not merely written.
  private func holds(_ flash: Flash?, _ room: Room, _ lastWrite: LastWrite) -> Bool {
    guard let flash, flash.isSaved else { return false }
    let unknown = Set(
      lastWrite.settings.filter { $0.state != .acknowledged && $0.state != .proved }.map(\.name.rawValue))
    guard let family = family(of: lastWrite.address) else { return false }
    return family.flash(of: room)
      .allSatisfy { unknown.contains($0.key) || flash.values[$0.key] == $0.value }
  }

  /// Every device holds what its room wants, no two have the same identity, and the record agrees.
  private func checkDone() async {
    let lastKnown = lastKnown
    for room in building.rooms {
      guard let lastWrite = lastKnown.rooms[room.id]?.lastWrite, lastKnown.rooms[room.id]?.isProved == true
      else {
        await checker.violate(.liveness, "reported as done, but not on record", room: room.id)
        continue
      }
      let flash = await world.flash(of: lastWrite.address)
      // A device that shows no state on air is done by the record, also if a person has reset it since.
      let isHidden =
        pressed.contains(lastWrite.address) && room.family.recognition.allSatisfy { $0.state == .present }
      if !doubtful.contains(lastWrite.address), !isHidden, !holds(flash, room, lastWrite) {
        await checker.violate(
          .liveness, "done, but its device lacks the wanted settings", room: room.id,
          device: lastWrite.address)
      }
    }
    let owned = Set(lastKnown.rooms.values.compactMap { $0.lastWrite?.address })
    for devices in SimulatedDevice.lookalikes(await devices().filter { owned.contains($0.address) }) {
      await checker.violate(.identity, "devices with one identity: \(devices)")
    }
    for conflict in lastKnown.conflicts {
      await checker.violate(.record, "the record contradicts itself: \(conflict)")
    }
  }
}

extension FailureReason.Code {
  /// Whether the address of the room's device in the manifest resolves it.
  fileprivate var asksForAddress: Bool {
    switch self {
    case .notClearlyNearest, .notNear, .receivedTooBriefly, .adapterMissing, .adapterShared, .noCandidate,
      .addressNeeded, .addressMissing:
      true
    default: false
    }
  }
}

extension FirmwareFamily {
  /// Whether a lost link of its devices looks like a success.
  fileprivate var isPerAction: Bool { oracle?.access == .perAction }
}

extension LastKnownRoom {
  /// Whether its device is proved with what was written last. A later manifest may want other settings: an Improv device at work
  /// takes none until it loses its network.
  fileprivate var isProved: Bool { [.done, .changed].contains(status.kind) }
}
