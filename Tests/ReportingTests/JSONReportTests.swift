import Foundation
import Model
import Testing

@testable import Reporting

@Suite("report.json")
struct JSONReportTests {
  private func parse(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  @Test("report.json matches its snapshot")
  func snapshot() throws {
    try expectSnapshot(JSONReport.text(RunReport(RunScript.mixed.events)), "report.json")
  }

  @Test("the report of a killed run states that the run is unfinished")
  func killed() throws {
    let report = RunReport(RunScript.mixed.events.prefix(30))
    let run = try #require(try parse(JSONReport.text(report))["run"] as? [String: Any])
    #expect(run["outcome"] as? String == "unfinished")
    #expect(run["finished"] is NSNull)
  }

  @Test("a run without events gives a report")
  func empty() throws {
    let root = try parse(JSONReport.text(RunReport()))
    #expect(root["schema"] as? String == "roboprov/report/1")
    #expect((root["rooms"] as? [Any])?.isEmpty == true)
  }

  @Test("the summary lists every outcome with counts that add up")
  func summary() throws {
    let root = try parse(JSONReport.text(RunReport(RunScript.mixed.events)))
    var summary = try #require(root["summary"] as? [String: Int])
    let total = summary.removeValue(forKey: "total")
    #expect(total == 4)
    #expect(Set(summary.keys) == Set(Outcome.allCases.map(\.rawValue)))
    #expect(summary.values.reduce(0, +) == total)
  }

  @Test("every room has the same keys at any time of a run")
  func sameKeys() throws {
    let root = try parse(JSONReport.text(RunReport(RunScript.mixed.events.prefix(20))))
    let rooms = try #require(root["rooms"] as? [[String: Any]])
    let whole = try parse(JSONReport.text(RunReport(RunScript.mixed.events)))
    let keys = Set(try #require(whole["rooms"] as? [[String: Any]])[0].keys)
    #expect(rooms.count == 4)
    for room in rooms { #expect(Set(room.keys) == keys) }
  }

  @Test("a hostile text is escaped and is read back unchanged", arguments: Hostile.texts)
  func hostile(text: String) throws {
    var script = RunScript()
    let room = PlannedRoom.sample("a", text, minor: 1)
    script.begin([room], name: text)
    script.end(room, .failed, .refused(stage: .save, deviceText: text))
    let json = JSONReport.text(RunReport(script.events))
    let rooms = try #require(try parse(json)["rooms"] as? [[String: Any]])
    let name = try #require(rooms[0]["room"] as? String)
    #expect(Array(name.unicodeScalars) == Array(text.unicodeScalars))
    #expect(!json.unicodeScalars.contains { $0 != "\n" && $0.isControlling })
  }

  @Test(
    "numbers are rounded to three decimals",
    arguments: [
      (0.0, "0"), (0.0004, "0"), (0.0005, "0.001"), (12.5, "12.5"), (-0.25, "-0.25"), (-0.0001, "0"),
      (3600, "3600"), (.nan, "null"), (.infinity, "null"),
    ])
  func numbers(value: Double, text: String) {
    #expect(JSONValue.number(value).pretty == text + "\n")
    #expect(JSONValue.number(value).line == text)
  }

  @Test("a value on one line contains no line end")
  func line() {
    let value =
      [
        "text": "a\nb \"c\" \u{1B}", "list": [1, .null, true], "empty": [:], "none": [],
      ] as JSONValue
    #expect(
      value.line
        == #"{"text":"a\nb \"c\" \u001b","list":[1,null,true],"empty":{},"none":[]}"#)
  }
}
