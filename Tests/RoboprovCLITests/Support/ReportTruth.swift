import Application
import Bluetooth
import Foundation
import FoundationXML
import Host
import Model
import Reporting
import Simulation
import SampleFacts
import Testing
import VirtualBuilding

@testable import Application
@testable import RoboprovCLI

/// Compares each line of a laptop's reports with the devices, and with what was done at the site.
struct ReportTruth {
  private let site: VirtualSite
  private let laptop: VirtualSite.Laptop
  private let devices: [BluetoothAddress: VirtualSite.Device]
  private let report: JSON
  /// The laptop's runs, each after those that it knows.
  private let runs: [String]
  private let place: Comment

  /// Checks all reports of a laptop.
  /// - Parameter states: the state that each room has to have.
  static func expect(
    _ states: [String], in site: VirtualSite, _ laptop: VirtualSite.Laptop, _ day: String
  ) async throws {
    let truth = try await ReportTruth(site, laptop, "\(laptop.name), \(day)")
    #expect(truth.report["rooms"].items.map { $0["state"].text } == states, "\(day)")
    try truth.expectBuilding()
    try truth.expectCSV()
    try truth.expectPage()
    try truth.expectJUnit()
    try truth.expectStatus()
    for run in truth.runs where site.episodes[run]?.command == .apply { try truth.expectRun(run) }
  }

  private init(_ site: VirtualSite, _ laptop: VirtualSite.Laptop, _ place: String) async throws {
    (self.site, self.laptop, self.place) = (site, laptop, Comment(rawValue: place))
    devices = await site.devices()
    report = try #require(JSON(try Self.text("building.json", site.folder(laptop))))
    runs = report["runs"].items.compactMap { $0["id"].text }
  }

  private static func text(_ name: String, _ folder: String) throws -> String {
    try String(contentsOf: URL(filePath: "\(folder)/\(name)"), encoding: .utf8)
  }

  private func text(_ name: String) throws -> String { try Self.text(name, site.folder(laptop)) }

  private func episode(_ run: String?) throws -> VirtualSite.Episode {
    try #require(run.flatMap { site.episodes[$0] }, "\(place): run \(run ?? "–") was not done")
  }

  /// The room's device by the manifest: the devices do not change rooms here.
  private func address(_ room: Room) throws -> BluetoothAddress { try #require(room.address) }

  private func holds(_ device: VirtualSite.Device?, _ room: Room) -> Bool {
    FirmwareFamily.roboSensor.holds(device?.flash, room)
  }

  private func expect(
    _ isTrue: Bool, _ what: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(isTrue, "\(place): \(what())", sourceLocation: sourceLocation)
  }

  /// Checks that a time is within a run, by the clock of its laptop.
  private func expect(_ time: String?, in run: String?, _ what: String) throws {
    let time = try #require(time.flatMap(RunEvent.time), "\(place): \(what) has no time")
    let times = try episode(run).times
    // Times in the record are rounded to the millisecond.
    let range = times.lowerBound.addingTimeInterval(-0.001)...times.upperBound.addingTimeInterval(0.001)
    expect(range.contains(time), "\(what) at \(time), and run \(run ?? "–") was at \(times)")
  }

  // MARK: building.json

  private func expectBuilding() throws {
    let rooms = report["rooms"].items
    #expect(rooms.count == site.source.building.rooms.count, place)
    for (room, wanted) in zip(rooms, site.source.building.rooms) {
      #expect(room["id"].text == wanted.id.rawValue && room["room"].text == wanted.name, place)
      try expectState(room, wanted)
      try expectSettings(room["settings"], of: wanted)
      for run in room["runs"].items { try expectRunOf(room, run) }
    }
    let states = rooms.compactMap { $0["state"].text }
    for state in RoomStatus.Kind.allCases {
      #expect(
        report["summary"][state.rawValue].integer == states.count { $0 == state.rawValue }, place)
    }
    let isDone = states.allSatisfy { ["done", "accepted", "retired"].contains($0) }
    #expect(report["summary"]["complete"].flag == isDone, place)
    for run in report["runs"].items {
      let episode = try episode(run["id"].text)
      #expect(run["command"].text == episode.command.rawValue, place)
      #expect(run["operator"].text == episode.laptop.person && run["host"].text == episode.laptop.name, place)
      try expect(run["started"].text, in: run["id"].text, "the start of a run")
      let found = rooms.flatMap { $0["runs"].items }.filter { $0["run"].text == run["id"].text }
      if episode.command == .apply {
        let done = found.count { ($0["outcome"].text ?? "").contains("provisioned") }
        #expect(run["rooms_done"].integer == done, place)
      }
    }
  }

  private func expectState(_ room: JSON, _ wanted: Room) throws {
    let name = wanted.name
    let address = try address(wanted)
    let device = devices[address]
    #expect(room["devices"].items.map(\.text) == [address.description], place)
    switch room["state"].text {
    case "done":
      expect(holds(device, wanted), "\(name) is done, and its device holds something else")
      expect(!room["evidence"].isNull, "\(name) is done without evidence")
    case "missing":
      expect(device?.isOnAir == false, "\(name) is missing, and its device is on air")
      let since = room["missing_since"].text
      // Here each absence is found by a check; a run that does not select the room does not search.
      let finder = runs.first {
        site.episodes[$0]?.command == .verify && site.episodes[$0]?.before[address]?.isOnAir == false
      }
      try expect(since, in: finder, "\(name) missing")
    case "unconfirmed", "open", "changed", "conflicting", "action_required":
      expect(!room["reason"].isNull && !room["advice"].isNull, "\(name) has no reason")
    case "accepted":
      let acceptance = try #require(room["acceptances"].items.last)
      let episode = try episode(acceptance["run"].text)
      expect(episode.command == .accept && acceptance["by"].text == episode.laptop.person, "\(name) accepted")
    default: expect(false, "\(name) is \(room["state"].text ?? "–")")
    }
    #expect(room["missing_since"].isNull == (room["state"].text != "missing"), place)
    if !room["evidence"].isNull { try expectEvidence(room["evidence"], of: wanted) }
    if !room["verification"].isNull { try expectCheck(room["verification"], of: wanted) }
    let last = runs.last { site.episodes[$0]?.command == .verify }
    #expect(room["verification"]["run"].text == last, place)
  }

  private func expectEvidence(_ evidence: JSON, of room: Room) throws {
    let episode = try episode(evidence["run"].text)
    try expect(evidence["seen_at"].text, in: evidence["run"].text, "the evidence of \(room.name)")
    let device = episode.after[try address(room)]
    expect(
      evidence["identity"].minor == device?.minor.map(Int.init) && device?.minor == room.minor,
      "the beacon of \(room.name) was not on air in run \(evidence["run"].text ?? "–")")
  }

  private func expectCheck(_ check: JSON, of room: Room) throws {
    let device = try episode(check["run"].text).before[try address(room)]
    let truth = device?.isOnAir != true ? "missing" : device?.minor == room.minor ? "on_air" : "waiting"
    expect(check["finding"].text == truth, "the check of \(room.name): \(check["finding"].text ?? "–")")
    try expect(check["at"].text, in: check["run"].text, "the check of \(room.name)")
  }

  /// Each setting that the report calls acknowledged or proved is in the device's memory.
  private func expectSettings(_ settings: JSON, of room: Room) throws {
    let flash = devices[try address(room)]?.flash
    #expect(settings.count == room.settings.count, place)
    for setting in settings.items where ["acknowledged", "proved"].contains(setting["state"].text) {
      let name = try #require(setting["name"].text)
      // What the firmware determines is received, and never written.
      guard !["beacon_uuid", "beacon_major"].contains(name) else { continue }
      let run = setting["run"].text
      try expect(setting["at"].text, in: run, "\(name) of \(room.name)")
      let then = try #require(try episode(run).room(room.id.rawValue))
      expect(
        flash?.values[name] == FirmwareFamily.roboSensor.flash(of: then)[name],
        "\(name) of \(room.name) is not in its device")
      if name == "minor" {
        #expect(setting["value"].text == flash?.minor.map { "\($0)" }, place)
      } else {
        #expect(setting["value"].text == (name == "wifi_password" ? nil : flash?.text(name)), place)
      }
    }
  }

  // MARK: What a run did

  private func expectRunOf(_ room: JSON, _ run: JSON) throws {
    try expect(run["started"].text, in: run["run"].text, "a run")
    try expect(
      run["outcome"].text, attempts: run["attempts"].integer, of: try #require(room["id"].text),
      in: run["run"].text)
  }

  /// Compares an outcome of a run with the devices before and after it.
  private func expect(_ outcome: String?, attempts: Int?, of id: String, in run: String?) throws {
    let episode = try episode(run)
    let room = try #require(episode.room(id))
    let address = try address(room)
    let what = "\(room.name) is \(outcome ?? "–") in run \(run ?? "–")"
    let (before, after) = (episode.before[address], episode.after[address])
    let wasWritten = episode.written.contains(address)
    switch outcome {
    case "provisioned", "provisioned_after_retry":
      expect(wasWritten && holds(after, room) && after?.minor == room.minor, what)
    case "already_provisioned": expect(!wasWritten && holds(before, room), what)
    case "unreachable": expect(!wasWritten && before?.isOnAir == false, what)
    case "action_required": expect(!wasWritten && before?.minor == room.minor && !holds(before, room), what)
    case "unconfirmed": expect(!holds(after, room), what)
    case "skipped": expect(!wasWritten, what)
    default: expect(false, what)
    }
    expect(attempts == episode.attempts[address], "\(what), with \(attempts ?? -1) attempts")
  }

  /// The reports of one run.
  private func expectRun(_ run: String) throws {
    let document = try #require(JSON(try text("\(run)/report.json")))
    let rows = try rows("\(run)/report.csv")
    let episode = try episode(run)
    for (index, room) in document["rooms"].items.enumerated() {
      let id = try #require(room["id"].text)
      let wanted = try #require(episode.room(id))
      let outcome = room["outcome"].text
      try expect(outcome, attempts: room["attempts"].integer, of: id, in: run)
      let flash = episode.after[try address(wanted)]?.flash
      if outcome != "skipped" {
        for setting in room["settings"].items
        where ["acknowledged", "proved"].contains(setting["state"].text) {
          let name = try #require(setting["name"].text)
          expect(
            flash?.values[name] == FirmwareFamily.roboSensor.flash(of: wanted)[name],
            "\(name) of \(wanted.name) after run \(run)")
        }
      }
      if room["evidence"]["seen_in_this_run"].flag == true {
        #expect(episode.after[try address(wanted)]?.minor == wanted.minor, place)
      }
      let skipped = room["exclusion"]["cause"].text.map { $0 == "deselected" ? "not_selected" : $0 }
      #expect(rows[index]["id"] == id && rows[index]["outcome"] == skipped ?? outcome, place)
      #expect(rows[index]["attempts"] == "\(room["attempts"].integer ?? -1)", place)
      #expect(rows[index]["proved_in"] == room["evidence"]["run"].text ?? "", place)
      guard outcome != "skipped" else { continue }
      let log = try text("\(run)/devices/\(id).log")
      let words = try #require(outcome).replacing("_", with: " ")
      expect(log.contains("Outcome    \(words)\n"), "the log of \(wanted.name) in run \(run)")
      expect(
        log.contains("Attempts   \(episode.attempts[try address(wanted)] ?? 0), in "),
        "the attempts in the log of \(wanted.name) in run \(run)")
    }
  }

  // MARK: Other formats

  private func rows(_ name: String) throws -> [[String: String]] {
    let text = try text(name)
    // The quoted cells of this building contain a semicolon, no comma and no quote.
    try #require(!text.split(separator: "\"").enumerated().contains { $0 % 2 == 1 && $1.contains(",") })
    let lines = text.replacing("\"", with: "").drop { $0 == "\u{FEFF}" }.split(separator: "\r\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    return lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(lines[0], $0)) }
  }

  private func expectCSV() throws {
    for (row, (room, wanted)) in zip(
      try rows("building.csv"), zip(report["rooms"].items, site.source.building.rooms))
    {
      let address = try address(wanted)
      // Which of two runs wrote last is not known if neither knew the other.
      let unordered = room["unordered_runs"].items.compactMap(\.text)
      let writer =
        unordered.first { $0 == row["provisioned_in"] }
        ?? runs.last { site.episodes[$0]?.written.contains(address) == true }
      let attempts = runs.reduce(0) { $0 + (site.episodes[$1]?.attempts[address] ?? 0) }
      let expected: [String: String?] = [
        "room": wanted.name, "identity": wanted.minor.map { "minor \($0)" },
        "state": room["state"].text,
        "address": address.description, "attempts": "\(attempts)", "provisioned_in": writer,
        "provisioned_by": writer.flatMap { site.episodes[$0]?.laptop.person },
        "last_received": room["evidence"]["seen_at"].text, "proved_in": room["evidence"]["run"].text,
        "last_checked": room["verification"]["at"].text, "check_result": room["verification"]["finding"].text,
        "missing_since": room["missing_since"].text, "reason_code": room["reason_code"].text,
        "accepted_by": room["state"].text == "accepted" ? room["acceptances"].items.last?["by"].text : nil,
      ]
      for (column, value) in expected.sorted(by: { $0.key < $1.key }) {
        expect(row[column] == value ?? "", "\(column) of \(wanted.name) is \(row[column] ?? "not there")")
      }
      try expect(row["provisioned_on"], in: writer, "provisioned_on of \(wanted.name)")
      for state in SettingState.allCases {
        let names = room["settings"].items.filter { $0["state"].text == state.rawValue }.compactMap {
          $0["name"].text
        }
        #expect(row["settings_\(state.rawValue)"] == names.joined(separator: " "), place)
      }
    }
  }

  private func expectPage() throws {
    let page = try text("building.html")
    let rooms = report["rooms"].items
    func count(_ state: String) -> Int { rooms.count { $0["state"].text == state } }
    for (index, room) in rooms.enumerated() {
      let state = room["state"].text ?? "–"
      expect(
        page.contains("<tbody id=\"room-\(index + 1)\" data-state=\"\(state)\">"), "the page's row \(index)")
    }
    let verdict =
      count("done") == rooms.count
      ? "All \(rooms.count) rooms done" : "\(count("done")) of \(rooms.count) rooms done"
    expect(page.contains("<strong>\(verdict)</strong>"), "the page's verdict")
    guard let check = runs.last(where: { site.episodes[$0]?.command == .verify }) else { return }
    let episode = try episode(check)
    let found = episode.rooms.count { room in
      room.address.map { episode.before[$0]?.minor == room.minor } ?? false
    }
    let times = LocalTime.here
    let day = times.day(episode.times.upperBound)
    let missing = rooms.compactMap { $0["missing_since"].text.flatMap(RunEvent.time) }.min()
    let words = missing.map { " · \(count("missing")) missing since \(times.day($0))" } ?? ""
    expect(page.contains("<br>\(found) received on \(day)\(words)</p>"), "the page's last check")
  }

  private func expectJUnit() throws {
    let text = try text("junit.xml")
    let suite = try #require(
      try XMLDocument(xmlString: text).rootElement()?.elements(forName: "testsuite").first)
    for (room, test) in zip(report["rooms"].items, suite.elements(forName: "testcase")) {
      let state = room["state"].text
      let outcome = room["runs"].items.last?["outcome"].text
      let expected =
        switch state {
        case "done": nil as String?
        case "accepted": "skipped"
        case "missing": "error"
        case "open" where outcome == "unreachable": "error"
        default: "failure"
        }
      let found = ["failure", "error", "skipped"].first { !test.elements(forName: $0).isEmpty }
      #expect(found == expected, "\(place): \(room["room"].text ?? "–")")
    }
  }

  private func expectStatus() throws {
    let building = try site.report(laptop)
    let lines = StatusView.lines(
      building, olderThan: nil, next: nil, style: TerminalStyle(width: 1000, hasColor: false))
    let rooms = report["rooms"].items
    let done = rooms.count { $0["state"].text == "done" }
    #expect(
      lines[0]
        == (done == rooms.count
          ? "House: All \(done) rooms done" : "House: \(done) of \(rooms.count) rooms done"),
      place)
    for state in ["missing", "unconfirmed", "accepted"] {
      let count = rooms.count { $0["state"].text == state }
      expect(count == 0 || lines[1].contains("\(count) \(state)"), "\(lines[1])")
    }
    for room in rooms {
      let name = room["room"].text ?? "–"
      let isOpen = !["done", "accepted", "retired"].contains(room["state"].text)
      let isNamed = lines.dropFirst(2).contains { $0.contains(name) && !$0.contains("accepted by") }
      expect(isOpen == isNamed, "status and \(name): \(lines)")
    }
    #expect(building.isDone == report["summary"]["complete"].flag, place)
  }
}
