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

  func outcome(_ number: Int) -> RoomFinished? {
    result.rooms.first { $0.room == RoomID(rawValue: "room-\(number)") }
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
}

/// Records into memory, fails from an event on when told to, and tells a test what happens.
actor MemoryRecorder: RunRecorder {
  private(set) var events: [RunEvent] = []
  private let failsFrom: Int?
  private let watch: @Sendable (RunEvent) async -> Void

  init(failsFrom: Int?, watch: @escaping @Sendable (RunEvent) async -> Void) {
    self.failsFrom = failsFrom
    self.watch = watch
  }

  func record(_ batch: [RunEvent]) async throws(RecordFailure) {
    for event in batch {
      if let failsFrom, event.sequence >= failsFrom { throw RecordFailure("the disk is full") }
      events.append(event)
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
  runs: Int = 1, scenario change: @escaping @Sendable (inout Scenario) -> Void = { _ in },
  patience: Duration = .seconds(30),
  before: @escaping @Sendable (World, VirtualClock) async throws -> Void = { _, _ in },
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
            confirm: confirm,
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
  during: @escaping @Sendable (Backstage, RunEvent) async -> Void
) async -> Rehearsed {
  let (interruptions, interrupt) = AsyncStream.makeStream(of: Void.self)
  let backstage = Backstage(world: world, clock: clock, interrupt: { interrupt.yield() })
  let recorder = MemoryRecorder(failsFrom: failsFrom) { await during(backstage, $0) }
  let start = Date(timeIntervalSince1970: 1_795_251_600)
  let coordinator = Coordinator(
    clock: clock, wall: { start.addingTimeInterval(clock.now.sinceZero.inSeconds) }, recorder: recorder)
  let request = ApplyRequest(
    building: building, runID: "run", toolVersion: "test", host: "host", manifestPath: "m.yaml",
    manifestSHA256: "00", isSimulated: true, adapterPatience: patience)
  let result = await apply(
    request,
    in: ApplyEnvironment(
      central: await VirtualCentral(world: world, clock: clock), clock: clock, chance: { 0.5 },
      confirm: confirm, interruptions: interruptions),
    recording: coordinator)
  var flashes: [BluetoothAddress: Flash] = [:]
  for sensor in world.scenario.sensors { flashes[sensor.address] = await world.flash(of: sensor.address) }
  return Rehearsed(
    result: result, events: await recorder.events, writes: await world.writes, flashes: flashes,
    openLinks: await world.openLinkCount())
}
