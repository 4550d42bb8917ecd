import Bluetooth
import CentralConformance
import Testing
import VirtualBuilding
import VirtualTime

@Suite("The in-process Central")
struct VirtualCentralConformanceTests {
  @Test("the central passes the conformance check", arguments: ConformanceCheck.all)
  func conforms(_ check: ConformanceCheck) async throws {
    try await VirtualTime.run { clock in
      try await Building.inWorld(ConformanceScenario.scenario, clock) { world in
        try await check.run(
          ConformanceSubject(
            central: await VirtualCentral(world: world, clock: clock), world: world, clock: clock))
      }
    }
  }
}
