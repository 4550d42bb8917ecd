import Foundation
import Testing

@Suite("a campaign simulates random buildings", .timeLimit(.minutes(60)))
struct CampaignCommandTests {
  /// `roboprov-campaign`, built beside `roboprov`.
  private static let program =
    Invocation.program.deletingLastPathComponent().appending(path: "roboprov-campaign").path

  private static func run(_ site: Site, _ arguments: [String]) async throws -> Invocation.Outcome {
    try await site.runTool([program] + arguments)
  }

  @Test("a campaign ends with a line of counts, which is the same for the same seed")
  func counts() async throws {
    try await Site.use { site in
      let outcome = try await Self.run(site, ["4", "--seed", "5"]).expect(
        0, errors: "2 of 4 buildings, broken: 0")
      #expect(outcome.output.hasPrefix("violations: 0; buildings: 4, rooms: "), "\(outcome)")
      #expect(outcome.output.filter { $0 == "\n" }.count == 1)
      let again = try await Self.run(site, ["4", "--seed", "5"])
      #expect(again.output == outcome.output)
      let other = try await Self.run(site, ["4", "--seed", "6"])
      #expect(other.output != outcome.output)
    }
  }

  @Test("a campaign reports the same counts as JSON")
  func json() async throws {
    try await Site.use { site in
      let report = try await Self.run(site, ["2", "--seed", "5", "--output", "json"]).expect(0).json
      #expect(report["schema"].text == "roboprov/campaign/1")
      #expect(report["seed"].text == "5")
      #expect(report["buildings"].integer == 2)
      #expect(report["violations"].integer == 0)
      #expect(report["broken"].count == 0)
      #expect(report["outcomes"]["provisioned"].integer ?? 0 > 0)
    }
  }

  @Test("Ctrl-C ends a campaign with the counts so far")
  func interrupted() async throws {
    try await Site.use { site in
      let campaign = try site.startTool([Self.program, "100000", "--seed", "5"])
      try await campaign.until("its beginning") { campaign.errorsSoFar.contains("Ctrl-C ends it") }
      campaign.send(SIGINT)
      let outcome = try await campaign.ended().expect(130)
      #expect(outcome.output.hasPrefix("violations: 0; buildings: "), "\(outcome)")
    }
  }

  @Test("a campaign needs at least one building")
  func usage() async throws {
    try await Site.use { site in
      _ = try await Self.run(site, ["0"]).expect(64, errors: "from 1")
    }
  }
}
