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
  let premises: VirtualPremises
  /// The record, run by run.
  private(set) var record: [[RunEvent]] = []

  var world: World { premises.world }
  var clock: VirtualClock { premises.clock }
  /// The state that the next run begins with.
  var lastKnown: LastKnownBuilding { BuildingRecord(record).lastKnown }

  fileprivate init(premises: VirtualPremises) { self.premises = premises }

  /// A run, a little later than the one before.
  /// - Parameters:
  ///   - cut: the moment at which a link is lost, once.
  ///   - failure: the event from which on recording fails.
  ///   - isWatching: whether the run lasts until every room is done.
  mutating func run(
    _ rooms: [Room], _ assignment: Building.Assignment = .address,
    allowing permissions: RecordPermissions = .init(), only: Set<RoomID> = [], cut: WriteMoment? = nil,
    recordFailsFrom failure: Int? = nil, isWatching: Bool = false,
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
        request.isWatching = isWatching
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
    _ = await apply(
      premises.request(
        Sample.building(rooms), known(permissions), run: "run-\(record.count + 1)", after: record),
      in: premises.environment(
        MortalCentral(central: await premises.central(), life: life), builtInFamilies),
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
    try await premises.plan(premises.request(Sample.building(rooms), known(.init()), run: "plan"))
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
  try await VirtualPremises.use(scenario) { premises in
    var succession = Succession(premises: premises)
    try await body(&succession)
  }
}
