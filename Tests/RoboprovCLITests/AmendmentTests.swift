import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@Suite("amendments change the record")
struct AmendmentTests {
  private func runs(_ site: Site, in place: String = "reports") throws -> [String] {
    try FileManager.default.contentsOfDirectory(
      atPath: site.directory.appending(path: "\(place)/\(Site.building)").path
    ).filter { !$0.hasPrefix(".") && $0 != "latest" }.sorted()
  }

  private func journal(_ site: Site, _ run: String, in place: String = "reports") throws -> Data {
    try Data(
      contentsOf: site.directory.appending(path: "\(place)/\(Site.building)/\(run)/journal.jsonl"))
  }

  @Test("an amendment is mirrored like a run and has no report")
  func mirrored() async throws {
    try await Site.use([.numbered(1)]) { site in
      let accept = [
        "room", "accept", "building.yaml", "room-101", "--reason", "no power", "--by", "QA", "--mirror",
        "stick",
      ]
      try await site.run(accept).expect(0)
      let run = try #require(try runs(site).first)
      #expect(try journal(site, run) == journal(site, run, in: "stick"))
      try await site.run(["report", Site.building, run]).expect(64, errors: "roboprov room history")
      #expect(!site.hasLink("reports/\(Site.building)/latest"))
    }
  }

  @Test("an amendment is refused if the mirror cannot be written")
  func unwritable() async throws {
    try await Site.use([.numbered(1)]) { site in
      try site.write("stick", "a file has its name")
      let accept = ["room", "accept", "building.yaml", "room-101", "--reason", "no power", "--by", "QA"]
      try await site.run(accept + ["--mirror", "stick"]).expect(74, errors: "the mirror")
      try await site.run(["room", "history", "building.yaml", "room-101", "--full"]).expect(
        notOutput: "accepted")
    }
  }

  @Test("new reports for an older run do not move `latest`")
  func olderRun() async throws {
    try await Site.use([.numbered(1)]) { site in
      try await site.serve([ServedBuilding.sensor(1)]) { building in
        for _ in 1...2 {
          try await site.run(["apply", "building.yaml", "--scan-time", "1"], on: building).expect(0)
        }
      }
      let both = try runs(site)
      try await site.run(["report", Site.building, both[0]]).expect(0)
      #expect(try site.latest.lastPathComponent == both[1])
    }
  }
}
