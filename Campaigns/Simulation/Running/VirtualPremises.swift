package import Bluetooth
package import Engine
package import FoundationEssentials
import Journal
package import Model
package import Session
package import VirtualBuilding
package import VirtualCentral
package import VirtualTime

/// A virtual building, and what a run of the engine in it needs.
package struct VirtualPremises: Sendable {
  package let world: World
  package let clock: VirtualClock
  /// The networks to the other hosts.
  package let networks: VirtualNetworks

  package init(world: World, clock: VirtualClock) {
    (self.world, self.clock) = (world, clock)
    networks = VirtualNetworks(of: world.scenario, clock: clock)
  }

  /// Runs `body` in a building, in virtual time. The building ends with it.
  package static func use<Value: Sendable>(
    _ scenario: Scenario, _ body: @escaping @Sendable (VirtualPremises) async throws -> Value
  ) async throws -> Value {
    try await VirtualTime.run { clock in
      let premises = VirtualPremises(world: World(scenario: scenario, clock: clock), clock: clock)
      return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await premises.world.run() }
        defer { group.cancelAll() }
        return try await body(premises)
      }
    }
  }

  /// The radio of a host without a network between, as a new client; nil: of this computer.
  package func central(of host: HostName? = nil) async -> VirtualCentral {
    await VirtualCentral(world: world, on: host, clock: clock)
  }

  /// The request of a run after those on record.
  package func request(
    _ building: Building, _ known: Known = Known(), run: String, after record: [[RunEvent]] = []
  ) -> ApplyRequest {
    var request = ApplyRequest(
      building: building, known: known, runID: run, toolVersion: "test", host: "host",
      manifestPath: "m.yaml", manifestSHA256: "00", isSimulated: false)
    request.predecessors = RunOrder.predecessors(after: record)
    return request
  }

  /// The events of a run with the record of the earlier ones.
  package func run(
    _ building: Building, _ drivers: [FamilyDriver], after record: [[RunEvent]], seal: SecretSeal? = nil
  ) async -> [RunEvent] {
    let recorder = MortalRecorder(clock: clock)
    let known = Known(lastKnown: BuildingRecord(record).lastKnown, seal: seal)
    _ = await apply(
      request(building, known, run: "run-\(record.count + 1)", after: record),
      in: environment(await central(), drivers), recording: coordinator(recorder))
    return await recorder.events
  }

  /// The environment of a run whose operator agrees to everything.
  package func environment(_ central: any Central, _ drivers: [FamilyDriver]) -> ApplyEnvironment {
    ApplyEnvironment(
      central: central, clock: clock, drivers: drivers, chance: { 0.5 },
      randomBytes: SeededGenerator(seed: 1).bytes(), confirm: { _ in .answer }, requests: AsyncStream { _ in }
    )
  }

  /// A coordinator for a run that begins now.
  /// - Parameter clockError: How far the host's clock is ahead, in seconds.
  package func coordinator(_ recorder: any RunRecorder, clockError: Double = 0) -> Coordinator {
    Coordinator(clock: clock, wall: { now(clockError) }, recorder: recorder)
  }

  /// The time of day, by a clock that is this many seconds ahead. The virtual zero is 2026-11-21, 09:00 UTC.
  package func now(_ clockError: Double = 0) -> Date {
    Date(timeIntervalSince1970: 1_795_251_600)
      .addingTimeInterval(clock.now.sinceZero.inSeconds + clockError)
  }
}
