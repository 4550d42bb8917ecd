import Foundation
import Model
import RecordedText
import Testing

@testable import Reporting

@Suite("`status` on a terminal") struct StatusViewTests {
  @Test("`status` groups open rooms by reason, and ends with the next command")
  func grouped() {
    var building = SampleBuilding(rooms: 14)
    var run = SampleRun(building, day: 0)
    run.end(.incomplete)
    building.add(run)
    let lines = StatusView.lines(
      building.report(), olderThan: nil, next: "roboprov apply house.yaml",
      style: TerminalStyle(width: 200, hasColor: false))
    #expect(lines.first?.hasSuffix(": 0 of 14 rooms done") == true)
    #expect(lines.joined(separator: " ").components(separatedBy: " and 4 more: ").count == 2)
    #expect(lines.last == "Next: roboprov apply house.yaml")
  }

  @Test(
    "a device that is missing was last received at one time and not received at a later one, on the day of the report"
  )
  func missing() throws {
    var building = SampleBuilding(rooms: 2)
    let rooms = building.rooms
    for (day, isReceived) in [(0.0, true), (0.1, false)] {
      var run = SampleRun(building, day: day)
      run.survey(isReceived ? rooms : [])
      for room in rooms {
        if isReceived {
          run.write(room)
        } else {
          run.finish(room, .unreachable, .neverReceived(searchSeconds: 15))
        }
      }
      run.end(.incomplete)
      building.add(run)
    }
    func text(_ rooms: Int) -> String {
      let report = building.report()
      return StatusView.lines(
        report, olderThan: nil, next: nil, times: LocalTime { _ in 3600 },
        style: TerminalStyle(width: 400, hasColor: false)
      ).joined(separator: "\n")
    }
    #expect(text(2).contains("was not received 2026-11-20 12:24"), "\(text(2))")
    let json = BuildingJSON.value(building.report()).pretty
    #expect(
      json.contains("was last received 2026-11-20 09:00 UTC, and not received 2026-11-20 11:24 UTC"),
      "\(json)")
    let times = LocalTime { _ in 3600 }.read(at: SampleBuilding.day.addingTimeInterval(3600))
    #expect(times.moment(SampleBuilding.day) == "today 10:00")
    #expect(times.moment(SampleBuilding.day.addingTimeInterval(-86_400)) == "2026-11-19 10:00")
  }

  @Test("`status` fits every width and shows no control sequence", arguments: [20, 40, 80, 200])
  func widths(width: Int) {
    let lines = StatusView.lines(
      SampleBuilding.varied(), olderThan: .seconds(0), next: nil,
      style: TerminalStyle(width: width, hasColor: false))
    let tooWide = lines.filter { $0.columns > width }
    #expect(tooWide.isEmpty)
    let controlling = lines.joined().unicodeScalars.filter { $0.isControlling }
    #expect(controlling.isEmpty)
  }
}
