import Foundation
import Model
import SampleFacts
import Testing

@testable import Reporting

@Suite("The plots of building.html")
struct PlotTests {
  /// Two floors of three rooms: the first was written on one day, most of the second on another one.
  private static func page(writtenOn days: [Double]) -> String {
    var building = SampleBuilding(
      ["Lobby", "Bar", "Room 103", "Room 201", "Room 202", "Room 203"], perFloor: 3)
    for (day, rooms) in zip(days, [building.rooms[0..<3], building.rooms[3..<5]]) {
      var run = SampleRun(building, day: day, planned: Array(rooms))
      run.survey(rooms)
      for room in rooms { run.write(room) }
      run.end(.complete)
      building.add(run)
    }
    return BuildingPage(building.report(), times: .utc).text
  }

  private static func answers(_ page: String) -> [String] {
    page.matches(of: #/<table class="plot"><caption>([^<]*(?:<bdi>[^<]*</bdi>[^<]*)*)</caption>/#)
      .map { String($0.1) }
  }

  @Test("each plot has its answer as title, and its numbers in a table")
  func answersAndNumbers() {
    let page = Self.page(writtenOn: [0, 1])
    #expect(
      Self.answers(page) == [
        "5 of 6 rooms done: 2 days of work by <bdi>anna</bdi>; at this pace 1 day more for 1 room.",
        "Floor 2 is received most weakly: 1 of 2 devices below -80 dBm. Stand nearer there next.",
        "Every device on record was last received at most 2 days before this report.",
      ])
    for row in [
      "2026-11-20<td><bdi>anna on laptop</bdi><td>1<td>3<td>3<",
      "2026-11-21<td><bdi>anna on laptop</bdi><td>1<td>2<td>5<",
      "1<td>hci0<td>1<td>-62<td>-62<td>0<", "1<td>hci1<td>2<td>-69<td>-55<td>0<",
      "2<td>hci0<td>1<td>-76<td>-76<td>0<", "2<td>hci1<td>1<td>-83<td>-83<td>1<",
      "1<td>0<td>3<td>0<td>0<", "2<td>2<td>0<td>0<td>0<",
    ] {
      #expect(page.contains("<th scope=\"row\">\(row)"), "\(row)")
    }
  }

  @Test("a plot that would decide nothing is left out, and the age of a floor is told first where it matters")
  func left() {
    #expect(
      Self.answers(Self.page(writtenOn: [-8])) == [
        "No device was last received below -80 dBm.",
        "3 of 3 devices on floor 1 were last received more than 7 days ago: verify there next.",
      ])
  }
}
