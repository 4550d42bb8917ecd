import Bluetooth
import Engine
import Journal
import Families
import Model
import Simulation
import VirtualBuilding
import VirtualCentral
import VirtualTime

/// Successive runs in one building, each with the record of the earlier ones.
struct Succession {
  let premises: Premises
  /// The record, run by run.
  private(set) var record: [[RunEvent]] = []

  var world: World { premises.world }
  var clock: VirtualClock { premises.clock }
  /// The state that the next run begins with.
  var lastKnown: LastKnownBuilding { BuildingRecord(record).lastKnown }

  fileprivate init(premises: Premises) { self.premises = premises }

  /// A run, a little later than the one before.
  /// - Parameters:
  ///   - cut: the moment at which a link is lost, once.
  ///   - failure: the event from which on recording fails.
  mutating func run(
    _ rooms: [Room], _ assignment: Building.Assignment = .address,
    allowing permissions: RecordPermissions = .init(), only: Set<RoomID> = [], cut: WriteMoment? = nil,
    recordFailsFrom failure: Int? = nil,
    during: @escaping @Sendable (Backstage, RunEvent) async -> Void = { _, _ in }
  ) async -> Rehearsed {
    try? await clock.sleep(for: .seconds(5))
    let (known, number, world) = (known(permissions), record.count + 1, world)
    let predecessors = RunOrder.predecessors(after: record)
    let run = await premises.rehearse(
      Sample.building(rooms, assignment), failsFrom: failure,
      changeRequest: { request in
        request.known = known
        request.predecessors = predecessors
        request.runID = "run-\(number)"
        request.excluded = RoomSelection(only: only).excluded(from: request.building, known)
      },
      wrap: { central, _ -> any Central in
        if let cut { MortalCentral(central: central, life: .init(), cut: (cut, world)) } else { central }
      }, during: during)
    record.append(run.events)
    return run
  }

  /// A run whose process is killed.
  /// - Parameters:
  ///   - event: the event at which it is killed, which is the last one written.
  ///   - write: the write at which it is killed.
  ///   - left: the share of unsynced events that survive, 0…1.
  /// - Returns: whether it was killed.
  mutating func runUntilKilled(
    _ rooms: [Room], event: Int? = nil, write: WriteMoment? = nil, left: Double = 1,
    allowing permissions: RecordPermissions = .init()
  ) async -> Bool {
    try? await clock.sleep(for: .seconds(5))
    let life = MortalCentral.Life(until: write)
    let recorder = MortalRecorder(clock: clock, diesAt: event, life: life)
    var request = ApplyRequest(
      building: Sample.building(rooms), known: known(permissions), runID: "run-\(record.count + 1)",
      toolVersion: "test", host: "host", manifestPath: "m.yaml", manifestSHA256: "00", isSimulated: false)
    request.predecessors = RunOrder.predecessors(after: record)
    _ = await apply(
      request,
      in: ApplyEnvironment(
        central: MortalCentral(central: await VirtualCentral(world: world, clock: clock), life: life),
        clock: clock, drivers: builtInFamilies, chance: { 0.5 },
        randomBytes: SeededGenerator(seed: 1).bytes(), confirm: { _ in .answer },
        requests: AsyncStream { _ in }),
      recording: premises.coordinator(recorder))
    // Requests in progress at the kill may complete.
    try? await clock.sleep(for: .seconds(10))
    record.append(await recorder.survivors(left))
    return !life.isAlive
  }

  /// Replaces the record by other facts.
  mutating func changeRecord(_ change: (Fact) -> Fact) {
    record = record.map { events in
      events.map { event in
        RunEvent(sequence: event.sequence, at: event.at, elapsed: event.elapsed, fact: change(event.fact))
      }
    }
  }

  /// Continues on another laptop, without a record.
  mutating func forgetEverything() { record = [] }

  /// The plan of the next run.
  func plan(_ rooms: [Room]) async throws -> ApplyPlan {
    let request = ApplyRequest(
      building: Sample.building(rooms), known: known(.init()), runID: "plan", toolVersion: "test",
      host: "host", manifestPath: "m.yaml", manifestSHA256: "00", isSimulated: false)
    return try await Engine.plan(
      request,
      in: ApplyEnvironment(
        central: await VirtualCentral(world: world, clock: clock), clock: clock, drivers: builtInFamilies,
        chance: { 0.5 }, randomBytes: SeededGenerator(seed: 1).bytes(),
        confirm: { _ in .answer }, requests: AsyncStream { _ in }),
      recording: premises.coordinator(MemoryRecorder(clock: clock, failsFrom: nil) { _ in }))
  }

  private func known(_ permissions: RecordPermissions) -> Known {
    Known(lastKnown: lastKnown, permissions: permissions, seal: .simulated)
  }
}

/// Runs `body` with successive runs among these devices.
func succession(
  _ sensors: [SensorScenario], seed: UInt64 = 1, radio: RadioParameters = .init(),
  _ body: @escaping @Sendable (inout Succession) async throws -> Void
) async throws {
  let scenario = Scenario(seed: seed, radio: radio, adapters: adapters, sensors: sensors)
  try await VirtualTime.run { clock in
    let world = World(scenario: scenario, clock: clock)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await world.run() }
      defer { group.cancelAll() }
      var succession = Succession(premises: Premises(world: world, clock: clock))
      try await body(&succession)
    }
  }
}
