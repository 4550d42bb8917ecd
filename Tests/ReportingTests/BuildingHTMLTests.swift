import Bluetooth
import Foundation
import Journal
import Model
import Testing

@testable import Reporting

@Suite("building.html")
struct BuildingHTMLTests {
  private static let berlin = LocalTime { _ in 3600 }
  private static let varied = SampleBuilding.varied()
  private static let page = BuildingPage(varied, times: berlin).text

  private func row(_ id: String, in page: String = page) throws -> Substring {
    let place = try #require(page.range(of: "<small>\(id)</small>") ?? page.range(of: "<small>\(id),"))
    let begin = try #require(page[..<place.lowerBound].range(of: "<tbody id=", options: .backwards))
      .lowerBound
    let end = try #require(page[begin...].range(of: "</tbody>\n")).upperBound
    return page[begin..<end]
  }

  @Test("the browser runs and loads only what has the hash of the page's own script and styles")
  func policy() throws {
    let policy = try #require(Self.page.firstMatch(of: #/Security-Policy" content="([^"]*)"/#)).1
    #expect(policy.hasPrefix("default-src 'none'; ") && !policy.contains("unsafe"), "\(policy)")
    #expect(policy.matches(of: #/'sha256-[A-Za-z0-9+\/]{43}='/#).count == 2, "\(policy)")
  }

  @Test("the page begins with the number of done rooms of the manifest")
  func verdict() throws {
    let page = Self.page
    #expect(
      page.contains(
        """
        <strong>30 of 38 rooms done</strong> As of <time title="2026-11-22 09:00:00 UTC">2026-11-22 10:00</time> \
        (UTC+01:00). <a href="#open-title">7 rooms are left to do.</a>
        """))
    let sections = page.matches(of: #/<section id="([a-z]+)"/#).map { String($0.1) }
    #expect(sections == ["grid", "open", "rooms", "plots", "runs", "signatures"])
    let verdict = try #require(page.range(of: "class=\"verdict")).lowerBound
    #expect(try verdict < #require(page.range(of: "<section")).lowerBound)
    #expect(page.contains("manifests/harbour-house.yaml"))
    #expect(page.contains(String(repeating: "ab12", count: 16)))
    #expect(page.contains("2026-11-22 10:00</time> (UTC+01:00) by anna on laptop, with roboprov 0.1.0"))
  }

  @Test("the page names the speed of the newest run, and in its place a computer that was busy")
  func speed() {
    func page(_ others: Fact...) -> String {
      var building = SampleBuilding(rooms: 6)
      var run = SampleRun(building, day: 0)
      run.survey(building.rooms)
      for room in building.rooms { run.write(room) }
      for fact in others { run.at(10, fact) }
      run.end(.complete)
      building.add(run)
      return BuildingPage(building.report(), times: .utc).text
    }
    let (speed, busy) = ("; the radio needs at least ", "<br>The computer was busy: for 3 s of the run ")
    #expect(page().contains(speed) && !page().contains(busy))
    let slow = page(.hostPaused(.init(.busy, seconds: 3)))
    #expect(slow.contains(busy) && !slow.contains(speed))
  }

  @Test("the page states that a building is done, or that it has no run")
  func extremes() throws {
    var building = SampleBuilding(rooms: 3)
    #expect(BuildingPage(building.report(), times: .utc).text.contains("<strong>0 of 3 rooms done</strong>"))
    var run = SampleRun(building, day: 0)
    run.survey(building.rooms)
    for room in building.rooms { run.write(room) }
    run.end(.complete)
    building.add(run)
    let page = BuildingPage(building.report(), times: .utc).text
    #expect(page.contains("<strong>All 3 rooms done</strong> As of <time"))
    #expect(page.contains(" (UTC). Nothing is left to do."))
    #expect(!page.contains("id=\"open\""))
    #expect(BuildingPage(SampleBuilding([]).report(), times: .utc).text.contains("No rooms on record"))
  }

  @Test("a room's state is shown as a word and a symbol")
  func lastKnownRooms() throws {
    for (id, words) in [
      ("room-1", "✓</span> done"), ("room-12", "↻</span> changed"), ("room-35", "?</span> unconfirmed"),
      ("room-32", "✗</span> open"), ("room-39", "✗</span> open"), ("room-40", "○</span> not tried"),
      ("room-38", "✎</span> accepted"),
      ("room-30", "–</span> retired"),
    ] {
      let row = try row(id)
      #expect(row.contains(words), "\(id)")
    }
  }

  @Test("a room whose device the newest run did not receive differs from one whose device it received")
  func nearness() throws {
    #expect(Self.page.contains("◷: its device was not received in the newest run."))
    #expect(try !row("room-1").contains("◷"))
    #expect(try row("room-25").contains("title=\"not received in the newest run\">◷</abbr> <time"))
  }

  @Test("a room's second line has only what differs from most rooms")
  func particulars() throws {
    #expect(Self.page.contains("Unless a room says otherwise, its settings are: 1 proved, 3 written"))
    #expect(try row("room-1").contains("<tr class=\"usual\">"))
    let never = try row("room-39")
    #expect(never.contains("<summary>not received (first <time"), "\(never)")
    #expect(never.contains("settings: 4 not written"))
    #expect(try row("room-38").contains("<summary>accepted by <bdi>J. Meier</bdi>: "))
  }

  @Test("weak evidence is shown as weak")
  func weakness() throws {
    #expect(try row("room-29").contains("! weak: it ended the link, which confirms the write; a lost link "))
    #expect(try !row("room-25").contains("weak"))
  }

  @Test("a history has settings, attempts with their stages, reasons with advice, and people's decisions")
  func script() throws {
    let retried = try row("room-31")
    #expect(retried.contains("failed after 3 s: connection timed out: <b>✗ connect 3 s of 15 s</b>"))
    #expect(retried.contains(", 2 attempts, "))
    #expect(
      retried.contains(
        """
        <li><b>written, not acknowledged</b> (<a href="#run-3">run 3</a>): WiFi name <bdi>Office WiFi</bdi>, WiFi password \
        <i>secret, not recorded</i>
        """))
    #expect(try row("room-32").contains("→ "))
    #expect(try row("room-38").contains("by <bdi>J. Meier</bdi>"))
    #expect(try row("room-38").contains("<b>still valid</b>"))
    #expect(try row("room-30").contains("Now a store room"))
  }

  @Test("an acceptance that ended has the time of its end")
  func ended() throws {
    var building = SampleBuilding(rooms: 1)
    var accept = SampleRun(building, .accept, day: 0)
    accept.at(1, .roomAccepted(.init(room: "room-1", reason: "later", by: "B")))
    accept.end(.complete)
    building.add(accept)
    var run = SampleRun(building, day: 1)
    run.survey(building.rooms)
    run.write(building.rooms[0])
    run.end(.complete)
    building.add(run)
    let page = BuildingPage(building.report(), times: .utc).text
    #expect(try row("room-1", in: page).contains("“<bdi>later</bdi>”; ended <time"))
  }

  @Test("what is left is told once: by what to do, with the cause, the place and the day since when")
  func left() throws {
    let actions = BuildingPage(Self.varied, times: Self.berlin).actions(Self.varied.open)
    let counts = actions.map { $0.causes.flatMap(\.rooms).count }
    #expect(counts.reduce(0, +) == Self.varied.open.count && counts == counts.sorted(by: >))
    #expect(Set(actions.map(\.advice)).count == actions.count)
    let begin = try #require(Self.page.range(of: "<section id=\"open\"")).lowerBound
    let end = try #require(Self.page[begin...].range(of: "</section>")).lowerBound
    let section = Self.page[begin..<end]
    for room in Self.varied.open {
      #expect(section.components(separatedBy: "<bdi>\(room.name)</bdi>").count == 2, "\(room.name)")
    }
    for action in actions {
      #expect(section.components(separatedBy: "→ \(Markup(action.advice).text) ").count == 2)
    }
  }

  @Test("every run has a line with person, host, versions, clock and the hash of its journal")
  func runs() {
    #expect(Self.page.components(separatedBy: "<tr id=\"run-").count - 1 == 4)
    #expect(Self.page.contains("<bdi>anna</bdi>, laptop"))
    #expect(Self.page.contains("! not synchronised"))
    #expect(Self.page.contains("by <bdi>J. Meier</bdi>: “<bdi>Behind a locked door until March</bdi>”"))
    for run in Self.varied.runs { #expect(Self.page.contains(run.journalHash)) }
  }

  @Test("the page loads nothing, and no text from outside is markup")
  func selfContained() {
    let page = BuildingPage(
      SampleBuilding.varied { names in
        for (index, text) in (Hostile.markup + Hostile.texts).prefix(40).enumerated() { names[index] = text }
      }, times: .utc
    ).text
    for needle in ["http:", "https:", "src=", "@import", "url("] {
      #expect(!Self.page.contains(needle), "\(needle)")
    }
    #expect(page.components(separatedBy: "<script").count == 2)
    #expect(page.components(separatedBy: "</style>").count == 2)
    #expect(!page.contains("<img"))
    #expect(!Self.page.contains("&lt;"), "markup was escaped as text")
    #expect(!page.unicodeScalars.contains { $0.isControlling && $0 != "\n" })
  }

  @Test(
    "2,000 rooms fit into 3 MB, whether they were written in the newest run or before", arguments: [0, 3, 20])
  func size(recalls: Int) {
    let page = BuildingPage(SampleBuilding.large(rooms: 2000, recalls: recalls), times: Self.berlin).text
    #expect(page.utf8.count < 3_000_000, "\(page.utf8.count)")
  }
}

/// The folder in which `make test-page` expects its pages.
private let pageFolder = ProcessInfo.processInfo.environment["ROBOPROV_PAGES"].flatMap {
  $0.isEmpty ? nil : URL(filePath: $0)
}

/// Pages for `make test-page`, which checks them in a browser.
@Suite("Pages for the browser", .enabled(if: pageFolder != nil))
struct BuildingPageFiles {

  @Test("the pages for the browser are written")
  func write() throws {
    let folder = try #require(pageFolder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let times = LocalTime { _ in 3600 }
    let hostile = SampleBuilding.varied { names in
      for (index, text) in (Hostile.markup + Hostile.texts).prefix(40).enumerated() { names[index] = text }
    }
    for (name, report) in [
      ("varied", SampleBuilding.varied()), ("hostile", hostile),
      ("middle", SampleBuilding.large(rooms: 300, recalls: 2)),
      ("large", SampleBuilding.large(rooms: 2000, recalls: 0)),
      ("recalled", SampleBuilding.large(rooms: 2000, recalls: 3)),
    ] {
      let text = BuildingPage(report, times: times).text
      try Data(text.utf8).write(to: folder.appending(path: "\(name).html"))
    }
    try Data(journal).write(to: folder.appending(path: "journal.jsonl"))
  }

  /// The journal of a run on three floors, with hostile names, that is not simulated. The browser test replays it.
  private var journal: [UInt8] {
    let names = Hostile.markup + Hostile.texts + (1...20).map { "Room \($0)" }
    let building = SampleBuilding(names)
    let rooms = building.rooms.enumerated().map { index, room in
      var room = room
      room.floor = ["Ground", "1", "<i>2"][index * 3 / names.count]
      return room
    }
    var run = SampleRun(building, day: 0, planned: rooms)
    run.survey(rooms)
    for (index, room) in rooms.enumerated() {
      if index % 10 == 9 {
        run.write(room, failure: .refused(stage: .save, deviceText: "error:<b>flash"), outcome: .failed)
      } else {
        run.write(room)
      }
    }
    run.end(.incomplete)
    var lines = JournalLines()
    return run.events.flatMap { lines.line($0) + [UInt8(ascii: "\n")] }
  }
}
