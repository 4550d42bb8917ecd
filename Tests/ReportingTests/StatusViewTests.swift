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
