import Bluetooth
import Model
import RecordedText
import SampleFacts
import Testing

@testable import Reporting

@Suite("Reports of several device families")
struct FamilyReportTests {
  private let report = RunReport(RunScript.families.events)

  @Test(
    "the logs of several families match their snapshots",
    arguments: ["stairs", "doorway", "entrance", "shed"] as [RoomID])
  func logs(room: RoomID) throws {
    let log = try #require(DeviceLogs.texts(RunScript.families.events).first { $0.0 == room }).1
    try expectSnapshot(log, "families-\(room).log")
  }

  @Test("report.csv of several families matches its snapshot")
  func table() throws {
    try expectSnapshot(CSVReport.text(report), "families.csv")
  }

  @Test("progress and summary of several families match their snapshot")
  func terminal() throws {
    var view = ProgressView()
    var text = ""
    for event in RunScript.families.events {
      view.apply(event)
      for line in view.finished(event, style: .init(width: 100, hasColor: false)) { text += line + "\n" }
      for line in view.plain(event) { text += line + "\n" }
    }
    let style = TerminalStyle(width: 80, hasColor: false)
    for line in SummaryView.lines(report, reports: nil, style: style) { text += line + "\n" }
    try expectSnapshot(text, "families.txt")
  }

  @Test("report.json has each setting with its value, and marks registered rooms")
  func json() throws {
    guard case .object(let members) = JSONReport.value(report),
      case .array(let rooms)? = members.first(where: { $0.key == "rooms" })?.value
    else {
      Issue.record("no rooms")
      return
    }
    func value(_ room: JSONValue, _ key: String) -> JSONValue? {
      guard case .object(let members) = room else { return nil }
      return members.first { $0.key == key }?.value
    }
    #expect(
      rooms.map { value($0, "registered") } == [
        .bool(false), .bool(false), .bool(false), .bool(true), .bool(true),
      ])
    let minors: [UInt16?] = [1, 2, nil, 9, 10]
    let identities = minors.map { minor -> JSONValue? in
      minor.map { .string(DeviceIdentity.stair($0).description) } ?? .null
    }
    #expect(rooms.map { value($0, "identity") } == identities)
    #expect(
      value(rooms[0], "settings")
        == .array(
          [
            ("uuid", "4B7F1D6E-9C0A-4E53-8D21-6A5C0E9F3B74"), ("major", "1"), ("minor", "1"),
            ("power", "medium"), ("interval", "500ms"),
          ].map {
            ["name": .string($0.0), "value": .string($0.1), "state": "proved"]
          }))
  }

  @Test(
    "evidence is described with its grade, its details and its weakness",
    arguments: [
      (
        .freshBeacon,
        "beacon received after the save, from C4:7C:8D:00:00:05, minor 7 at -60 dBm, 1.500 s after the save"
      ),
      (.beaconOnAir, "beacon on air, from"), (.readBack, "its beacon was not received"),
      (.savedStatus, "reported over the link"),
      (.selfDisconnect, "1.500 s after the write (it ended the link, which confirms the write"),
    ] as [(Evidence.Grade, String)])
  func evidence(grade: Evidence.Grade, words: String) {
    let evidence = Evidence(
      grade: grade, address: .sensor(5), identity: 7, rssi: -60, secondsAfterSave: 1.5)
    #expect(evidence.words(.utc).contains(words), "\(evidence.words(.utc))")
    #expect(evidence.words(.utc).hasPrefix(grade.plainWords))
  }
}
