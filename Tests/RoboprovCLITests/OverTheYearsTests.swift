import Bluetooth
import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@Suite("amendments keep the record true over the years", .timeLimit(.minutes(60)))
struct OverTheYearsTests {
  private static let apply = ["apply", "building.yaml", "--yes", "--scan-time", "1"]
  private static let replace = ["room", "replace", "building.yaml", "Room 101", "--scan-time", "1"]
  private static let old = ServedBuilding.address(1).description
  private static let new = ServedBuilding.address(2).description

  // MARK: Replace, retire, accept

  @Test("a silent sensor is replaced; its address is then refused and the new sensor is provisioned")
  func replaced() async throws {
    try await Premises.serve(2) { premises in
      let site = premises.site
      try site.writeManifest([.numbered(1)])
      #expect(try await premises.apply().status == 0)
      try await premises.expectRefused(
        Self.replace, with: 100,
        saying: ["\(Self.old) is still on air with minor 101", "nothing was recorded"])

      await premises.setMuted(true, 1)
      try await premises.run(Self.replace + ["--reason", "fell into the sea"]).expect(
        0, errors: "\(Self.old) is out of service", "The manifest still has this address")
      try await premises.expectRefused(
        Self.apply, with: 65,
        saying: ["“Room 101”: the manifest names \(Self.old)", "out of service (fell into the sea)"])

      try site.writeManifest([Place(minor: 101, address: Self.new)])
      try await premises.apply().expect(0)
      #expect(try site.report["rooms"][0]["address"].text == Self.new)
      #expect(await premises.minor(2) == 101)
    }
  }

  @Test("a room without a recorded sensor cannot have it replaced")
  func nothingToReplace() async throws {
    try await Premises.serve(1) { premises in
      try await premises.expectRefused(Self.replace, with: 64, saying: ["Room 101 has no device on record"])
    }
  }

  @Test("a retired room and its sensor are left alone until the operator reverses it")
  func retired() async throws {
    try await Premises.serveDone(2) { premises in
      let site = premises.site
      let retire = [
        "room", "retire", "building.yaml", "Room 101", "--reason", "now a corridor", "--scan-time", "1",
      ]
      try await premises.expectRefused(retire, with: 100, saying: ["still on air with minor 101"])
      // A sensor in provisioning mode advertises no minor and may be removed.
      await premises.pressButton(1)
      try await premises.run(retire).expect(0)
      let writes = await premises.writes
      try await premises.apply().expect(0)
      #expect(try site.outcomes == [101: "skipped", 102: "already_provisioned"])
      let exclusion = try site.report["rooms"][0]["exclusion"]
      #expect(exclusion["cause"].text == "retired")
      #expect(exclusion["reason"].text == "now a corridor")
      #expect(await premises.writes == writes)
      try await premises.apply("--failed").expect(
        0, errors: "Nothing to do: 1 of 1 rooms are done, 1 out of service.")
      try await premises.expectRefused(retire, with: 64, saying: ["Room 101 is already out of service"])
      try await premises.expectRefused(
        Self.apply + ["--force", "Room 101"], with: 65,
        saying: ["out of service (now a corridor)", "--rebind"])
      try await premises.apply("--force", "Room 101", "--rebind", "Room 101").expect(0)
      #expect(try site.outcomes == [101: "provisioned", 102: "already_provisioned"])
    }
  }

  @Test("each report shows an accepted room with reason and name until it is done")
  func accepted() async throws {
    try await Premises.serve(2) { premises in
      let site = premises.site
      try site.writeManifest(
        [.numbered(1), .numbered(2)], defaults: ["retries: 0", "timeouts: { connect: 10s }"])
      await premises.setMuted(true, 1)
      #expect(try await premises.apply().status == 100)
      let accept = [
        "room", "accept", "building.yaml", "Room 101", "--reason", "behind a wall", "--by", "Ada",
      ]
      try await premises.run(accept).expect(0)

      let outcome = try await premises.apply().expect(0, "an accepted room does not count as missing")
      let words = "accepted as it is by Ada: behind a wall"
      #expect(outcome.output.contains("Room 101") && outcome.output.contains(words), "\(outcome)")
      let room = try site.report["rooms"][0]
      #expect(room["outcome"].text == "skipped")
      #expect(room["exclusion"]["cause"].text == "accepted")
      #expect(room["exclusion"]["reason"].text == "behind a wall")
      #expect(room["exclusion"]["by"].text == "Ada")
      #expect(try site.text(of: "report.csv").contains(",accepted,accepted,"))

      await premises.setMuted(false, 1)
      try await premises.apply("--force", "Room 101").expect(0)
      #expect(try site.outcomes == [101: "provisioned", 102: "already_provisioned"])
      try await premises.apply().expect(0)
      #expect(try site.outcomes[101] == "already_provisioned", "the waiver ended when it was done")
      try await premises.expectRefused(accept, with: 64, saying: ["Room 101 is done"])
    }
  }

  @Test(
    "an acceptance without a reason or a name is refused",
    arguments: [
      ["--reason", " ", "--by", "Ada"], ["--reason", "behind a wall", "--by", ""], ["--by", "Ada"],
    ])
  func waiver(_ options: [String]) async throws {
    try await Premises.serve(1) { premises in
      let accept = ["room", "accept", "building.yaml", "Room 101"] + options
      try await premises.expectRefused(accept, with: 64, saying: ["--reason"].filter(options.contains))
      #expect(!premises.site.has("reports"))
    }
  }

  // MARK: History

  @Test("the history of a room and of a sensor lists all events by run")
  func history() async throws {
    try await Premises.serveDone(2) { premises in
      let site = premises.site
      await premises.setMuted(true, 1)
      try await premises.run(Self.replace + ["--reason", "fell into the sea"]).expect(0)
      let runs = site.runs
      try #require(runs.count == 2)

      for (subject, other) in [("Room 101", "room-102"), ("room-101", "room-102"), (Self.old, Self.new)] {
        let text = try await site.run(["room", "history", Site.building, subject, "--full"]).expect(0)
        let headings = text.output.split(separator: "\n").filter { !$0.hasPrefix(" ") }
        #expect(headings.count == 2, "\(text)")
        #expect(headings.first?.hasPrefix("\(runs[0]): apply on ") == true, "\(text)")
        #expect(headings.last?.hasPrefix("\(runs[1]): replace on ") == true, "\(text)")
        #expect(text.output.contains("fell into the sea"), "\(text)")
        #expect(!text.output.contains(other), "\(text)")

        let data = try await site.run(["room", "history", "building.yaml", subject, "--output", "json"])
        let document = try data.json
        #expect(document["schema"].text == "roboprov/history/1")
        let kinds = document["events"].items.map { $0["event"]["kind"].text ?? "?" }
        for kind in ["binding_committed", "save_submitted", "binding_released"] {
          #expect(kinds.contains(kind), "\(kind)\n\(data)")
        }
        let runsOfEvents = Set(document["events"].items.compactMap { $0["run"].text })
        #expect(runsOfEvents == Set(runs))
      }
    }
  }

  @Test("an unknown sensor has an empty history, and an unknown room is an error")
  func nothingOnRecord() async throws {
    try await Premises.serveDone(1) { premises in
      let stranger = try await premises.site.run(["room", "history", Site.building, "C4:7C:8D:00:00:99"])
        .expect(
          0, errors: "The record has no event about C4:7C:8D:00:00:99.")
      #expect(stranger.output.isEmpty)
      try await premises.site.run(["room", "history", Site.building, "Room 999"]).expect(64)
    }
  }
}
