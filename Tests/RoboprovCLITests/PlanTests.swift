import Bluetooth
import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@Suite("a saved plan is carried out unchanged or refused", .timeLimit(.minutes(60)))
struct PlanTests {
  private static let plan = ["plan", "building.yaml", "--scan-time", "1"]
  private static let save = plan + ["--save", "friday.plan"]
  private static let apply = ["apply", "building.yaml", "--yes", "--scan-time", "1"]
  private static let carryOut = apply + ["--plan", "friday.plan"]

  /// Saves a plan.
  private static func save(_ premises: Premises, _ more: String...) async throws {
    let outcome = try await premises.run(save + more)
    try #require(outcome.status == 0, "\(outcome)")
  }

  /// Checks that the saved plan is refused with these texts for each room that differs, and that no sensor is
  /// written.
  private static func expectRefused(
    _ premises: Premises, saying words: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let writes = await premises.writes
    let outcome = try await premises.run(carryOut)
    #expect(outcome.status == 100, "\(outcome)", sourceLocation: sourceLocation)
    for word in words + ["no device was written"] {
      #expect(outcome.errors.contains(word), "“\(word)”\n\(outcome)", sourceLocation: sourceLocation)
    }
    let now = await premises.writes
    #expect(now == writes, "\(outcome)", sourceLocation: sourceLocation)
  }

  @Test("a plan shows room, sensor and reason, writes nothing and leaves no record")
  func shown() async throws {
    try await Premises.serve(2) { premises in
      let text = try await premises.run(Self.plan).expect(
        0, output: "Room 101", "Room 102", ServedBuilding.address(1).description, "provision", "dBm",
        "minor 101", "WiFi Harbour Guests, password set, minor 102", "2 to provision, 0 done")
      let data = try await premises.run(Self.plan + ["--output", "json", "--skip", "Room 102"]).expect(0)
      let plan = try data.json
      #expect(plan["schema"].text == "roboprov/plan/1")
      #expect(plan["rooms"].items.map { $0["action"].text } == ["provision", "exclude"])
      #expect(
        plan["rooms"].items[0]["settings"].items.map { "\($0["name"].text ?? "") \($0["value"].text ?? "-")" }
          == ["wifi_ssid Harbour Guests", "wifi_password -", "room_name Room 101", "minor 101"])
      #expect(plan["rooms"].items[1]["settings"].items.isEmpty)
      #expect(!text.output.contains(Site.password) && !data.output.contains(Site.password))
      #expect(await premises.building.isUntouched([1, 2]))
      #expect(!premises.site.has("reports"))
    }
  }

  @Test("the plan of a finished building says so")
  func finishedBuilding() async throws {
    try await Premises.serveDone(2) { premises in
      let done = try await premises.run(Self.plan)
      #expect(done.output.contains("0 to provision, 2 done"), "\(done)")
      await premises.pressButton(1)
      try await premises.run(Self.plan).expect(output: "1 to provision, 1 done")
      #expect(premises.site.runs.count == 1)
    }
  }

  @Test(
    "the plan of a written sensor shows its old values and whether the password differs")
  func oldAndNew() async throws {
    try await Premises.serveDone(2) { premises in
      await premises.pressButton(1)
      try await premises.run(Self.plan).expect(output: "WiFi Harbour Guests, password unchanged, minor 101")
      try premises.site.writeManifest(
        [Place(minor: 301, address: "\(ServedBuilding.address(1))", name: "Room 101"), .numbered(2)],
        password: Site.newPassword)
      let other = try await premises.run(Self.plan + ["--renumber"]).expect(
        output: "password changed, minor 101 → 301")
      for secret in [Site.password, Site.newPassword] { #expect(!other.output.contains(secret), "\(other)") }
      try premises.site.writeManifest([.numbered(1), .numbered(2)])
      let elsewhere = try await premises.run(Self.plan + ["--site-key", "another.key"])
      #expect(elsewhere.output.contains("WiFi Harbour Guests, minor 101"), "not comparable: \(elsewhere)")
    }
  }

  @Test("the exit status of `plan` shows on request whether work is left")
  func exitStatus() async throws {
    try await Premises.serve(2) { premises in
      let detailed = Self.plan + ["--detailed-exitcode"]
      try await premises.run(detailed).expect(2, output: "2 to provision")
      #expect(try await premises.apply().status == 0)
      let done = try await premises.run(detailed + ["--output", "json"])
      #expect(done.status == 0 && JSON(done.output) != nil, "\(done)")
      // The operator must put both into provisioning mode first.
      try premises.site.writeManifest([.numbered(1), .numbered(2)], password: Site.newPassword)
      try await premises.run(detailed).expect(100, output: "2 not possible now")
      #expect(try await premises.run(Self.plan).status == 0, "unless it is asked for")
      await premises.pressButton(1)
      try await premises.run(detailed).expect(2, output: "1 to provision")
    }
  }

  @Test("rooms are selected by pattern and minor; an argument without a match is refused with the nearest")
  func selectors() async throws {
    try await Premises.serve(3) { premises in
      let json = Self.plan + ["--output", "json"]
      for (options, expected) in [
        (["--only", "Room 10*", "--skip", "minor:102"], ["provision", "exclude", "provision"]),
        (["--only", "minor:102-200"], ["exclude", "provision", "provision"]),
        (["--skip", "*2", "room-103"], ["provision", "exclude", "exclude"]),
        (["--only", "ROOM 101", "minor:103"], ["provision", "exclude", "provision"]),
      ] {
        let outcome = try await premises.run(json + options)
        #expect(
          JSON(outcome.output)?["rooms"].items.map { $0["action"].text ?? "" } == expected, "\(outcome)")
      }
      for (argument, words) in [
        ("Rom 101", ["there is no room “Rom 101”", "Did you mean “Room 101”?"]),
        ("Rom 1*", ["no room has an id or a name like “Rom 1*”", "The nearest is “Room 101”."]),
        ("tag:suite", ["no room has the tag “suite”", "No room of this building has a tag."]),
        ("floor:2", ["no room has the floor “2”", "No room of this building has a floor."]),
        ("minor:104-200", ["no room has a minor from 104 to 200", "The nearest is 103, of Room 103."]),
        ("minor:103-101", ["“minor:103-101” is neither a minor nor a range of minors"]),
      ] {
        try await premises.expectRefused(Self.plan + ["--only", argument], with: 64, saying: words)
      }
      try await premises.expectRefused(
        Self.plan + ["--force", "Room 10*"], with: 64, saying: ["there is no room “Room 10*”"])
    }
  }

  @Test("`apply --plan` does the saved rooms and no others")
  func carriedOut() async throws {
    try await Premises.serve(3) { premises in
      let site = premises.site
      try await Self.save(premises, "--skip", "Room 102")
      let file = try String(contentsOf: site.directory.appending(path: "friday.plan"), encoding: .utf8)
      #expect(!file.contains(Site.password))
      try await premises.run(Self.carryOut).expect(0)
      #expect(try site.outcomes == [101: "provisioned", 102: "skipped", 103: "provisioned"])
      #expect(await premises.building.world.attemptCount(of: ServedBuilding.address(2)) == 0)
    }
  }

  @Test("a plan that writes other settings differs, also if nothing else shows it")
  func otherValue() async throws {
    try await Premises.serve(2) { premises in
      try await Self.save(premises)
      let file = premises.site.directory.appending(path: "friday.plan")
      let saved = try String(contentsOf: file, encoding: .utf8)
      try premises.site.write("friday.plan", saved.replacing(#""value" : "102""#, with: #""value" : "103""#))
      try await Self.expectRefused(premises, saying: ["Room 102: planned minor 103, now minor 102"])
    }
  }

  @Test("a done sensor that is not received any more does not invalidate the plan")
  func doneAndSilent() async throws {
    try await Premises.serve(2) { premises in
      #expect(try await premises.apply("--only", "Room 101").status == 0)
      try await Self.save(premises)
      await premises.setMuted(true, 1)
      try await premises.run(Self.carryOut).expect(0)
      #expect(try premises.site.outcomes == [101: "already_provisioned", 102: "provisioned"])
    }
  }

  @Test("a room that was provisioned after the plan was saved invalidates it")
  func provisionedMeanwhile() async throws {
    try await Premises.serve(2) { premises in
      try await Self.save(premises)
      #expect(try await premises.apply("--only", "Room 102").status == 0)
      let address = ServedBuilding.address(2)
      try await Self.expectRefused(
        premises, saying: ["Room 102: planned provision \(address), now done \(address)"])
      #expect(await premises.minor(1) == nil, "rooms without a difference are not begun either")
    }
  }

  @Test("a new sensor invalidates a plan with rooms that take any sensor")
  func newSensor() async throws {
    try await Premises.serve(3) { premises in
      try premises.site.writeManifest([Place(minor: 101), Place(minor: 102)], assign: "any")
      await premises.setMuted(true, 3)
      try await Self.save(premises)
      await premises.setMuted(false, 3)
      try await Self.expectRefused(
        premises,
        saying: ["Room 101: planned provision", "Room 102: planned provision", "too many devices"])
    }
  }

  @Test("a changed password invalidates the plan, given the same site key")
  func anotherPassword() async throws {
    try await Premises.serve(1) { premises in
      try await Self.save(premises)
      try premises.site.writeManifest([.numbered(1)], password: Site.newPassword)
      try await premises.expectRefused(
        Self.carryOut, with: 65, saying: ["a password has changed since friday.plan was made"])
      let key = ["--site-key", "another.key"]
      try await premises.run(Self.carryOut + key).expect(0, "not comparable")
    }
  }

  @Test("a plan of another manifest or building, or an invalid plan, is refused")
  func anotherManifest() async throws {
    try await Premises.serve(2) { premises in
      let site = premises.site
      try await Self.save(premises)
      try site.writeManifest([.numbered(1), .numbered(2)], defaults: ["retries: 3"])
      try await premises.expectRefused(
        Self.carryOut, with: 65, saying: ["the manifest has changed since friday.plan was made"])

      let manifest = try String(
        contentsOf: site.directory.appending(path: "building.yaml"), encoding: .utf8)
      try site.write("building.yaml", manifest.replacing("id: \(Site.building)", with: "id: annexe"))
      try await premises.expectRefused(
        Self.carryOut, with: 65, saying: ["a plan of another building, \(Site.building)"])

      let saved = try String(contentsOf: site.directory.appending(path: "friday.plan"), encoding: .utf8)
      try site.write("friday.plan", saved.replacing("roboprov/plan/1", with: "roboprov/plan/2"))
      try await premises.expectRefused(
        Self.carryOut, with: 65,
        saying: ["it is roboprov/plan/2, and this version reads roboprov/plan/1", "--save FILE` again"])
      for text in ["", "{}", "[]", #"{"schema":"roboprov/plan/9","building":"annexe","rooms":[]}"#] {
        try site.write("friday.plan", text)
        try await premises.expectRefused(Self.carryOut, with: 65, saying: ["friday.plan is not a"])
      }
      #expect(await premises.building.isUntouched([1, 2]))
    }
  }

  @Test(
    "--plan excludes the options that select rooms",
    arguments: [["--only", "Room 101"], ["--skip", "Room 101"], ["--failed"]])
  func selection(_ options: [String]) async throws {
    try await Premises.serve(1) { premises in
      try await Self.save(premises)
      try await premises.expectRefused(
        Self.carryOut + options, with: 64, saying: ["--plan selects the rooms"])
    }
  }
}
