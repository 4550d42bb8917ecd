import Bluetooth
import SampleFacts
import Testing
import VirtualBuilding

@Suite("commands may follow each other without a delay", .timeLimit(.minutes(60)))
struct RepeatedCommandTests {
  static let controllers: [DuplicateFilter] = [.oncePerScan, .every(.milliseconds(100))]

  @Test("four consecutive runs of scan --scan-time 4 each list every sensor", arguments: controllers)
  func scans(_ controller: DuplicateFilter) async throws {
    var radio = RadioParameters()
    radio.duplicates = controller
    try await Site.use { site in
      let sensors = (1...40).map { ServedBuilding.sensor($0) }
      let scenario = Scenario(
        seed: 7, radio: radio, adapters: [AdapterScenario(address: ServedBuilding.adapter, name: "hci0")],
        sensors: sensors)
      // The time of the building is that of the commands.
      try await site.serve(scenario, speed: 1) { building in
        for _ in 0..<4 {
          let outcome = try await site.run(["scan", "--scan-time", "4", "--output", "json"], on: building)
            .expect(0)
          #expect(try outcome.json["devices"].count == 40, "\(outcome)")
        }
      }
    }
  }
}
