import Foundation
import Journal
import Model
import RecordedText
import Testing

@testable import Reporting

@Suite("Reports of records with the largest accepted numbers") struct ExtremeNumbersTests {
  private func replacing(_ value: Any, with number: NSNumber, keeping kept: Set<String>) -> Any {
    switch value {
    case let object as [String: Any]:
      object.reduce(into: [:]) { result, member in
        let isKept = kept.contains(member.key)
        result[member.key] = isKept ? member.value : replacing(member.value, with: number, keeping: kept)
      } as [String: Any]
    case let array as [Any]: array.map { replacing($0, with: number, keeping: kept) }
    case let found as NSNumber where String(cString: found.objCType) != "c": number
    default: value
    }
  }

  @Test(
    "reports and views of a record with extreme numbers are made without overflow",
    arguments: [0x7FFF_FFFF, -0x7FFF_FFFF, 1_000_000_000, -1_000_000_000])
  func largest(number: Int) throws {
    // These have ranges of their own; an elapsed time cannot be negative.
    let kept = Set(["seq", "v", "minor", "byte", "att_error"] + (number < 0 ? ["elapsed_us"] : []))
    var building = SampleBuilding(rooms: 6)
    var run = SampleRun(building, day: 0)
    run.survey(building.rooms)
    for room in building.rooms { run.write(room, failure: .connectTimedOut(seconds: 3)) }
    for room in building.rooms { run.write(room, 2) }
    run.end(.incomplete)
    let events = try run.events.map { event in
      let json = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(event))
      let changed = try JSONSerialization.data(
        withJSONObject: replacing(json, with: NSNumber(value: number), keeping: kept))
      // An event that does not accept the number stays unchanged.
      return (try? JSONDecoder().decode(RunEvent.self, from: changed)) ?? event
    }
    #expect(events.contains { !run.events.contains($0) })
    let report = RunReport(events)
    _ = JSONReport.text(report)
    _ = CSVReport.text(report)
    _ = DeviceLogs.texts(events)
    _ = SummaryView.lines(report, reports: "reports", style: TerminalStyle(width: 80, hasColor: false))
    if case .runStarted(let started)? = events.first?.fact { _ = HistoryView.lines(started, events) }
    var progress = ProgressView()
    for event in events {
      progress.apply(event)
      _ = progress.plain(event)
      _ = progress.live(at: event.elapsed, style: TerminalStyle(width: 80, hasColor: false))
    }
    building.add(run)
    let whole = BuildingReport(
      building: "harbour-house", runs: [RecordedRun(events: events, journalHash: "c0ffee")],
      lastKnown: BuildingRecord([events]).lastKnown, manifest: nil, made: SampleBuilding.day,
      by: .init(toolVersion: "0.1.0", host: "laptop", user: "anna"))
    for text in [BuildingJSON.text(whole), BuildingCSV.text(whole), JUnitReport.text(whole)] {
      #expect(!text.isEmpty)
    }
    #expect(BuildingPage(whole, times: .utc).text.contains("</html>"))
  }

  @Test("displayed text keeps its line ends and our colours, and no other control sequence")
  func visible() {
    let style = TerminalStyle(width: 80, hasColor: true)
    let red = style.paint("no", .red)
    #expect(red.visibleLine == red)
    #expect(red.visible == "\\u{1B}[31mno\\u{1B}[0m" && red.visibleLines == red.visible)
    #expect("a\nb".visibleLines == "a\nb" && "a\nb".visibleLine == "a\\nb")
    #expect("\u{1B}[2J\u{1B}[31;5mx\u{9B}31m".visibleLine == "\\u{1B}[2J\\u{1B}[31;5mx\\u{9B}31m")
    #expect("\u{202E}\u{2028}\t\r".visibleLines == "\\u{202E}\\u{2028}\\t\\r")
    #expect("👩‍👧 ü".visibleLine == "👩‍👧 ü")
  }
}
