import Bluetooth
import Foundation
import Testing
import VirtualBuilding

@Suite("`latest` leads to the newest run that reached the radio", .timeLimit(.minutes(3)))
struct LatestTests {
  private static let apply = ["apply", "building.yaml", "--yes", "--listen", "1", "--adapter-wait", "0.5"]

  /// Why a run hears nothing.
  struct Obstacle: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var arguments: [String] = []
    var arrange: @Sendable (ServedBuilding) async -> Void = { _ in }
  }

  static let obstacles = [
    Obstacle(testDescription: "a mistyped adapter", arguments: ["--adapter", "hci7"]),
    Obstacle(testDescription: "bluetoothd stopped") { await $0.stack.stopDaemon() },
    Obstacle(testDescription: "an adapter switched off") {
      await $0.world.setPowered(false, ServedBuilding.adapter)
    },
  ]

  @Test("and stays where it is when a run ended before it heard anything", arguments: obstacles)
  func nothingHeard(_ obstacle: Obstacle) async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      let latest = try site.latest.lastPathComponent
      await obstacle.arrange(premises.building)
      let outcome = try await premises.run(Self.apply + obstacle.arguments)
      #expect(outcome.status == 69, "\(outcome)")
      let run = try #require(site.runs.first { $0 != latest })
      try site.expectWholeRecord(of: site.recorded(run), rooms: 1)
      #expect(outcome.output.hasSuffix("\nReports: reports/\(Site.building)/\(run)\n"), "\(outcome)")
      #expect(try site.latest.lastPathComponent == latest)
      // Made again, its reports move nothing either.
      let report = try await site.run(["report", Site.building, run])
      #expect(report.status == 0, "\(report)")
      #expect(try site.latest.lastPathComponent == latest)
    }
  }

  @Test("and is none as long as no run has")
  func first() async throws {
    try await Premises.serve(1) { premises in
      let site = premises.site
      let outcome = try await premises.run(Self.apply + ["--adapter", "hci7"])
      #expect(outcome.status == 69, "\(outcome)")
      #expect(!site.hasLink("reports/\(Site.building)/latest"))
      #expect(try await premises.apply().status == 0)
      #expect(try site.outcomes == [101: "provisioned"])
    }
  }
}
