import Foundation
import Testing
import VirtualBuilding

@Suite("an event that ends many links is reported once", .timeLimit(.minutes(3)))
struct OutageTests {
  @Test("an outage is reported once with the rooms that lost their link", arguments: LostStackTests.gaps)
  func reportedOnce(_ gap: LostStackTests.Gap) async throws {
    try await Site.use { site in
      let numbers = 1...5
      try site.writeManifest(numbers.map { .numbered($0) }, defaults: ["retries: 4"])
      let sensors = numbers.map { ServedBuilding.sensor($0, .slow) }
      try await ServedBuilding.serve(sensors, speed: 5) { building in
        let run = try site.start(
          ["apply", "building.yaml", "--scan-time", "1", "--adapter-wait", "600"], bus: building.bus)
        try await run.until("four links") { await building.world.openLinkCount() >= 4 }
        await gap.strike(building)
        try await run.prints("waiting up to")
        await gap.mend(building)
        let outcome = try await run.ended()
        #expect(outcome.status == 0, "\(outcome)")
        let causes = try site.report["common_causes"].items
        #expect(causes.map { $0["cause"].text } == ["moment"], "\(outcome)")
        let cause = try #require(causes.first)
        #expect(cause["rooms"].items.count >= 3)
        #expect(cause["moments"].items.count == 1)
        let sentence = "lost their links together on"
        #expect(outcome.output.components(separatedBy: sentence).count == 2, "\(outcome)")
      }
    }
  }
}
