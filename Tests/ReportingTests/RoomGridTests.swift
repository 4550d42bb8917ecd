import Foundation
import Model
import SampleFacts
import Testing

@testable import Reporting

@Suite("The grid of rooms")
struct RoomGridTests {
  /// A building of two floors in which a question has a known answer.
  struct Prepared: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var report: BuildingReport
    /// The text alternatives of floors and rooms that are not done.
    var facts: [String]
    /// What is left: places, and what is said of them.
    var left: [String]
  }

  private static let lost = FailureReason.linkLost(FailedStep(.save, stackText: "org.bluez.Error.Failed"))

  private static func prepared(
    _ name: String, facts: [String], left: [String], _ runs: (inout SampleBuilding) -> Void
  ) -> Prepared {
    var building = SampleBuilding(
      ["Lobby", "Bar", "Room 103", "Room 201", "Room 202", "Room 203"], perFloor: 3)
    runs(&building)
    return Prepared(testDescription: name, report: building.report(), facts: facts, left: left)
  }

  /// A run that writes these rooms, and leaves the others to `body`.
  private static func run(
    _ building: inout SampleBuilding, day: Double, writing rooms: [Int],
    _ body: (inout SampleRun) -> Void = { _ in }
  ) {
    var run = SampleRun(building, day: day)
    run.survey(building.rooms)
    for room in rooms { run.write(building.rooms[room]) }
    body(&run)
    run.end(.incomplete)
    building.add(run)
  }

  private static let buildings = [
    prepared(
      "a device is gone, another one may not have saved",
      facts: [
        "Floor 1: 2 of 3 done, 1 unconfirmed", "Floor 2: 2 of 3 done, 1 missing",
        "Bar: unconfirmed since 2026-11-20", "Room 203: missing since 2026-11-21",
        "Lobby: done since 2026-11-20",
      ],
      left: [
        ##"unconfirmed since 2026-11-20: floor 1 <b><a href="#room-2"><bdi>Bar</bdi></a></b>. "##,
        ##"missing since 2026-11-21: floor 2 <b><a href="#room-6"><bdi>Room 203</bdi></a></b>. "##,
      ]
    ) { building in
      let rooms = building.rooms
      run(&building, day: 0, writing: [0, 2, 3, 4, 5]) {
        $0.write(rooms[1], failure: lost, outcome: .unconfirmed)
      }
      run(&building, day: 1, writing: []) {
        $0.finish(rooms[5], .unreachable, .neverReceived(searchSeconds: 15))
      }
    },
    prepared(
      "two runs failed, a floor was not tried, a room is accepted",
      facts: [
        "Floor 1: 1 of 3 done, 1 open, 1 accepted", "Floor 2: 0 of 3 done, 3 not tried",
        "Lobby: open since 2026-11-20", "Bar: accepted since 2026-11-20", "Room 201: not tried",
      ],
      left: [
        ##"open since 2026-11-20: floor 1 <b><a href="#room-1"><bdi>Lobby</bdi></a></b>. "##,
        ##"not tried: floor 2 <b><a href="#room-4"><bdi>Room 201</bdi></a></b>, "##,
      ]
    ) { building in
      let (rooms, first) = (building.rooms, Array(building.rooms.prefix(3)))
      for day in [0.0, 1] {
        var run = SampleRun(building, day: day, planned: first)
        run.survey(first)
        run.write(rooms[0], failure: .connectTimedOut(seconds: 3), outcome: .unreachable)
        if day == 0 { run.write(rooms[2]) }
        run.end(.incomplete)
        building.add(run)
        guard day == 0 else { continue }
        var accept = SampleRun(building, .accept, day: 0.3)
        accept.at(0.1, .roomAccepted(.init(room: "room-2", reason: "no power yet", by: "B")))
        accept.end(.complete)
        building.add(accept)
      }
    },
    prepared(
      "everything is done", facts: ["Floor 1: 3 of 3 done", "Floor 2: 3 of 3 done"], left: []
    ) { run(&$0, day: 0, writing: Array(0..<6)) },
  ]

  @Test("the page's text alternatives say what is left, where, and since when", arguments: buildings)
  func alternatives(_ building: Prepared) throws {
    let page = BuildingPage(building.report, times: .utc).text
    let texts = page.matches(of: #/(?:aria-label|title)="([^"]*)"/#).map { String($0.1) }
    for fact in building.facts { #expect(texts.contains(fact), "\(fact): \(texts)") }
    for sentence in building.left { #expect(page.contains(sentence), "\(sentence)") }
    #expect(page.contains("Nothing is left to do.") == building.left.isEmpty)
    #expect(page.contains("id=\"open\"") == !building.left.isEmpty)
  }

  @Test("a cell leads to its room, and has its number or the beginning of its name")
  func cells() throws {
    let grid = RoomGrid(SampleBuilding.varied().rooms)
    #expect(grid.floors.map(\.name) == ["3", "2", "1", nil])
    #expect(grid.floors.last?.cells.map(\.id) == ["room-37"] && grid.floors.last?.isInManifest == false)
    let html = grid.html(.utc).text
    for (floor, short) in [(2, "101"), (2, "1"), (2, "Küch")] {
      #expect(grid.floors[floor].cells.contains { $0.shortName == short }, "\(short)")
    }
    for cell in grid.floors.flatMap(\.cells) {
      #expect(
        html.contains("<a href=\"#room-\(cell.place)\" class=\"\(cell.mark.name)\" title=\"\(cell.name): "))
    }
  }

  @Test(
    "the number of a room is not cut",
    arguments: [
      ("Room 3.10", "3.10"), ("Room 3.17", "3.17"), ("B-17", "B-17"), ("Suite 12A", "12A"),
      ("Room 312", "312"),
      ("Room 123456", "23456"), ("Küche groß", "Küch"),
    ])
  func labels(name: String, label: String) {
    let room = PlannedRoom.sample("r", name, minor: 1)
    var script = RunScript()
    script.begin([room])
    #expect(RoomGrid(RunReport(script.events)).floors[0].cells[0].shortName == label)
  }

  @Test(
    "the highest floor is on top, in whichever order the manifest has them",
    arguments: [
      (["1", "2", "3"], ["3", "2", "1"]), (["3", "2", "1"], ["3", "2", "1"]),
      (["ground", "1", "2"], ["2", "1", "ground"]), (["ground", "1"], ["1", "ground"]),
      (["-1", "0"], ["0", "-1"]),
      (["North", "South"], ["North", "South"]), (["2", "1", "ground"], ["2", "1", "ground"]),
    ])
  func roof(floors: [String], shown: [String]) {
    var script = RunScript()
    script.begin(
      floors.enumerated().map { index, floor in
        var room = PlannedRoom.sample(RoomID(rawValue: "r\(index)"), "R\(index)", minor: UInt16(index + 1))
        room.floor = floor
        return room
      })
    #expect(RoomGrid(RunReport(script.events)).floors.map(\.name) == shown)
  }

  @Test("rooms of a floor that are in different groups are apart")
  func groups() {
    var script = RunScript()
    let groups = [nil, nil, "Suites", "Suites", nil]
    script.begin(
      groups.enumerated().map { index, group in
        var room = PlannedRoom.sample(RoomID(rawValue: "r\(index)"), "R\(index)", minor: UInt16(index + 1))
        (room.floor, room.group) = ("2", group)
        return room
      })
    let grid = RoomGrid(RunReport(script.events))
    #expect(grid.floors.map { $0.groups.map(\.count) } == [[2, 2, 1]])
    #expect(grid.html(.utc).text.components(separatedBy: "</a><i></i><a ").count == 3)
    #expect(GridView.rooms(grid, TerminalStyle(width: 80, hasColor: false)) == ["  2  0/5  ○○ ○○ ○"])
  }

  @Test("in a run in progress, a room is marked by what the run did with it so far")
  func live() throws {
    var script = RunScript()
    let rooms = ["done", "written", "working", "failed", "asked", "waiting"].enumerated().map {
      PlannedRoom.sample(
        RoomID(rawValue: $1), $1, minor: UInt16($0 + 1), address: .sensor(UInt64($0 + 1)))
    }
    script.begin(rooms)
    script.provision(rooms[0], .sensor(1))
    script.write(rooms[1], to: .sensor(2))
    script.append(.attemptStarted(.init(room: "working", address: .sensor(3), adapter: .first, number: 1)))
    script.end(rooms[3], .failed, .refused(stage: .save, deviceText: "error"))
    script.append(.operatorAwaited(.init(room: "asked", reason: .configuredOtherwise(99))))
    let events = script.events.map { event in
      var event = event
      if case .runStarted(var started) = event.fact {
        started.simulated = false
        event.fact = .runStarted(started)
      }
      return event
    }
    let run = RunReport(events)
    let marks: [RoomGrid.Mark] = [
      .state(.done), .state(.unconfirmed), .working, .state(.open), .state(.actionRequired), .state(.untried),
    ]
    #expect(RoomGrid(run).floors.flatMap(\.cells).map(\.mark) == marks)
    var building = SampleBuilding([])
    building.add(events)
    let report = building.report(
      .init(path: "b.yaml", sha256: "ab", rooms: rooms.wanted))
    #expect(RoomGrid(report.rooms, during: run).floors.flatMap(\.cells).map(\.mark) == marks)
    #expect(RoomGrid(report.rooms).floors.flatMap(\.cells).last?.mark == .state(.untried))
  }

  @Test("the grid has each room once and fits every width", arguments: [20, 40, 80, 200])
  func text(width: Int) {
    let rooms = SampleBuilding.large(rooms: 300, recalls: 0).rooms
    let lines = GridView.rooms(RoomGrid(rooms), TerminalStyle(width: width, hasColor: false))
    #expect(lines.allSatisfy { $0.columns <= width })
    for state in RoomStatus.Kind.allCases {
      let count = lines.joined().count { String($0) == state.symbol }
      #expect(count == rooms.count { $0.state == state }, "\(state)")
    }
    #expect(lines.count { $0.contains("/40") } == 7)
  }

  @Test("each floor of a run has a line, with a lighter part for what is not proved yet")
  func bars() throws {
    var script = RunScript()
    let rooms = (0..<40).map { index in
      var room = PlannedRoom.sample(
        RoomID(rawValue: "r\(index)"), "R\(index)", minor: UInt16(index + 1),
        address: .sensor(UInt64(index + 1)))
      room.floor = "\(index / 10 + 1)"
      return room
    }
    script.begin(rooms)
    for index in 0..<10 { script.provision(rooms[index], .sensor(UInt64(index + 1))) }
    for index in 10..<15 { script.provision(rooms[index], .sensor(UInt64(index + 1))) }
    for index in 15..<17 { script.write(rooms[index], to: .sensor(UInt64(index + 1))) }
    script.end(rooms[17], .failed, .refused(stage: .save, deviceText: "error"))
    let grid = RoomGrid(RunReport(script.events))
    let style = TerminalStyle(width: 80, hasColor: false)
    #expect(
      GridView.bars(grid, style, most: 9) == [
        "4 ░░░░░░░░░░░░░░░░░░░░ 0/10", "3 ░░░░░░░░░░░░░░░░░░░░ 0/10", "2 ██████████▒▒▒▒░░░░░░ 5/10 ✗1",
        "1 ████████████████████ 10/10",
      ])
    // The floor at work comes first when there is no space for all.
    #expect(
      GridView.bars(grid, style, most: 2) == ["2 ██████████▒▒▒▒░░░░░░ 5/10 ✗1", "… and 3 more floors 10/30"])
    var view = ProgressView()
    for event in script.events { view.apply(event) }
    #expect(view.live(at: .seconds(9), style: style).contains("2 ██████████▒▒▒▒░░░░░░ 5/10 ✗1"))
    #expect(GridView.bars(RoomGrid(RunReport(RunScript.mixed.events)), style, most: 9).isEmpty)
  }
}
