import Bluetooth
import Foundation
import Provisioning
import VirtualBuilding
import VirtualTime

/// A whole run of the engine in a virtual building in virtual time, and all that can be known about it.
struct Rehearsed: Sendable {
  var result: ApplyResult
  var events: [RunEvent]
  var writes: [WriteRecord]
  var flashes: [BluetoothAddress: Flash]
  var openLinks: Int
  var attemptsUnderWay: Int
  /// What the stack still has stored on adapters that are there and on.
  var remembered: [BluetoothAddress]
  /// When each event was on disk: recording takes its time.
  var durableAt: [MonotonicInstant]
  var endedAt: MonotonicInstant

  func outcome(_ number: Int) -> RoomFinished? {
    result.rooms.first { $0.room == RoomID(rawValue: "room-\(number)") }
  }

  /// The device that the room was bound to.
  func device(of room: RoomID) -> BluetoothAddress? {
    facts { if case .bindingCommitted(let fact) = $0, fact.room == room { fact.address } else { nil } }.first?
      .1
  }

  /// When facts that `isWanted` were on disk.
  func onDisk(_ isWanted: (Fact) -> Bool) -> [MonotonicInstant] {
    zip(events, durableAt).filter { isWanted($0.0.fact) }.map(\.1)
  }

  func facts<Payload>(_ pick: (Fact) -> Payload?) -> [(RunEvent, Payload)] {
    events.compactMap { event in pick(event.fact).map { (event, $0) } }
  }
}

/// What a test may do while the engine runs.
struct Backstage: Sendable {
  var world: World
  var clock: VirtualClock
  /// Asks the run to stop, as Ctrl-C does.
  var interrupt: @Sendable () -> Void
  /// Tells the run that the host did nothing for a while.
  var pause: @Sendable (HostPause) -> Void
  /// Has something done a while later, without keeping anybody waiting.
  var after: @Sendable (Duration, @escaping @Sendable () async -> Void) -> Void
}

/// Records into memory, fails from an event on when told to, and tells a test what happens.
actor MemoryRecorder: RunRecorder {
  /// Longer than a write takes to reach a sensor: who does not wait for the disk is found out.
  private static let latency = Duration.milliseconds(60)

  private(set) var events: [RunEvent] = []
  private(set) var durableAt: [MonotonicInstant] = []
  private let clock: VirtualClock
  private let failsFrom: Int?
  private let watch: @Sendable (RunEvent) async -> Void

  init(clock: VirtualClock, failsFrom: Int?, watch: @escaping @Sendable (RunEvent) async -> Void) {
    self.clock = clock
    self.failsFrom = failsFrom
    self.watch = watch
  }

  func record(_ batch: [RunEvent]) async throws(RecordFailure) {
    if batch.contains(where: { $0.fact.durability == .synced }) { try? await clock.sleep(for: Self.latency) }
    for event in batch {
      if let failsFrom, event.sequence >= failsFrom { throw RecordFailure("the disk is full") }
      events.append(event)
      durableAt.append(clock.now)
      await watch(event)
    }
  }
}

/// The adapter of every rehearsal here, and its second.
let adapters = [
  AdapterScenario(address: BluetoothAddress(rawValue: 0x001A_7DDA_7101), name: "hci0")
]

/// Runs `apply` over a building whose room *n* has sensor *n*, with these faults.
func rehearse(
  _ sensors: [[ScheduledFault]], rooms: [Room]? = nil, assignment: Building.Assignment = .address,
  seed: UInt64 = 1,
  retries: Int = 2, recordFailsFrom: Int? = nil,
  confirm: @escaping @Sendable ([ProposedBinding]) async -> Bool = {
    _ in true
  },
  asking: @escaping @Sendable (Backstage) async -> Void = { _ in },
  runs: Int = 1, scenario change: @escaping @Sendable (inout Scenario) -> Void = { _ in },
  patience: Duration = .seconds(30),
  before: @escaping @Sendable (World, VirtualClock) async throws -> Void = { _, _ in },
  request changeRequest: @escaping @Sendable (inout ApplyRequest) -> Void = { _ in },
  claim: @escaping @Sendable (Adapter) async -> AdapterClaim = { _ in .granted },
  action: @escaping @Sendable (VirtualClock) async -> MonotonicInstant? = { _ in nil },
  through wrap: @escaping @Sendable (VirtualCentral, VirtualClock) -> any Central = { central, _ in central },
  during: @escaping @Sendable (Backstage, RunEvent) async -> Void = { _, _ in }
) async throws -> Rehearsed {
  var scenario = Scenario(
    seed: seed, adapters: adapters,
    sensors: sensors.enumerated().map {
      SensorScenario(address: Sample.address(UInt64($0.offset + 1)), faults: $0.element)
    })
  change(&scenario)
  let rooms =
    rooms
    ?? sensors.indices.map { Sample.room($0 + 1, address: UInt64($0 + 1), retries: retries) }
  let building = Sample.building(rooms, assignment)
  return try await VirtualTime.run { [scenario] clock in
    let world = World(scenario: scenario, clock: clock)
    return try await withThrowingTaskGroup(of: Rehearsed?.self) { group in
      group.addTask {
        await world.run()
        return nil
      }
      group.addTask {
        try await before(world, clock)
        var last: Rehearsed?
        for _ in 0..<runs {
          last = await rehearseOnce(
            building, world, clock, seed: seed, failsFrom: recordFailsFrom, patience: patience,
            confirm: confirm, asking: asking, changeRequest: changeRequest, claim: claim, action: action,
            wrap: wrap,
            during: during)
        }
        return last
      }
      defer { group.cancelAll() }
      while let next = try await group.next() {
        if let next { return next }
      }
      preconditionFailure("a rehearsal without an end")
    }
  }
}

private func rehearseOnce(
  _ building: Building, _ world: World, _ clock: VirtualClock, seed: UInt64, failsFrom: Int?,
  patience: Duration,
  confirm: @escaping @Sendable ([ProposedBinding]) async -> Bool,
  asking: @escaping @Sendable (Backstage) async -> Void,
  changeRequest: @Sendable (inout ApplyRequest) -> Void,
  claim: @escaping @Sendable (Adapter) async -> AdapterClaim,
  action: @escaping @Sendable (VirtualClock) async -> MonotonicInstant?,
  wrap: @Sendable (VirtualCentral, VirtualClock) -> any Central,
  during: @escaping @Sendable (Backstage, RunEvent) async -> Void
) async -> Rehearsed {
  let (interruptions, interrupt) = AsyncStream.makeStream(of: Void.self)
  let (jobs, job) = AsyncStream.makeStream(of: (Duration, @Sendable () async -> Void).self)
  let (pauses, pause) = AsyncStream.makeStream(of: HostPause.self)
  let backstage = Backstage(
    world: world, clock: clock, interrupt: { interrupt.yield() }, pause: { pause.yield($0) },
    after: { job.yield(($0, $1)) })
  let recorder = MemoryRecorder(clock: clock, failsFrom: failsFrom) { await during(backstage, $0) }
  let start = Date(timeIntervalSince1970: 1_795_251_600)
  let coordinator = Coordinator(
    clock: clock, wall: { start.addingTimeInterval(clock.now.sinceZero.inSeconds) }, recorder: recorder)
  var request = ApplyRequest(
    building: building, runID: "run", toolVersion: "test", host: "host", manifestPath: "m.yaml",
    manifestSHA256: "00", isSimulated: true, adapterPatience: patience)
  changeRequest(&request)
  let central = wrap(await VirtualCentral(world: world, clock: clock), clock)
  let result = await withTaskGroup(of: Void.self) { group in
    group.addTask {
      await withDiscardingTaskGroup { group in
        for await (delay, work) in jobs {
          group.addTask { if (try? await clock.sleep(for: delay)) != nil { await work() } }
        }
        group.cancelAll()
      }
    }
    defer { group.cancelAll() }
    return await apply(
      request,
      in: ApplyEnvironment(
        central: central, clock: clock, chance: { 0.5 },
        confirm: { proposals in
          await asking(backstage)
          return await confirm(proposals)
        }, action: { _ in await action(clock) }, claim: claim, interruptions: interruptions, pauses: pauses),
      recording: coordinator)
  }
  var flashes: [BluetoothAddress: Flash] = [:]
  for sensor in world.scenario.sensors { flashes[sensor.address] = await world.flash(of: sensor.address) }
  var remembered: [BluetoothAddress] = []
  for adapter in await world.adapters() where adapter.isPowered {
    remembered += await world.storedPeripherals(on: adapter.address)
  }
  return Rehearsed(
    result: result, events: await recorder.events, writes: await world.writes, flashes: flashes,
    openLinks: await world.openLinkCount(),
    attemptsUnderWay: await world.attemptsUnderWay(on: adapters[0].address), remembered: remembered,
    durableAt: await recorder.durableAt, endedAt: clock.now)
}
