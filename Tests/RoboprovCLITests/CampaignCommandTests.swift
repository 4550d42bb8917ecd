import Foundation
import Testing

@Suite("A campaign of random buildings", .timeLimit(.minutes(5)))
struct CampaignCommandTests {
  @Test("ends with a line of counts, and is the same each time")
  func counts() async throws {
    try await Site.use { site in
      let outcome = try await site.run(["simulate", "--campaign", "4", "--seed", "5"])
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.output.hasPrefix("violations: 0; buildings: 4, rooms: "), "\(outcome)")
      #expect(outcome.output.filter { $0 == "\n" }.count == 1)
      #expect(outcome.errors.contains("2 of 4 buildings, broken: 0"), "\(outcome)")
      let again = try await site.run(["simulate", "--campaign", "4", "--seed", "5"])
      #expect(again.output == outcome.output)
      let other = try await site.run(["simulate", "--campaign", "4", "--seed", "6"])
      #expect(other.output != outcome.output)
    }
  }

  @Test("tells programs the same")
  func json() async throws {
    try await Site.use { site in
      let outcome = try await site.run(["simulate", "--campaign", "2", "--seed", "5", "--output", "json"])
      #expect(outcome.status == 0, "\(outcome)")
      let report = try #require(JSON(outcome.output))
      #expect(report["schema"].text == "roboprov/campaign/1")
      #expect(report["seed"].text == "5")
      #expect(report["buildings"].integer == 2)
      #expect(report["violations"].integer == 0)
      #expect(report["broken"].count == 0)
      #expect(report["outcomes"]["provisioned"].integer ?? 0 > 0)
    }
  }

  @Test("is ended by Ctrl-C with the counts so far")
  func interrupted() async throws {
    try await Site.use { site in
      let campaign = try site.start(["simulate", "--campaign", "100000", "--seed", "5"])
      try await campaign.until("its beginning") { campaign.errorsSoFar.contains("Ctrl-C ends it") }
      campaign.send(SIGINT)
      let outcome = try await campaign.ended()
      #expect(outcome.status == 130, "\(outcome)")
      #expect(outcome.output.hasPrefix("violations: 0; buildings: "), "\(outcome)")
    }
  }

  @Test(
    "is either that or a scenario's building",
    arguments: [
      ([], "name a scenario to serve, or give --campaign"),
      (["scenario.yaml", "--campaign", "3"], "--campaign draws its buildings at random"),
      (["--campaign", "0"], "--campaign takes a number of buildings from 1"),
      (["scenario.yaml", "--output", "json"], "--output and --disturbances go with --campaign"),
    ])
  func usage(_ arguments: [String], _ words: String) async throws {
    try await Site.use { site in
      let outcome = try await site.run(["simulate"] + arguments)
      #expect(outcome.status == 64, "\(outcome)")
      #expect(outcome.errors.contains(words), "\(outcome)")
    }
  }
}
