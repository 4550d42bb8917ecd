import Foundation
import RecordedText
import Testing
import VirtualBuilding

/// The year of a building after its first day: the commands of docs/day-two.md in their order, on a virtual building.
@Suite("Days two to four hundred", .timeLimit(.minutes(60)))
struct DayTwoTests {
  /// The commands of the page, in its order.
  private static func commands() throws -> [String] {
    let page = try String(contentsOf: projectFile("docs/day-two.md"), encoding: .utf8)
    return page.split(separator: "\n").filter { $0.hasPrefix("    roboprov ") }.map {
      String($0.dropFirst(4))
    }
  }

  /// The words of a command line; quotation marks enclose words with spaces.
  private static func words(_ command: String) -> [String] {
    command.split(separator: "\"", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
      index.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
    }.filter { $0 != "roboprov" }
  }

  private static func manifest(upstairs password: String) -> String {
    """
    building: Harbour House
    id: harbour
    wifi:
      guests: { ssid: Harbour Guests, password: \(Site.password) }
      upstairs: { ssid: Harbour Upstairs, password: \(password) }
    defaults: { retries: 0 }
    floors:
      - floor: 1
        wifi: guests
        rooms:
          - { room: Room 101, minor: 101, address: "\(ServedBuilding.address(1))" }
          - { room: Room 102, minor: 102, address: "\(ServedBuilding.address(2))" }
          - { room: Room 103, minor: 103, address: "\(ServedBuilding.address(3))" }
      - floor: 2
        wifi: upstairs
        rooms:
          - { room: Room 201, minor: 201, address: "\(ServedBuilding.address(4))" }
          - { room: Room 202, minor: 202, address: "\(ServedBuilding.address(5))" }
          - { room: Room 203, minor: 203, address: "\(ServedBuilding.address(6))" }

    """
  }

  @Test("the commands of the page lead through the year")
  func year() async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.manifest(upstairs: Site.password))
      // Sensor 7 waits on the shelf; sensor 6 is above the open ceiling, without power.
      try await site.serve((1...7).map { ServedBuilding.sensor($0) }) { building in
        let premises = Premises(site: site, building: building)
        await premises.setMuted(true, 6)
        await premises.setMuted(true, 7)
        var commands = try Self.commands()[...]
        /// Runs the next commands of the page, and expects their exit status and texts.
        func next(_ status: Int32, _ beginning: String, says texts: String...) async throws {
          let first = commands.popFirst()
          let command = try #require(first)
          #expect(command.hasPrefix("roboprov " + beginning), "\(command)")
          let outcome = try await premises.run(Self.words(command))
          #expect(outcome.status == status, "\(command): \(outcome)")
          for text in texts { #expect("\(outcome)".contains(text), "\(command): \(outcome)") }
        }
        try await premises.apply().expect(100)

        // Another name; nothing is written until the sensor waits.
        await premises.pressButton(1)
        try await next(0, "room rename", says: "Library")
        try await next(100, "apply")
        #expect(await premises.minor(1) == 101)
        try await next(0, "room move", says: "Library is now on floor 3.")
        try await next(0, "status", says: "5 of 6 rooms done")

        // A new password for one floor.
        let text = try String(contentsOf: site.directory.appending(path: "building.yaml"), encoding: .utf8)
        try site.write(
          "building.yaml",
          text.replacing(
            "Harbour Upstairs, password: \(Site.password)",
            with: "Harbour Upstairs, password: \(Site.newPassword)"))
        for sensor in [4, 5] { await premises.pressButton(sensor) }
        try await next(0, "plan", says: "password changed")
        try await next(100, "apply", says: "2 of the 3 selected rooms done")
        try await next(100, "status", says: "5 of 6 rooms done", "Room 203")

        // A broken sensor.
        await premises.setMuted(true, 2)
        await premises.setMuted(false, 7)
        try await next(0, "room replace", says: "the manifest now has C4:7C:8D:00:00:07")
        try await next(100, "apply")
        #expect(await premises.minor(7) == 102)
        try await next(0, "room history", says: "replaced", "provisioned")

        // The subcontractor's record, made without this one.
        try await premises.run(
          ["apply", "building.yaml", "--only", "Room 103", "--reports", "other", "--scan-time", "1"]
        ).expect(100)
        try await next(0, "report merge")
        try await next(0, "status", says: "5 of 6 rooms done")

        try await next(0, "room accept")
        try await next(0, "status", says: "1 accepted")
        try await next(0, "report", says: "Wrote handover.tar")
        try await next(0, "apply")

        // What was accepted is still named: nobody has seen it on air.
        try await next(100, "verify", says: "5 of 6 rooms on air", "Room 203")
        try await next(0, "report diff", says: "6 rooms changed", "not tried → accepted: Room 203")
        try await next(0, "status")
        #expect(commands.isEmpty, "\(commands)")
      }
    }
  }
}
