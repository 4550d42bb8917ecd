import Bluetooth
import Foundation
import Host
import Model
import Reporting
import Simulation
import Testing
import VirtualBuilding

@testable import Application
@testable import RoboprovCLI

/// A week of a QA engineer: every line of every report agrees with the devices, whatever happens to the building, to the
/// clocks and to the folder.
@Suite("a week in which everything happens that makes a report untrue") struct QualityWeekTests {
  private static let ada = VirtualSite.Laptop(name: "ada-laptop", person: "Ada")
  private static let bob = VirtualSite.Laptop(name: "bob-laptop", person: "Bob", clockError: -900)

  @Test("each line of each report agrees with the devices' memory and presence on every day")
  func week() async throws {
    try await VirtualSite.use(4) { site in
      var ada = Self.ada
      let bob = Self.bob
      let everyone = Array(1...4)
      let day = Duration.seconds(86_400)

      // Monday: all rooms.
      await site.wait(.seconds(10))
      try await site.apply("r-monday", ada)
      try await ReportTruth.expect(["done", "done", "done", "done"], in: site, ada, "Monday")

      // Tuesday: a new password, which the first sensor does not keep. It advertises its minor as before.
      await site.wait(day)
      try site.changePassword(to: "second of the year")
      try site.writeReports(ada)
      try await ReportTruth.expect(
        ["changed", "changed", "changed", "changed"], in: site, ada, "Tuesday morning")
      await site.world.setFaults([.saveNotKept(.silence)], of: ServedBuilding.address(1))
      await site.pressButtons(everyone)
      try await site.apply("k-tuesday", ada)
      try await ReportTruth.expect(["unconfirmed", "done", "done", "done"], in: site, ada, "Tuesday")
      try site.copyRecord(of: ada, to: bob)

      // Wednesday: the third sensor is stolen, and a run after the check does not report it as done.
      await site.wait(day)
      await site.world.setMuted(true, ServedBuilding.address(3))
      try await site.verify("p-wednesday-check", ada)
      try await ReportTruth.expect(["unconfirmed", "done", "missing", "done"], in: site, ada, "Wednesday")
      await site.wait(.seconds(60))
      try await site.apply("b-wednesday", ada)
      try await ReportTruth.expect(
        ["unconfirmed", "done", "missing", "done"], in: site, ada, "Wednesday evening")

      // Thursday: the clock of the laptop goes back by three days, and the first sensor is repaired.
      await site.wait(day)
      ada.clockError = -3 * 86_400
      await site.world.setFaults([], of: ServedBuilding.address(1))
      await site.pressButtons([1, 4])
      try await site.apply("a-thursday", ada, only: [1, 4], allowing: .init(force: ["room-104"]))
      try await ReportTruth.expect(["done", "done", "missing", "done"], in: site, ada, "Thursday")
      try await site.verify("z-thursday-check", ada)
      try await ReportTruth.expect(["done", "done", "missing", "done"], in: site, ada, "Thursday evening")

      // Friday: the second laptop, which knows nothing of Thursday, writes the fourth sensor as well.
      await site.wait(day)
      await site.pressButtons([4])
      try await site.apply("c-friday", bob, only: [4], allowing: .init(force: ["room-104"]))
      try site.merge([ada, bob])
      try await ReportTruth.expect(["done", "done", "missing", "conflicting"], in: site, ada, "Friday")
      let open = try site.report(ada).rooms[3]
      #expect(Set(open.unordered) == ["a-thursday", "c-friday"])
      await site.pressButtons([4])
      try await site.apply("d-friday", ada, only: [4], allowing: .init(force: ["room-104"]))
      try await ReportTruth.expect(["done", "done", "missing", "done"], in: site, ada, "Friday evening")

      try await Self.saturday(&site, ada)

      // Sunday: a later check finds that the second sensor is gone, too. What was signed stays.
      await site.wait(day)
      await site.world.setMuted(true, ServedBuilding.address(2))
      let signed = try Self.files(of: "signed", site, ada)
      try await site.verify("e-sunday-check", ada)
      try await ReportTruth.expect(["done", "missing", "accepted", "done"], in: site, ada, "Sunday")
      #expect(try Self.files(of: "signed", site, ada) == signed)
      #expect(try Self.differences(site, ada) == ["e-sunday-check"])
      let state = try #require(try SignedState.all(of: VirtualSite.building, in: site.reports(ada)).first)
      #expect(try state.verify().contains("SHA256:") && state.missingRuns.isEmpty)
      #expect(!state.runs.contains("e-sunday-check") && state.runs.contains("d-friday"))
    }
  }

  /// A room is accepted, and the building is signed. A run that another one names and that is missing: MissingRunTests.
  private static func saturday(_ site: inout VirtualSite, _ ada: VirtualSite.Laptop) async throws {
    let manager = FileManager.default
    #expect(try site.report(ada).open.map(\.name) == ["Room 103"], "which is why it is not signed yet")
    try await site.accept("f-saturday", ada, 3, because: "stolen")
    try await ReportTruth.expect(["done", "done", "accepted", "done"], in: site, ada, "Saturday")
    let key = site.directory + "/key"
    let made = ToolOutcome(["/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key])
    try #require(made.status == 0, "\(made.text)")
    #expect(try differences(site, ada) == [])
    let set = try ReportSet(VirtualSite.building, in: site.reports(ada))
    _ = try SignedState.sign(
      set.paths, with: key, of: VirtualSite.building, in: site.reports(ada), latest: set.latest,
      at: site.now(ada))
    #expect(try differences(site, ada) == [])
    // The newest run is named by no other one: only the signature shows that it is missing.
    let (newest, aside) = (site.folder(ada) + "/f-saturday", site.directory + "/aside")
    try manager.moveItem(atPath: newest, toPath: aside)
    #expect(try differences(site, ada).contains("f-saturday"))
    try manager.moveItem(atPath: aside, toPath: newest)
  }

  /// The differences that `report check` names, by path.
  private static func differences(_ site: VirtualSite, _ laptop: VirtualSite.Laptop) throws -> [String] {
    let set = try ReportSet(VirtualSite.building, in: site.reports(laptop))
    return try set.differences(from: try set.report()).map(\.path)
  }

  private static func files(
    of folder: String, _ site: VirtualSite, _ laptop: VirtualSite.Laptop
  ) throws -> [String: Data] {
    let top = site.folder(laptop) + "/" + folder
    let paths = try FileManager.default.subpathsOfDirectory(atPath: top)
    return Dictionary(
      uniqueKeysWithValues: paths.map { ($0, FileManager.default.contents(atPath: "\(top)/\($0)") ?? Data()) }
    )
  }
}
