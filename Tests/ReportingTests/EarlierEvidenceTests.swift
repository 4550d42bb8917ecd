import Foundation
import Model
import SampleFacts
import Testing

@testable import Reporting

/// A second run on the next day. The device of the first of two rooms is received again. The second room is
/// done by the record alone.
@Suite("Evidence from an earlier run")
struct EarlierEvidenceTests {
  private static let building: SampleBuilding = {
    var building = SampleBuilding(["received", "recalled"])
    var first = SampleRun(building, day: 0)
    first.survey(building.rooms)
    for room in building.rooms { first.write(room) }
    first.end(.complete)
    building.add(first)
    var second = SampleRun(building, day: 1)
    second.survey(building.rooms.prefix(1))
    second.recall(building.rooms[0], received: true, since: first)
    second.recall(building.rooms[1], received: false, since: first)
    second.end(.complete)
    building.add(second)
    return building
  }()
  private static let run = RunReport(building.runs[1])

  @Test("evidence from an earlier run is no sighting of this run")
  func notReceived() {
    #expect(Self.run.hasReceived(.sensor(1)))
    #expect(!Self.run.hasReceived(.sensor(2)))
    #expect(Self.run.rooms.map(\.isDoneOnRecordOnly) == [false, true])
  }

  @Test("evidence from an earlier run is marked and dated as such in report.json and report.csv")
  func dated() throws {
    let root = try #require(
      try JSONSerialization.jsonObject(with: Data(JSONReport.text(Self.run).utf8)) as? [String: Any])
    let rooms = try #require(root["rooms"] as? [[String: Any]])
    let evidence = rooms.compactMap { $0["evidence"] as? [String: Any] }
    #expect(evidence.map { $0["seen_in_this_run"] as? Bool } == [true, false])
    let days = evidence.map { ($0["seen_at"] as? String)?.prefix(10) }
    #expect(days == ["2026-11-21", "2026-11-20"])
    let starts = Self.building.runs.map { $0.first.map { String(RunEvent.timestamp($0.at).prefix(10)) } }
    #expect(starts == ["2026-11-20", "2026-11-21"])

    let table = try #require(parseCSV(CSVReport.text(Self.run)))
    func column(_ name: String) throws -> [String] {
      let place = try #require(table[0].firstIndex(of: name))
      return table.dropFirst().map { $0[place] }
    }
    #expect(try column("seen_in_this_run") == ["true", "false"])
    #expect(try column("proved_on").map { $0.prefix(10) } == ["2026-11-21", "2026-11-20"])
  }

  @Test("the summary names evidence from an earlier run")
  func summary() {
    let lines = SummaryView.lines(Self.run, reports: nil, style: TerminalStyle(width: 200, hasColor: false))
    let words = "1 room done on record, not received in this run (recalled)"
    #expect(lines.contains { $0.contains(words) }, "\(lines)")
  }
}
