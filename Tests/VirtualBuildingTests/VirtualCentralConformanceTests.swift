import Bluetooth
import CentralConformance
import Testing
import VirtualBuilding
import VirtualTime

@Suite("The in-process Central")
struct VirtualCentralConformanceTests {
  @Test("keeps the contract", arguments: ConformanceCheck.all)
  func conforms(_ check: ConformanceCheck) async throws {
    try await VirtualTime.run { clock in
      let world = World(scenario: ConformanceScenario.scenario, clock: clock)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await world.run() }
        defer { group.cancelAll() }
        try await check.run(
          ConformanceSubject(
            central: await VirtualCentral(world: world, clock: clock), world: world, clock: clock))
      }
    }
  }
}
