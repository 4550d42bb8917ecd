import Bluetooth
import CentralConformance
import Testing
import VirtualBuilding
import VirtualCentral
import VirtualTime

@Suite("The in-process Central")
struct VirtualCentralConformanceTests {
  @Test("the central passes the conformance check", arguments: ConformanceCheck.all)
  func conforms(_ check: ConformanceCheck) async throws {
    try await Self.run(check, in: ConformanceScenario.scenario)
  }

  @Test("the central passes the checks of pairing", arguments: ConformanceCheck.pairing)
  func pairs(_ check: ConformanceCheck) async throws {
    try await Self.run(check, in: ConformanceScenario.pairing)
  }

  private static func run(_ check: ConformanceCheck, in scenario: Scenario) async throws {
    try await VirtualTime.run { clock in
      try await Building.inWorld(scenario, clock) { world in
        try await check.run(
          ConformanceSubject(
            central: await VirtualCentral(world: world, clock: clock), world: world, clock: clock))
      }
    }
  }

  @Test("the central passes it through a network, too", arguments: ConformanceCheck.all)
  func conformsThroughNetwork(_ check: ConformanceCheck) async throws {
    let host = HostScenario(
      try #require(HostName("floor-1")), delay: .milliseconds(50), jitter: .milliseconds(50))
    try await VirtualTime.run { clock in
      try await Building.inWorld(ConformanceScenario.scenario, clock) { world in
        let network = VirtualNetwork(to: host, SeededGenerator(seed: 1), clock)
        let central = await VirtualCentral(world: world, through: network, clock: clock)
        // Until its adapters have arrived.
        _ = await central.adapterChanges().first { !$0.isEmpty }
        var subject = ConformanceSubject(central: central, world: world, clock: clock)
        // 0.2 s between two questions, and three times the delay.
        subject.lateness = .milliseconds(500)
        try await check.run(subject)
      }
    }
  }
}
