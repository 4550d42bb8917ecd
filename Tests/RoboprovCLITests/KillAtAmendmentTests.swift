import Foundation
import Journal
import Model
import SampleFacts
import Testing
import VirtualBuilding

@Suite(
  "a killed amendment leaves a record that is complete or unchanged",
  .timeLimit(.minutes(60)))
struct KillAtAmendmentTests {
  /// A command that changes the record of room 101, and the events that it records.
  struct Amendment: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// Whether the room is provisioned before the command.
    var ofDone: Bool
    var arguments: [String]
    var kinds: [Fact.Kind]
  }

  static let amendments = [
    Amendment(
      testDescription: "retire", ofDone: true,
      arguments: ["room", "retire", "building.yaml", "Room 101", "--without-scan"],
      kinds: ["run_started", "binding_released", "room_retired", "run_finished"]),
    Amendment(
      testDescription: "replace", ofDone: true,
      arguments: ["room", "replace", "building.yaml", "Room 101", "--without-scan"],
      kinds: ["run_started", "binding_released", "run_finished"]),
    Amendment(
      testDescription: "accept", ofDone: false,
      arguments: ["room", "accept", "building.yaml", "Room 101", "--reason", "no power yet", "--by", "Ada"],
      kinds: ["run_started", "room_accepted", "run_finished"]),
  ]

  @Test(
    "an amendment that is killed at any of its events is complete on record once it is repeated",
    arguments: amendments)
  func killed(_ amendment: Amendment) async throws {
    try await KilledBuilding.serve([ServedBuilding.sensor(1)]) { killed in
      if amendment.ofDone { try await killed.runUntilDone() }
      let writes = await killed.building.world.writes.count
      let before = try killed.site.saveRecord()
      for kind in amendment.kinds {
        for point in KillSwitch.Point.allCases {
          try killed.site.restoreRecord(before)
          try await Self.kill(amendment, at: kind, point, in: killed)
        }
      }
      #expect(await killed.building.world.writes.count == writes)
    }
  }

  private static func kill(
    _ amendment: Amendment, at kind: Fact.Kind, _ point: KillSwitch.Point, in killed: KilledBuilding
  ) async throws {
    let place = "\(kind.rawValue), \(point.rawValue)"
    let earlier = Set(killed.site.runs)
    let outcome = try await killed.site.run(amendment.arguments, environment: KillSwitch.at(kind, 1, point))
    try #require(outcome.signal == SIGKILL, "\(place): \(outcome)")
    let run = try #require(Set(killed.site.runs).subtracting(earlier).first, "\(place)")
    let journal = try #require(try killed.journal(of: run), "\(place)")
    #expect(journal.damage == nil, "\(place)")
    #expect((journal.tornLine != nil) == (point == .amidWrite), "\(place)")

    // If the change is already on record, the repeated command is refused as a usage error.
    let again = try await killed.site.run(amendment.arguments)
    #expect(again.status == 0 || again.status == 64, "\(place): \(again)")
    let facts = try killed.site.runs.compactMap { try killed.journal(of: $0) }.flatMap(\.events).map(
      \.fact.kind)
    for wanted in amendment.kinds { #expect(facts.contains(wanted), "\(place)") }
  }
}

extension Site {
  /// Copies the record; nil if there is none.
  func saveRecord() throws -> URL? {
    guard has("reports") else { return nil }
    let copy = directory.appending(path: "saved")
    try FileManager.default.copyItem(at: directory.appending(path: "reports"), to: copy)
    return copy
  }

  /// Restores the copied record.
  func restoreRecord(_ saved: URL?) throws {
    let reports = directory.appending(path: "reports")
    try? FileManager.default.removeItem(at: reports)
    if let saved { try FileManager.default.copyItem(at: saved, to: reports) }
  }
}
