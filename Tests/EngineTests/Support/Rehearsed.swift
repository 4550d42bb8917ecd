import Bluetooth
import Engine
import Foundation
import Journal
import Model
import Simulation
import VirtualBuilding
import VirtualCentral
import VirtualTime

/// A complete run of the engine in a virtual building in virtual time, with everything known about it.
struct Rehearsed: Sendable {
  /// The rooms of the building.
  var rooms: [Room]
  var result: ApplyResult
  var events: [RunEvent]
  /// The writes that reached devices in this run.
  var writes: [WriteRecord]
  /// The flash of each device, before and after.
  var flashesBefore: [BluetoothAddress: Flash]
  var flashes: [BluetoothAddress: Flash]
  /// The number of connection attempts in this run, by device.
  var connected: [BluetoothAddress: Int]
  /// The recorded devices of rooms before the run.
  var boundBefore: [RoomID: BluetoothAddress]
  /// Links and attempts on adapters whose host can be reached.
  var openLinks: Int
  var attemptsUnderWay: Int
  /// The devices that the stack still has on disk for adapters that are present and powered.
  var remembered: [BluetoothAddress]
  /// The instant at which each event became durable: recording takes time.
  var durableAt: [MonotonicInstant]
  var endedAt: MonotonicInstant

  func outcome(_ number: Int) -> RoomFinished? {
    result.rooms.first { $0.room == RoomID(rawValue: "room-\(number)") }
  }

  /// The device that the room was bound to.
  func device(of room: RoomID) -> BluetoothAddress? {
    facts { if case .bindingCommitted(let fact) = $0, fact.room == room { fact.address } else { nil } }.first?
      .1 ?? boundBefore[room]
  }

  /// The instants at which facts that fulfil `isWanted` became durable.
  func onDisk(_ isWanted: (Fact) -> Bool) -> [MonotonicInstant] {
    zip(events, durableAt).filter { isWanted($0.0.fact) }.map(\.1)
  }

  func facts<Payload>(_ pick: (Fact) -> Payload?) -> [(RunEvent, Payload)] {
    events.compactMap { event in pick(event.fact).map { (event, $0) } }
  }
}

/// The access of a test to a run in progress.
struct Backstage: Sendable {
  var world: World
  var clock: VirtualClock
  var networks: VirtualNetworks
  /// Asks the run to stop, as Ctrl-C does.
  var interrupt: @Sendable () -> Void
  /// Reports a pause of the host to the run.
  var pause: @Sendable (HostPause) -> Void
  /// Runs a closure later, without waiting for it.
  var after: @Sendable (Duration, @escaping @Sendable () async -> Void) -> Void

  /// Switches the first adapter off, and on again after this time.
  func switchOff(for time: Duration) async {
    await world.setPowered(false, adapters[0].address)
    after(time) { await world.setPowered(true, adapters[0].address) }
  }

  /// Stops the stack, and starts it 2 s later.
  func restartStack() async {
    await world.stopStack()
    after(.seconds(2)) { await world.startStack() }
  }
}

/// Records into memory, fails from a given event on, and calls a test for each event.
actor MemoryRecorder: RunRecorder {
  /// Longer than a write takes to reach a sensor, so that a write that does not wait for the disk is
  /// detected.
  private static let latency = Duration.milliseconds(60)

  private(set) var events: [RunEvent] = []
  private(set) var durableAt: [MonotonicInstant] = []
  private let clock: VirtualClock
  private let failsFrom: Int?
  private let watch: @Sendable (RunEvent) async -> Void

  init(
    clock: VirtualClock, failsFrom: Int? = nil,
    watch: @escaping @Sendable (RunEvent) async -> Void = { _ in }
  ) {
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

/// The adapters of every rehearsal here: two, unless a test needs one.
let adapters = [
  AdapterScenario(address: BluetoothAddress(rawValue: 0x001A_7DDA_7101), name: "hci0"),
  AdapterScenario(address: BluetoothAddress(rawValue: 0x001A_7DDA_7102), name: "hci1"),
]
/// For a test with a single adapter.
let oneAdapter = Array(adapters.prefix(1))

/// Runs `apply` in a building whose room *n* has sensor *n*, with these faults.
func rehearse(
  _ sensors: [[ScheduledFault]], rooms: [Room]? = nil, assignment: Building.Assignment = .address,
  seed: UInt64 = 1,
  retries: Int = 2, recordFailsFrom: Int? = nil,
  confirm: @escaping @Sendable ([ProposedBinding]) async -> Consent? = { _ in .answer },
  asking: @escaping @Sendable (Backstage) async -> Void = { _ in },
  judge: @escaping @Sendable ([RoomFinished]) async -> Bool = { _ in true },
  runs: Int = 1, scenario change: @escaping @Sendable (inout Scenario) -> Void = { _ in },
  timeout: Duration = .seconds(30),
  before: @escaping @Sendable (World, VirtualClock) async throws -> Void = { _, _ in },
  request changeRequest: @escaping @Sendable (inout ApplyRequest) -> Void = { _ in },
  claim: @escaping @Sendable (Adapter) async -> AdapterClaim = { _ in .granted },
  action: @escaping @Sendable (VirtualClock) async -> MonotonicInstant? = { _ in nil },
  through wrap: @escaping @Sendable (VirtualCentral, VirtualClock) -> any Central = { central, _ in central },
  joining: (@Sendable (VirtualPremises) async -> CentralGroup)? = nil,
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
  return try await VirtualPremises.use(scenario) { premises in
    try await before(premises.world, premises.clock)
    var rehearsed: [Rehearsed] = []
    for number in 1...runs {
      let lastKnown = BuildingRecord(rehearsed.map(\.events)).lastKnown
      rehearsed.append(
        await premises.rehearse(
          building, failsFrom: recordFailsFrom, timeout: timeout, confirm: confirm, asking: asking,
          judge: judge,
          changeRequest: { request in
            if number > 1 { request.runID = "run-\(number)" }
            request.known = Known(lastKnown: lastKnown)
            changeRequest(&request)
          }, claim: claim, action: action, wrap: wrap, joining: joining, during: during))
    }
    return rehearsed[runs - 1]
  }
}
