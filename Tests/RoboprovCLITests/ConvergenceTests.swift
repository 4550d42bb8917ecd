import Bluetooth
import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@Suite("a building converges when it is applied again", .timeLimit(.minutes(60)))
struct ConvergenceTests {
  private static let apply = ["apply", "building.yaml", "--yes", "--scan-time", "1"]

  // MARK: Done rooms

  @Test("a provisioned room is reported as done, received or not, and nothing is written")
  func again() async throws {
    try await Premises.serveDone(3) { premises in
      await premises.setMuted(true, 3)
      let writes = await premises.writes
      try await premises.apply().expect(0)
      let already = "already_provisioned"
      #expect(try premises.site.outcomes == [101: already, 102: already, 103: already])
      #expect(await premises.writes == writes)
      try premises.site.expectWholeRecord(rooms: 3)
    }
  }

  @Test("only a provisioned sensor that is back in provisioning mode is provisioned again")
  func provisionedAgain() async throws {
    try await Premises.serveDone(2) { premises in
      let writes = await premises.writes.count
      await premises.pressButton(2)
      try await premises.apply().expect(0)
      #expect(try premises.site.outcomes == [101: "already_provisioned", 102: "provisioned"])
      let written = await Set(premises.writes.dropFirst(writes).map(\.address))
      #expect(written == [ServedBuilding.address(2)])
      #expect(await premises.minor(2) == 102)
    }
  }

  @Test("a changed password requires operator action, and the run continues once the button is pressed")
  func passwordChanged() async throws {
    try await Premises.serveDone(2) { premises in
      let site = premises.site
      let writes = await premises.writes
      try site.writeManifest([.numbered(1), .numbered(2)], password: Site.newPassword)
      try await premises.apply().expect(100)
      #expect(try site.outcomes == [101: "action_required", 102: "action_required"])
      for room in try site.report["rooms"].items {
        #expect(room["reason_code"].text == "settings_changed")
        #expect(room["advice"].text?.contains("run the same command again") == true)
      }
      #expect(await premises.writes == writes)

      await premises.pressButton(1)
      try await premises.apply().expect(100)
      #expect(try site.outcomes == [101: "provisioned", 102: "action_required"])
      #expect(await premises.building.flash(1)?.text("wifi_password") == Site.newPassword)
      #expect(await premises.building.flash(2)?.text("wifi_password") == Site.password)

      await premises.pressButton(2)
      try await premises.apply().expect(0)
      #expect(try site.outcomes == [101: "already_provisioned", 102: "provisioned"])
      try site.expectNoSecret()
    }
  }

  @Test("--force provisions a done room again as soon as its sensor is writable")
  func forced() async throws {
    try await Premises.serveDone(2) { premises in
      let writes = await premises.writes
      try await premises.apply("--force", "Room 101").expect(100)
      #expect(try premises.site.outcomes == [101: "action_required", 102: "already_provisioned"])
      #expect(await premises.writes == writes)
      await premises.pressButton(1)
      try await premises.apply("--force", "Room 101").expect(0)
      #expect(try premises.site.outcomes == [101: "provisioned", 102: "already_provisioned"])
      #expect(await premises.writes.count > writes.count)
    }
  }

  // MARK: Selection

  @Test(
    "rooms that are not selected are recorded as skipped and do not affect the exit status",
    arguments: [["--only", "Room 101", "room-103"], ["--skip", "room 102"]])
  func selected(_ selection: [String]) async throws {
    try await Premises.serve(3) { premises in
      try await premises.run(Self.apply + selection).expect(0)
      #expect(try premises.site.outcomes == [101: "provisioned", 102: "skipped", 103: "provisioned"])
      #expect(try premises.site.report["rooms"][1]["exclusion"]["cause"].text == "deselected")
      #expect(await premises.building.world.attemptCount(of: ServedBuilding.address(2)) == 0)
    }
  }

  @Test(
    "a room that is not in the manifest cannot be selected", arguments: ["--only", "--skip", "--force"])
  func unknownRoom(_ option: String) async throws {
    try await Premises.serve(1) { premises in
      try await premises.expectRefused(
        Self.apply + [option, "Room 999"], with: 64, saying: [option, "Room 999", "room-101"])
      #expect(await premises.building.isUntouched([1]))
    }
  }

  @Test("--failed selects all rooms that no run has provisioned, whichever rooms the last run selected")
  func neverProvisioned() async throws {
    try await Premises.serve(5) { premises in
      let site = premises.site
      try site.writeManifest(
        (1...5).map { .numbered($0) }, defaults: ["retries: 0", "timeouts: { connect: 10s }"])
      await premises.setMuted(true, 5)
      try await premises.apply().expect(100)
      try await premises.apply("--only", "Room 101", "Room 102", "Room 103").expect(0)

      await premises.setMuted(false, 5)
      try await premises.apply("--failed").expect(0)
      let skipped = "skipped"
      #expect(
        try site.outcomes == [101: skipped, 102: skipped, 103: skipped, 104: skipped, 105: "provisioned"])

      let runs = site.runs
      try await premises.apply("--failed").expect(0, errors: "Nothing to do: 5 of 5 rooms are done.")
      #expect(site.runs == runs)
    }
  }

  @Test("`apply` reports that there is nothing to do if no room is selected")
  func nothingSelected() async throws {
    try await Premises.serve(2) { premises in
      try await premises.apply("--skip", "Room 101", "Room 102").expect(
        0, errors: "Nothing to do: 0 of 2 rooms are done, 2 not selected.")
      #expect(premises.site.runs.isEmpty)
      #expect(await premises.building.isUntouched([1, 2]))
    }
  }

  // MARK: Contradictions of the record

  @Test("provisioned rooms are renumbered with --renumber and refused without it")
  func renumbered() async throws {
    try await Premises.serveDone(3) { premises in
      let site = premises.site
      var rooms = (1...3).map { Place.numbered($0) }
      for index in 0...1 {
        rooms[index].name = "Room \(101 + index)"
        rooms[index].minor += 50
      }
      try site.writeManifest(rooms)
      try await premises.expectRefused(
        Self.apply, with: 65,
        saying: [
          "“Room 101”", "minor 101, but the manifest now has minor 151", "“Room 102”",
          "minor 102, but the manifest now has minor 152", "--renumber", "no device was written",
        ])

      try await premises.apply("--renumber").expect(100)
      #expect(
        try site.outcomes == [151: "action_required", 152: "action_required", 103: "already_provisioned"])
      for number in 1...2 { await premises.pressButton(number) }
      try await premises.apply("--renumber").expect(0)
      #expect(await premises.minor(1) == 151)
      #expect(await premises.minor(2) == 152)
      try await premises.apply().expect(0, "a renumbered room needs no further permission")
    }
  }

  @Test("a room gets another sensor with --rebind, once the recorded one is silent")
  func rebound() async throws {
    try await Premises.serve(2) { premises in
      let site = premises.site
      let room = Place.numbered(1)
      try site.writeManifest([room])
      #expect(try await premises.apply().status == 0)
      var moved = room
      moved.address = ServedBuilding.address(2).description
      try site.writeManifest([moved])
      try await premises.expectRefused(
        Self.apply, with: 65,
        saying: [
          "“Room 101”: the manifest names \(ServedBuilding.address(2))",
          "its device on record is \(ServedBuilding.address(1))", "--rebind room-101",
        ])

      try await premises.apply("--rebind", "Room 101").expect(100)
      #expect(try site.report["rooms"][0]["reason_code"].text == "identity_on_air")
      #expect(await premises.minor(2) == nil)

      await premises.setMuted(true, 1)
      try await premises.apply("--rebind", "Room 101").expect(0)
      #expect(await premises.minor(2) == 101)
      try await premises.apply().expect(0, "the record has the new one now")
      #expect(try site.outcomes == [101: "already_provisioned"])
    }
  }

  @Test("the manifest alone cannot move a sensor from one room to another")
  func swapped() async throws {
    try await Premises.serveDone(2) { premises in
      let addresses = [2, 1].map { ServedBuilding.address($0).description }
      try premises.site.writeManifest([
        Place(minor: 101, address: addresses[0]), Place(minor: 102, address: addresses[1]),
      ])
      try await premises.expectRefused(
        Self.apply, with: 65, saying: ["“Room 101”", "“Room 102”", "--rebind room-101", "--rebind room-102"])
    }
  }

  @Test("rooms that took any sensor keep it in later runs")
  func anyPersists() async throws {
    try await Premises.serve(3) { premises in
      let site = premises.site
      try site.writeManifest((101...103).map { Place(minor: $0) }, assign: "any")
      // Matched again by address, the first room would get this sensor.
      await premises.setMuted(true, 1)
      try await premises.apply().expect(100)
      let bound = [await premises.minor(2), await premises.minor(3)]
      #expect(Set(bound) == [101, 102])

      await premises.setMuted(false, 1)
      for number in 2...3 { await premises.pressButton(number) }
      try await premises.apply().expect(0)
      #expect([await premises.minor(2), await premises.minor(3)] == bound)
      #expect(await premises.minor(1) == 103)
    }
  }
}
