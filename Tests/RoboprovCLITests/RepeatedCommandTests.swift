import Bluetooth
import Testing
import VirtualBuilding

@Suite("Commands given right after one another", .timeLimit(.minutes(3)))
struct RepeatedCommandTests {
  static let controllers: [DuplicateFilter] = [.oncePerScan, .every(.milliseconds(100))]

  @Test("scan --listen 4, four times in a row, lists every sensor each time", arguments: controllers)
  func scans(_ controller: DuplicateFilter) async throws {
    var radio = RadioParameters()
    radio.duplicates = controller
    try await Site.use { site in
      let sensors = (1...40).map { ServedBuilding.sensor($0) }
      // As fast as life: the program's own time is.
      try await ServedBuilding.serve(sensors, radio: radio, speed: 1) { building in
        for _ in 0..<4 {
          let outcome = try await site.run(["scan", "--listen", "4", "--output", "json"], bus: building.bus)
          #expect(outcome.status == 0, "\(outcome)")
          #expect(try #require(JSON(outcome.output))["devices"].count == 40, "\(outcome)")
        }
      }
    }
  }
}
