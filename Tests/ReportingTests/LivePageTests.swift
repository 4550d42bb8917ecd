import Foundation
import Journal
import Model
import SampleFacts
import Testing

@testable import Reporting

@Suite("The page of a building while a run works on it") struct LivePageTests {
  /// A run that does the first room and fails at the second one; the third one comes last.
  private static let run: (rooms: [PlannedRoom], events: [RunEvent]) = {
    let building = SampleBuilding(["Room 1", "-", "Room <b>2</b>", "-", "Room 3"])
    // Those of one adapter, which does one after the other.
    let rooms = [building.rooms[0], building.rooms[2], building.rooms[4]]
    var run = SampleRun(building, day: 0, planned: rooms)
    run.survey(rooms)
    run.write(rooms[0])
    run.write(rooms[1], failure: .refused(stage: .save, deviceText: "error:<i>"), outcome: .failed)
    run.write(rooms[2])
    run.end(.incomplete)
    return (rooms, run.events)
  }()

  /// The page after the first events of the run up to one.
  /// - Parameter without: How many of these are left out at the end.
  private static func page(
    upTo isLast: (Fact) -> Bool, without last: Int = 0, isWorking: Bool = true, problems: [String] = []
  ) throws -> LivePage {
    let count = try #require(run.events.firstIndex { isLast($0.fact) }) + 1 - last
    let events = Array(run.events.prefix(count))
    let report = BuildingReport(
      building: "harbour-house", runs: [RecordedRun(events: events, journalHash: "")],
      lastKnown: BuildingRecord([events]).lastKnown, manifest: nil, made: SampleBuilding.day,
      by: .init(toolVersion: "0.1.0", host: "laptop", user: "anna"))
    return LivePage(
      building: "harbour-house", report, isWorking: isWorking, problems: problems, asOf: SampleBuilding.day,
      times: .utc)
  }

  private static func finished(_ room: Int) -> (Fact) -> Bool {
    { if case .roomFinished(let fact) = $0 { fact.room == run.rooms[room].room } else { false } }
  }

  private static func started(_ room: Int) -> (Fact) -> Bool {
    { if case .attemptStarted(let fact) = $0 { fact.room == run.rooms[room].room } else { false } }
  }

  /// The JSON of a page or a change.
  private struct News: Decodable {
    var title: String
    var parts: [String: String]
    var grid: String?
    var cells: [[Cell]]?
    var floors: [[Cell]]?

    enum Cell: Decodable, Hashable {
      case number(Int)
      case text(String)

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self =
          if let number = try? container.decode(Int.self) {
            .number(number)
          } else {
            .text(try container.decode(String.self))
          }
      }
    }
  }

  private static func read(_ json: String?) throws -> News {
    try JSONDecoder().decode(News.self, from: Data(try #require(json).utf8))
  }

  @Test("a change has the cells and parts that changed, and nothing else")
  func change() throws {
    let before = try Self.page(upTo: Self.finished(0), without: 1)
    let after = try Self.page(upTo: Self.finished(0))
    let news = try Self.read(after.change(since: before))
    #expect(news.cells?.count == 1)
    #expect(news.cells?[0].prefix(2) == [.number(1), .text("done")])
    #expect(news.floors?.map { $0[0] } == [.number(0)] && news.floors?[0][1] == .text("1/3"))
    #expect(Set(news.parts.keys) == ["verdict", "counts"] && news.grid == nil)
    let same = try Self.read(after.change(since: after))
    #expect(same.parts.isEmpty && same.cells == [] && same.floors == [])
    let whole = try Self.read(after.whole)
    #expect(Set(whole.parts.keys) == ["problem", "name", "verdict", "counts", "left"] && whole.cells == nil)
    #expect(whole.grid?.contains("href=\"#room-3\"") == true)
  }

  @Test("other rooms are no change: the clients get the whole page")
  func otherRooms() throws {
    let page = try Self.page(upTo: Self.finished(0))
    let other = LivePage(
      building: "harbour-house", SampleBuilding(rooms: 2).report(), isWorking: false, problems: [], asOf: nil,
      times: .utc)
    #expect(other.change(since: page) == nil)
  }

  @Test("while a run works, only rooms that it ended or that wait for somebody are listed")
  func left() throws {
    let begun = try Self.read(Self.page(upTo: Self.started(0)).whole)
    #expect(begun.parts["left"] == "<p>No room needs anybody now.</p>")
    #expect(begun.parts["verdict"]?.contains("A run has been at work since") == true)
    #expect(begun.parts["verdict"]?.contains("on 1 room now") == true)
    let failed = try Self.read(Self.page(upTo: Self.finished(1)).whole)
    let left = try #require(failed.parts["left"])
    #expect(left.contains("id=\"room-2\"") && !left.contains("Room 3"))
  }

  @Test("a run whose process is gone is interrupted, and works on no room")
  func interrupted() throws {
    let page = try Self.page(upTo: Self.started(2), isWorking: false)
    let news = try Self.read(page.whole)
    #expect(news.parts["verdict"]?.contains("has no end on record") == true)
    #expect(news.parts["verdict"]?.contains("at work since") == false)
    #expect(news.grid?.contains("class=\"working\"") == false)
    #expect(news.parts["left"]?.contains("Room 3") == true)
    #expect(try Self.page(upTo: Self.started(2)).whole.contains("class=\\\"working\\\""))
  }

  @Test("a problem is shown with the time of what else is shown; without any state nothing is claimed")
  func problem() throws {
    let page = try Self.page(upTo: Self.finished(0), problems: ["The record is <b>damaged</b>."])
    let text = try #require(try Self.read(page.whole).parts["problem"])
    #expect(text.contains("&lt;b&gt;damaged") && text.contains("what was known at 2026-11-20"))
    let none = LivePage(
      building: "harbour-house", nil, isWorking: false, problems: ["It cannot be read."],
      asOf: SampleBuilding.day,
      times: .utc)
    let news = try Self.read(none.whole)
    #expect(news.parts["problem"] == "<p>! It cannot be read.</p>")
    #expect(news.parts["verdict"]?.contains("No state is known") == true)
    #expect(news.parts["verdict"]?.contains("on record") == false && news.parts["left"] == "")
  }

  @Test("a building without a record has no run, and nothing says that it is done")
  func empty() throws {
    let page = LivePage(
      building: "harbour-house", SampleBuilding([]).report(), isWorking: false, problems: [], asOf: nil,
      times: .utc)
    let news = try Self.read(page.whole)
    #expect(news.parts["verdict"] == "<strong>No rooms on record</strong> No run is on record.")
    #expect(news.parts["left"] == "")
  }

  @Test("text from outside is text, in the page and in the news")
  func hostile() throws {
    let page = try Self.page(upTo: Self.finished(1))
    for text in [page.document, page.whole] {
      #expect(!text.contains("Room <b>2") && !text.contains("<i>\"") && !text.contains("error:<i>"))
      #expect(text.contains("Room &lt;b&gt;2"))
    }
    // Nothing in the page depends on a permission for inline scripts or styles.
    #expect(!page.document.contains("style=") && !page.document.contains("<style"))
    #expect(page.document.components(separatedBy: "<script").count == 2)
  }

  @Test("the script is as short as it may be") func script() {
    #expect(LivePage.script.split(separator: "\n").count <= 400)
  }
}
