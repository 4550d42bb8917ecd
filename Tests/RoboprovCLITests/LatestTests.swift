import Bluetooth
import Foundation
import Testing
import VirtualBuilding

@Suite("`latest` points to the newest run that used an adapter", .timeLimit(.minutes(60)))
struct LatestTests {
  private static let apply = ["apply", "building.yaml", "--yes", "--scan-time", "1", "--adapter-wait", "0.5"]

  @Test("`latest` does not move when a run ends before it scanned")
  func nothingReceived() async throws {
    try await Premises.serveDone(1, toPrograms: true) { premises in
      let site = premises.site
      let latest = try site.latest.lastPathComponent
      try await premises.whileAdapterIsTaken {
        let outcome = try await premises.run(Self.apply).expect(69)
        let run = try #require(site.runs.first { $0 != latest })
        try site.expectWholeRecord(of: site.recorded(run), rooms: 1)
        #expect(outcome.output.contains("\nReports: reports/\(Site.building)/\(run)\n"), "\(outcome)")
        #expect(try site.latest.lastPathComponent == latest)
        // New reports for these runs do not move it either.
        try await site.run(["report", Site.building, run]).expect(0)
        #expect(try site.latest.lastPathComponent == latest)
      }
    }
  }

  @Test("`latest` does not exist until a run has scanned")
  func first() async throws {
    try await Premises.serve(1, toPrograms: true) { premises in
      let site = premises.site
      try await premises.whileAdapterIsTaken {
        try await premises.run(Self.apply).expect(69)
        #expect(site.runs.count == 1)
        #expect(!site.hasLink("reports/\(Site.building)/latest"))
      }
      #expect(try await premises.apply().status == 0)
      #expect(try site.outcomes == [101: "provisioned"])
      #expect(site.hasLink("reports/\(Site.building)/latest"))
    }
  }
}
