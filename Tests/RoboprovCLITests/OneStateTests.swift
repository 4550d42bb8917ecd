import Bluetooth
import Foundation
import Model
import RecordedText
import Testing
import VirtualBuilding

/// After each change of a room, every command says the same of it.
@Suite("one state of a room in every command", .timeLimit(.minutes(60)))
struct OneStateTests {
  private static let accept = [
    "room", "accept", "building.yaml", "Room 101", "--reason", "sensor on order", "--by", "R. Keller",
  ]

  /// Checks the exit status of `status --check` by manifest and by id, and a word in both.
  private static func expect(_ site: Site, check: Int32, saying word: String) async throws {
    for building in ["building.yaml", Site.building] {
      let status = try await site.run(["status", building, "--check"])
      #expect(status.status == check && status.output.contains(word), "\(building): \(status)")
    }
  }

  private static func manifest(_ site: Site) throws -> String {
    try String(contentsOf: site.directory.appending(path: "building.yaml"), encoding: .utf8)
  }

  @Test(
    "an acceptance of a room without its sensor takes effect, and ends when the manifest names the sensor that came"
  )
  func onOrder() async throws {
    try await Premises.serve(2) { premises in
      let site = premises.site
      try site.writeManifest([.numbered(3)])
      #expect(try await premises.apply().status == 100, "its sensor does not exist")
      var accept = Self.accept
      accept[3] = "Room 103"
      #expect(try await site.run(accept).status == 0)
      try await Self.expect(site, check: 0, saying: "accepted by R. Keller")

      var room = Place.numbered(3)
      room.address = ServedBuilding.address(2).description
      try site.writeManifest([room])
      try await site.run(["status", "building.yaml", "--check"]).expect(
        100, "the manifest names a sensor that was not accepted")
      try await premises.apply().expect(0, errors: "the acceptance by R. Keller has ended")
      #expect(await premises.minor(2) == 103)
      try await Self.expect(site, check: 0, saying: "The only room is done")
    }
  }

  @Test(
    "`accept` of a missing room, then `replace`: the new sensor is written, and `history` names each outcome")
  func acceptedThenReplaced() async throws {
    try await Premises.serve(2) { premises in
      let site = premises.site
      try site.writeManifest([.numbered(1)])
      #expect(try await premises.apply().status == 0)
      try await site.run(Self.accept).expect(64, errors: "there is nothing to accept")
      await premises.setMuted(true, 1)
      #expect(try await premises.run(["verify", "building.yaml"]).status == 100)
      try await Self.expect(site, check: 100, saying: "missing")
      #expect(try await site.run(Self.accept).status == 0)
      try await Self.expect(site, check: 0, saying: "accepted by R. Keller")
      try await premises.apply().expect(
        errors: "Nothing to do: 0 of 1 rooms are done, 1 accepted as they are.")

      let successor = ServedBuilding.address(2).description
      let replaced = try await premises.run([
        "room", "replace", "building.yaml", "Room 101", "--without-scan", "--with", successor,
      ]).expect(errors: "the acceptance by R. Keller ends with that device")
      #expect(replaced.errors.hasSuffix("Next: roboprov apply building.yaml\n"), "\(replaced)")
      try await Self.expect(site, check: 100, saying: "and \(successor) was named in its place")
      #expect(try await premises.apply().status == 0)
      #expect(await premises.minor(2) == 101)
      try await Self.expect(site, check: 0, saying: "The only room is done")
      try await site.run(["room", "history", "building.yaml", "Room 101"]).expect(
        output: "not received", "accepted", "replaced", "provisioned")
    }
  }

  @Test("a change that names the building by its id proposes the manifest of the last run")
  func changedByID() async throws {
    try await Premises.serveDone(1) { premises in
      let replaced = try await premises.run(["room", "replace", Site.building, "Room 101", "--without-scan"])
      #expect(replaced.errors.hasSuffix("Next: roboprov apply building.yaml\n"), "\(replaced)")
      try await premises.site.run(["status", Site.building]).expect(output: "roboprov apply building.yaml")
    }
  }

  @Test("the old sensor that is still on air is called that, and not a neighbour's")
  func oldSensor() async throws {
    try await Premises.serve(2) { premises in
      try premises.site.writeManifest([.numbered(1)])
      #expect(try await premises.apply().status == 0)
      let successor = ServedBuilding.address(2).description
      let replace = ["room", "replace", "building.yaml", "Room 101", "--without-scan", "--with", successor]
      #expect(try await premises.run(replace).status == 0)
      let applied = try await premises.apply().expect(100, notOutput: "neighbour")
      #expect(
        applied.output.unwrapped.contains("from \(ServedBuilding.address(1)), which this room had before"),
        "\(applied)"
      )
    }
  }

  @Test("without the site's key of the run, `status` and `plan` say that passwords were not compared")
  func otherKey() async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      try await site.run(["status", "building.yaml"]).expect(notOutput: "compared")
      for command in [["status", "building.yaml"], ["plan", "building.yaml", "--scan-time", "1"]] {
        let outcome = try await premises.run(command + ["--site-key", "another.key"])
        let said = (outcome.output + outcome.errors).unwrapped
        #expect(said.contains("The passwords of 1 room cannot be compared with the record"), "\(outcome)")
        #expect(outcome.status == 0, "what cannot be compared is no change\n\(outcome)")
      }
    }
  }

  @Test("a renamed room is recognised by `validate` and `status`, which give the line to write")
  func renamed() async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      let manifest = try Self.manifest(site)
      let renamed = manifest.replacing("room: Room 101", with: "room: Suite 1")
      #expect(renamed != manifest)
      try site.write("building.yaml", renamed)
      try await site.run(["validate", "building.yaml"]).expect(0, errors: "add `id: room-101`")
      try await site.run(["status", "building.yaml", "--check"]).expect(100, output: "add `id: room-101`")
      try site.write(
        "building.yaml", manifest.replacing("room: Room 101", with: "room: Suite 1, id: room-101"))
      // The name is also on the sensor: what differs is named.
      let known = try await site.run(["status", "building.yaml"])
      #expect(
        known.output.unwrapped.contains("Room 101 → Suite 1") && !known.output.contains("add `id:"),
        "\(known)")
      #expect(try await !site.run(["validate", "building.yaml"]).errors.contains("add `id:"))
    }
  }

  @Test("`room rename` keeps the record and the layout, and the sensor gets its new name")
  func renamedByCommand() async throws {
    try await Premises.serveDone(2) { premises in
      let site = premises.site
      let rename = ["room", "rename", "building.yaml", "Room 101"]
      for (arguments, words) in [
        (rename + ["room 102"], "there is a room “room 102” already, room-102"),
        (rename + [""], "A name has 1 to "), (rename + ["R{1..2}"], "no braces"),
        (["room", "rename", Site.building, "Room 101", "Suite 1"], "Name the building by its manifest"),
      ] {
        try await premises.expectRefused(arguments, with: 64, saying: [words])
      }
      let manifest = try Self.manifest(site)
      let renamed = try await site.run(rename + ["Suite 1"])
      #expect(renamed.status == 0 && renamed.errors.contains("Its id stays room-101"), "\(renamed)")
      #expect(renamed.errors.hasSuffix("Next: roboprov apply building.yaml\n"), "\(renamed)")
      let edited = try Self.manifest(site)
      let address = "address: \"\(ServedBuilding.address(1))\""
      #expect(
        edited
          == manifest.replacing(
            "room: Room 101, minor: 101, \(address) ",
            with: "room: Suite 1, minor: 101, \(address), id: room-101 "))
      let status = try await site.run(["status", "building.yaml"])
      #expect(status.output.unwrapped.contains("Room 101 → Suite 1"), "\(status)")
      let history = try await site.run(["room", "history", "building.yaml", "Suite 1"])
      #expect(history.status == 0 && history.output.contains("provisioned"), "\(history)")
      let again = try await site.run(["room", "rename", "building.yaml", "Suite 1", "Suite 1"])
      #expect(again.status == 0 && again.errors == "Suite 1 has this name already.\n", "\(again)")
      #expect(try Self.manifest(site) == edited)
    }
  }

  @Test("`room move` changes the floor of a room everywhere, and nothing else")
  func movedByCommand() async throws {
    try await Premises.serveDone(2) { premises in
      let site = premises.site
      let move = ["room", "move", "building.yaml", "Room 101", "--floor"]
      for (arguments, words) in [
        (["room", "move", Site.building, "Room 101", "--floor", "2"], "Name the building by its manifest"),
        (move + [""], "cannot be written here"),
        (["room", "move", "building.yaml", "Attic", "--floor", "2"], "Attic"),
      ] {
        try await premises.expectRefused(arguments, with: arguments.last == "" ? 65 : 64, saying: [words])
      }
      let manifest = try Self.manifest(site)
      let moved = try await site.run(move + ["Roof: 2"])
      #expect(moved.status == 0 && moved.errors.contains("Room 101 is now on floor Roof: 2."), "\(moved)")
      let address = "address: \"\(ServedBuilding.address(1))\""
      #expect(
        try Self.manifest(site)
          == manifest.replacing(
            "minor: 101, \(address) ", with: "minor: 101, \(address), floor: \"Roof: 2\" "))
      let status = try await site.run(["status", "building.yaml", "--output", "json"])
      let room = try status.json["rooms"].items.first { $0["room"].text == "Room 101" }
      #expect(room?["floor"].text == "Roof: 2" && room?["state"].text == "done", "\(status)")
      let again = try await site.run(move + ["Roof: 2"])
      #expect(again.status == 0 && again.errors.contains("is on floor Roof: 2 already"), "\(again)")
      let plan = try await premises.run(["plan", "building.yaml"])
      #expect(plan.output.contains("0 to provision, 2 done"), "\(plan)")
    }
  }

  @Test("a killed `room rename` leaves the old manifest or the new one", .notRecorded)
  func killedRename() async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      let manifest = try Self.manifest(site)
      let rename = ["room", "rename", "building.yaml", "room-101", "Suite 1"]
      #expect(try await site.run(rename).status == 0)
      let renamed = try Self.manifest(site)
      for call in 1...200 {
        try site.write("building.yaml", manifest)
        let outcome = try await site.run(rename, environment: KillSwitch.at(call: call))
        let text = try Self.manifest(site)
        #expect(text == renamed || outcome.signal == SIGKILL && text == manifest, "call \(call)")
        guard outcome.signal == SIGKILL else {
          #expect(call > 1, "none was killed")
          break
        }
      }
    }
  }

  @Test("a sensor in no room beside a room whose sensor was not received is one sentence")
  func wrongLabel() async throws {
    try await Premises.serve(1) { premises in
      try premises.site.writeManifest([.numbered(2)])
      let applied = try await premises.apply().expect(100, notOutput: "Received, but in no room")
      #expect(applied.output.unwrapped.contains("not received: Room 102. A wrong label?"), "\(applied)")
    }
  }
}

extension String {
  /// On one line, as before a terminal's width was known.
  fileprivate var unwrapped: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
