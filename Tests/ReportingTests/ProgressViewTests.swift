import Bluetooth
import Model
import RecordedText
import SampleFacts
import Testing

@testable import Reporting

@Suite("Progress on a terminal")
struct ProgressViewTests {
  private static let sizes = [20, 25, 39, 40, 60, 80, 120, 300].flatMap { width in
    [4, 10, 24, 60].map { (width, $0) }
  }

  @Test("the progress of a whole run matches its snapshot", arguments: [20, 40, 80])
  func snapshot(width: Int) throws {
    let style = TerminalStyle(width: width, hasColor: false)
    var view = ProgressView()
    var text = ""
    var drawn: [String] = []
    for event in RunScript.mixed.events {
      view.apply(event)
      for line in view.finished(event, style: style) { text += line + "\n" }
      let lines = view.live(at: event.elapsed + .seconds(1.5), style: style)
      if lines != drawn { for line in lines { text += "    | " + line + "\n" } }
      drawn = lines
    }
    try expectSnapshot(text, "progress-\(width).txt")
  }

  @Test("an excluded room does not count, even if the record has its end")
  func excluded() throws {
    var script = RunScript()
    var left = PlannedRoom.sample("a", "Attic", minor: 1, address: .sensor(1))
    left.exclusion = Exclusion(.accepted, reason: "no power yet", by: "M. Muster")
    script.begin([left, .sample("b", "Bar", minor: 2, address: .sensor(2))])
    var view = ProgressView()
    for room in ["a", "b"] as [RoomID] {
      script.append(.roomFinished(.init(room: room, outcome: .failed, attempts: 1, seconds: 1, settings: [])))
    }
    for event in script.events { view.apply(event) }
    let lines = view.live(at: .seconds(1), style: TerminalStyle(width: 80, hasColor: false))
    #expect(view.report.tally.ended == 1)
    #expect(lines.contains { $0.contains("0/1 done · 1 failed") }, "\(lines)")
  }

  @Test("once only devices are left that accept no connection, the panel says that Ctrl-C loses nothing")
  func onlySilent() {
    var script = RunScript()
    let rooms = (1...3).map { PlannedRoom.sample(RoomID(rawValue: "r\($0)"), "\($0)", minor: UInt16($0)) }
    script.begin(rooms)
    func banner() -> String? {
      var view = ProgressView()
      for event in script.events { view.apply(event) }
      return view.live(at: .seconds(60), style: TerminalStyle(width: 80, hasColor: false)).first {
        $0.contains("Ctrl-C loses")
      }
    }
    func attempt(_ room: RoomID, _ number: Int, _ stages: [Stage], notCounted: AttemptExemption? = nil) {
      script.append(.attemptStarted(.init(room: room, address: .sensor(1), adapter: .first, number: number)))
      for stage in stages {
        script.append(.stageStarted(.init(room: room, attempt: number, stage: stage, timeout: 3)))
      }
      script.append(
        .attemptEnded(
          .init(
            room: room, number: number, seconds: 3, failure: .connectFailed(FailedStep(.connect)),
            notCounted: notCounted)))
    }
    attempt("r1", 1, [.connect])
    attempt("r2", 1, [.connect, .discover])
    #expect(banner() == nil)
    script.end(rooms[2], .provisioned, nil)
    #expect(banner() == nil, "the second accepted a connection")
    script.end(rooms[1], .failed, .connectFailed(FailedStep(.connect)))
    #expect(banner() == "Left: 1 device that accepts no connection. Ctrl-C loses nothing")
    attempt("r1", 2, [.connect])
    #expect(banner() != nil)
    attempt("r1", 3, [.connect, .discover])
    #expect(banner() == nil, "it was slow")

    script = RunScript()
    script.begin([rooms[0]])
    attempt("r1", 1, [.connect], notCounted: .hostLost)
    #expect(banner() == nil, "the adapter was lost, which says nothing of the device")
  }

  @Test("rooms that end because no adapter receives anything are counted in one line")
  func deaf() {
    var script = RunScript()
    let rooms = (1...12).map { PlannedRoom.sample(RoomID(rawValue: "r\($0)"), "\($0)", minor: UInt16($0)) }
    script.begin(rooms)
    for room in rooms { script.end(room, .unreachable, .adapterDeaf) }
    script.append(.runFinished(.init(outcome: .incomplete)))
    var view = ProgressView()
    let style = TerminalStyle(width: 80, hasColor: false)
    var (lines, plain): ([String], [String]) = ([], [])
    for event in script.events {
      view.apply(event)
      lines += view.finished(event, style: style)
      plain += view.plain(event)
    }
    #expect(lines.filter { $0.contains("✗") } == ["✗ 12 rooms: unreachable"])
    #expect(plain.count { $0.contains("✗") } == 1)
  }

  @Test(
    "an attempt that ends later than its time limit shows the limit", arguments: [(2, "2/3 s"), (4, "3/3 s")])
  func clampedTime(seconds: Int, time: String) throws {
    var script = RunScript()
    let room = PlannedRoom.sample("a", "Attic", minor: 1, address: .sensor(1))
    script.begin([room])
    script.append(
      .attemptStarted(.init(room: "a", address: .sensor(1), adapter: .first, number: 1)), after: 0)
    script.append(.stageStarted(.init(room: "a", attempt: 1, stage: .connect, timeout: 3)), after: 0)
    var view = ProgressView()
    for event in script.events { view.apply(event) }
    let elapsed = try #require(script.events.last).elapsed + .seconds(seconds)
    let lines = view.live(at: elapsed, style: TerminalStyle(width: 80, hasColor: false))
    #expect(lines.contains { $0.contains(" \(time)") }, "\(lines)")
  }

  @Test("the rest of a run whose proofs come together at its end is neither far too long nor too short")
  func estimate() throws {
    var script = RunScript()
    let ids = (1...20).map { RoomID(rawValue: "r\($0)") }
    script.begin(
      ids.enumerated().map {
        PlannedRoom.sample($1, $1.rawValue, minor: UInt16($0 + 1), address: .sensor(UInt64($0 + 1)))
      })
    var view = ProgressView()
    // Half of them are written; the others take 10 s more, and the last proof comes some seconds after that.
    for (number, id) in ids.prefix(10).enumerated() {
      let address = BluetoothAddress.sensor(UInt64(number + 1))
      script.append(
        .attemptStarted(.init(room: id, address: address, adapter: .first, number: 1)), after: 0)
      script.append(.saveSubmitted(.init(room: id, attempt: 1, address: address)), after: 1)
    }
    script.append(.operatorRequested(.init(.pause)), after: 0)
    for event in script.events.dropLast() { view.apply(event) }
    let now = try #require(script.events.last).elapsed
    let rest = try #require(view.estimate(at: now))
    #expect((.seconds(14)...(.seconds(21))).contains(rest), "\(rest)")
    view.apply(script.events[script.events.count - 1])
    #expect(view.estimate(at: now) == nil, "a pause is no measure")
  }

  /// A hotel in the middle of its run: rooms in all stages, failures, a pause.
  private static func hotel() -> RunScript {
    var script = RunScript()
    let rooms = (1...300).map {
      PlannedRoom.sample(
        RoomID(rawValue: "r\($0)"), "\($0)", minor: UInt16($0), address: .sensor(UInt64($0)), wifi: "Hotel")
    }
    let second = AdapterID(BluetoothAddress(rawValue: 0x001A_7DDA_7102))
    script.begin(rooms, name: "Hotel Bellevue")
    script.append(.adapterSelected(.init(adapter: .first, name: "hci0", alias: "east", slots: 5)))
    script.append(.adapterSelected(.init(adapter: second, name: "hci1", slots: 5)))
    for (index, room) in rooms[..<33].enumerated() { script.provision(room, .sensor(UInt64(index + 1))) }
    script.end(rooms[40], .unreachable, .neverReceived())
    script.end(rooms[41], .failed, .refused(stage: .save, deviceText: "error:flash"))
    script.append(.operatorAwaited(.init(room: rooms[42].room, reason: .configuredOtherwise(99))))
    for (index, room) in rooms[50..<58].enumerated() {
      let address = BluetoothAddress.sensor(UInt64(index + 51))
      let adapter = index % 2 == 0 ? AdapterID.first : second
      script.append(
        .attemptStarted(
          .init(
            room: room.room, address: address, adapter: adapter, number: index == 3 ? 2 : 1,
            rssi: -60 - index)),
        after: 0)
      script.append(.stageStarted(.init(room: room.room, attempt: 1, stage: .connect, timeout: 15)), after: 0)
      if index > 1 {
        script.append(
          .stageStarted(.init(room: room.room, attempt: 1, stage: .write, setting: .minor, timeout: 10)),
          after: 0)
      }
      if index > 4 {
        script.append(.saveSubmitted(.init(room: room.room, attempt: 1, address: address)), after: 0)
        script.append(
          .linkEnded(.init(room: room.room, attempt: 1, cause: .remote, expected: true)), after: 0)
        script.append(
          .stageStarted(.init(room: room.room, attempt: 1, stage: .verify, timeout: 30)), after: 0)
      }
    }
    script.append(.scanStarted(.init(adapter: second, purpose: .proof)))
    return script
  }

  @Test(
    "the panel of a hotel matches its snapshot at each terminal size",
    arguments: [(40, 20), (80, 24), (200, 50), (80, 8)])
  func panel(width: Int, height: Int) throws {
    var view = ProgressView()
    view.hasKeys = true
    let script = Self.hotel()
    for event in script.events { view.apply(event) }
    let style = TerminalStyle(width: width, height: height, hasColor: false)
    let elapsed = try #require(script.events.last).elapsed + .seconds(3)
    var text = ""
    func show(_ title: String) {
      text += "--- \(title)\n" + view.live(at: elapsed, style: style).map { $0 + "\n" }.joined()
    }
    show("working")
    view.isShowingHelp = true
    show("help")
    view.isShowingHelp = false
    var later = script
    later.append(.operatorRequested(.init(.pause)), after: 0)
    view.apply(try #require(later.events.last))
    show("paused")
    view.noteStop()
    show("stopping")
    try expectSnapshot(text, "panel-\(width)x\(height).txt")
  }

  @Test("the panel shows every device in progress with its stage")
  func activeRooms() throws {
    var view = ProgressView()
    for event in Self.hotel().events { view.apply(event) }
    let elapsed = try #require(Self.hotel().events.last).elapsed
    let lines = view.live(at: elapsed, style: TerminalStyle(width: 80, height: 40, hasColor: false))
    for room in 51...58 { #expect(lines.contains { $0.hasPrefix("  \(room) ") }, "\(room): \(lines)") }
    #expect(lines.contains { $0.contains("33/300 done") && $0.contains("3 written") }, "\(lines)")
  }

  @Test("a room without attempts left stays visible in a watching run until its next attempt")
  func exhausted() throws {
    var script = RunScript()
    let room = PlannedRoom.sample("a", "Attic", minor: 1, address: .sensor(1))
    script.begin([room])
    script.append(.attemptStarted(.init(room: "a", address: .sensor(1), adapter: .first, number: 1)))
    script.append(
      .attemptEnded(.init(room: "a", number: 1, seconds: 1, failure: .linkLost(FailedStep(.write)))))
    var view = ProgressView()
    for event in script.events { view.apply(event) }
    let style = TerminalStyle(width: 80, hasColor: false)
    func isShown() -> Bool {
      view.live(at: .seconds(9), style: style).contains { $0.hasPrefix("! Attic: no attempts left") }
    }
    #expect(isShown())
    script.append(.attemptStarted(.init(room: "a", address: .sensor(1), adapter: .first, number: 2)))
    view.apply(try #require(script.events.last))
    #expect(!isShown())
  }

  @Test("a record in which a room ends twice, or was not announced, is shown")
  func oddRecord() throws {
    var script = RunScript()
    let rooms = [PlannedRoom.sample("a", "Attic", minor: 1), PlannedRoom.sample("b", "Bar", minor: 2)]
    script.begin([rooms[0]])
    for outcome in [Outcome.failed, .failed, .provisioned] { script.end(rooms[0], outcome, nil) }
    script.end(rooms[1], .failed, nil)
    var view = ProgressView()
    for event in script.events { view.apply(event) }
    let lines = view.live(at: .seconds(1), style: TerminalStyle(width: 80, hasColor: false))
    #expect(lines.contains { $0.contains("1/2 done · 1 failed") }, "\(lines)")
  }

  @Test("the panel names the rooms that a scan is for after the first attempts")
  func scanning() throws {
    var script = RunScript()
    script.begin([
      PlannedRoom.sample("a", "Attic", minor: 1, address: .sensor(1)),
      PlannedRoom.sample("b", "Bar", minor: 2, address: .sensor(2)),
      PlannedRoom.sample("c", "Cellar", minor: 3, address: .sensor(3)),
    ])
    script.append(.adapterSelected(.init(adapter: .first, name: "hci0")))
    script.append(.scanStarted(.init(adapter: .first, purpose: .survey)))
    var view = ProgressView()
    for event in script.events { view.apply(event) }
    let style = TerminalStyle(width: 80, hasColor: false)
    func lines() -> [String] { view.live(at: .seconds(1), style: style) }
    #expect(lines().contains("  Scanning for devices"))
    let shown = script.events.count
    script.end(
      PlannedRoom.sample("c", "Cellar", minor: 3, address: .sensor(3)), .failed, .linkLost(FailedStep(.write))
    )
    for event in script.events.dropFirst(shown) { view.apply(event) }
    #expect(lines().contains("  Scanning for Attic and 1 more"), "\(lines())")
  }

  @Test(
    "a scan by another program is shown during the run and in the summary",
    arguments: [
      ([], " scans", "Close it (for example a Bluetooth settings window, or bluetoothctl)"),
      (["bluetoothctl (pid 812)"], ", bluetoothctl (pid 812), scans", "Close it"),
      (["a (pid 1)", "b\n (pid 2)"], ", a (pid 1) or b\\n (pid 2), scans", "Close it (for example a"),
    ])
  func foreignScan(clients: [String], program: String, advice: String) throws {
    var script = RunScript()
    script.begin([PlannedRoom.sample("a", "Attic", minor: 1, address: .sensor(1))])
    script.append(.foreignScanDetected(.init(adapter: .first, clients: clients)))
    var view = ProgressView()
    for event in script.events { view.apply(event) }
    let event = try #require(script.events.last)
    let plain = view.plain(event).joined()
    #expect(
      plain.contains(
        "Another program\(program) with hci0: each connection takes up to 10 s longer. \(advice)"))
    let style = TerminalStyle(width: 40, hasColor: false)
    let lines = view.finished(event, style: style)
    #expect(lines.count > 1 && lines.allSatisfy { $0.columns <= 40 })
    let summary = SummaryView.lines(RunReport(script.events), reports: nil, style: style)
    #expect(summary.joined(separator: " ").contains("scans with hci0:"))
    #expect(JSONReport.text(RunReport(script.events)).contains("\"foreign_scans\": ["))
  }

  @Test("progress without a terminal has a line for each important event")
  func plain() throws {
    var view = ProgressView()
    var text = ""
    for event in RunScript.mixed.events {
      view.apply(event)
      for line in view.plain(event) { text += line + "\n" }
    }
    try expectSnapshot(text, "progress-plain.txt")
  }

  @Test("the summary matches its snapshot", arguments: [20, 80])
  func summary(width: Int) throws {
    let lines = SummaryView.lines(
      RunReport(RunScript.mixed.events), reports: "reports/demo-building/20261121T090000Z-laptop-7f3a",
      style: TerminalStyle(width: width, hasColor: false))
    try expectSnapshot(lines.map { $0 + "\n" }.joined(), "summary-\(width).txt")
  }

  @Test("no room name makes a line too wide or controls the terminal", arguments: Hostile.texts)
  func hostile(name: String) {
    var script = RunScript()
    let rooms = [
      PlannedRoom.sample("a", name + name + name, minor: 1, address: .sensor(1)),
      PlannedRoom.sample("b", name, minor: 2, address: .sensor(2)),
    ]
    script.begin(rooms, name: name)
    script.append(.adapterAwaited(.init(problem: .blocked, adapter: name, seconds: 30)))
    script.append(.adapterSelected(.init(adapter: .first, name: name, stack: name)))
    script.provision(rooms[0], .sensor(1))
    script.append(.attemptStarted(.init(room: "b", address: .sensor(2), adapter: .first, number: 2)))
    script.append(
      .stageStarted(.init(room: "b", attempt: 1, stage: .write, setting: .init(rawValue: name), timeout: 9)))
    script.end(rooms[1], .failed, .refused(stage: .save, deviceText: name))
    script.append(.runInterrupted(.init(cause: .stack, detail: name)))
    for (width, height) in Self.sizes {
      let style = TerminalStyle(width: width, height: height, hasColor: false)
      var view = ProgressView()
      for event in script.events {
        view.apply(event)
        let live = view.live(at: event.elapsed, style: style)
        #expect((1...max(3, height * 2 / 3)).contains(live.count), "\(live)")
        for line in live + view.finished(event, style: style) {
          #expect(line.columns <= width, "\(width): \(line)")
          #expect(line.visible == line)
        }
        for line in view.plain(event) { #expect(line.visible == line) }
      }
      for line in SummaryView.lines(view.report, reports: nil, style: style) {
        #expect(line.columns <= width, "\(width): \(line)")
        #expect(line.visible == line)
      }
    }
  }

  @Test("colours do not change the text")
  func colors() {
    let plain = TerminalStyle(width: 80, hasColor: false)
    let colored = TerminalStyle(width: 80, hasColor: true)
    var view = ProgressView()
    var escapes = 0
    for event in RunScript.mixed.events {
      view.apply(event)
      let lines = view.finished(event, style: colored)
      escapes += lines.count { $0.contains("\u{1B}[") }
      #expect(lines.map(\.withoutStyles) == view.finished(event, style: plain))
      #expect(
        view.live(at: event.elapsed, style: colored).map(\.withoutStyles)
          == view.live(at: event.elapsed, style: plain))
    }
    #expect(escapes >= 4)
    let summary = SummaryView.lines(view.report, reports: "r", style: colored)
    #expect(summary.contains { $0.contains("\u{1B}[31m") })
    #expect(summary.map(\.withoutStyles) == SummaryView.lines(view.report, reports: "r", style: plain))
  }

  @Test("nothing is drawn before and after a run")
  func silent() {
    var view = ProgressView()
    let style = TerminalStyle(width: 80, hasColor: true)
    #expect(view.live(at: .zero, style: style) == [])
    for event in RunScript.mixed.events { view.apply(event) }
    #expect(view.live(at: .seconds(99), style: style) == [])
  }

  /// Reasons of runs whose adapter another run uses, or that lost the adapter or the stack.
  static let hostReasons: [(InterruptionCause, FailureReason)] = [
    (.claimed, .adapterClaimed(holder: "hci0: process 7, run r")),
    (.stack, .stackLost(.idle())), (.adapter, .adapterLost(.idle())),
    (.plan, .planOutdated),
  ]

  @Test("a failure of the host is reported once for all rooms", arguments: hostReasons)
  func once(cause: InterruptionCause, reason: FailureReason) throws {
    var script = RunScript()
    let rooms = (1...40).map {
      PlannedRoom.sample(
        RoomID(rawValue: "r\($0)"), "Room \($0)", minor: $0, address: .sensor(UInt64($0)))
    }
    script.begin(rooms)
    script.provision(rooms[0], .sensor(1))
    script.append(.runInterrupted(.init(cause: cause)))
    for room in rooms.dropFirst() { script.end(room, .pending, reason) }
    script.append(.runFinished(.init(outcome: .aborted)))
    let style = TerminalStyle(width: 80, hasColor: false)
    var view = ProgressView()
    var (drawn, plain): ([String], [String]) = ([], [])
    for event in script.events {
      view.apply(event)
      drawn += view.finished(event, style: style)
      plain += view.plain(event)
    }
    for lines in [drawn, plain] {
      #expect(lines.count { $0.contains("pending") } == 1, "\(lines)")
      #expect(lines.last?.hasSuffix("39 rooms: pending") == true, "\(lines)")
      #expect(lines.count { $0.lowercased().contains("stopping: \(cause.words)".lowercased()) } == 1)
    }
    let summary = SummaryView.lines(view.report, reports: nil, style: style).joined(separator: "\n")
    #expect(summary.split(separator: "39 rooms: pending").count == 2, "\(summary)")
    #expect(!summary.contains("Room 2") && !summary.contains("more rooms"), "\(summary)")
    // report.json has the reason for each room.
    let json = JSONReport.text(view.report)
    #expect(json.split(separator: "\"\(reason.code.rawValue)\"").count == 40)
  }

  @Test("a few rooms that share a failure of the host are named, and other reasons are separate")
  func sharedFailure() {
    var script = RunScript()
    let rooms = (1...4).map {
      PlannedRoom.sample(
        RoomID(rawValue: "r\($0)"), "Room \($0)", minor: $0, address: .sensor(UInt64($0)))
    }
    script.begin(rooms)
    for room in rooms.prefix(2) {
      script.end(room, .unconfirmed, .stackLost(.awaitingProof()), attempts: 1)
    }
    script.append(.runInterrupted(.init(cause: .stack)))
    script.end(rooms[2], .pending, .stackLost(.idle()))
    script.end(rooms[3], .unreachable, .neverReceived())
    let lines = SummaryView.lines(
      RunReport(script.events), reports: nil, style: TerminalStyle(width: 100, hasColor: false))
    #expect(lines.contains("! 2 rooms: unconfirmed"), "\(lines)")
    #expect(lines.contains { $0.hasPrefix("    Room 1, Room 2: The settings were written") }, "\(lines)")
    #expect(lines.contains { $0.hasSuffix("Room 3: pending") })
    #expect(lines.contains { $0.hasSuffix("Room 4: unreachable") })
  }

  @Test("many failures with one cause are one paragraph, and the counts and the next command are last")
  func many() {
    var script = RunScript()
    let rooms = (1...50).map { PlannedRoom.sample(RoomID(rawValue: "r\($0)"), "Room \($0)", minor: $0) }
    script.begin(rooms)
    for room in rooms { script.end(room, .unreachable, .neverReceived()) }
    let lines = SummaryView.lines(
      RunReport(script.events), reports: nil, next: "Next: roboprov apply b.yaml",
      style: TerminalStyle(width: 80, hasColor: false))
    #expect(lines.count { $0.hasPrefix("✗") } == 1)
    #expect(lines.contains { $0.contains("Room 12 and 38 more: No sensor was received") }, "\(lines)")
    #expect(lines.count <= 12, "\(lines)")
    #expect(
      lines.suffix(3) == [
        "0 of 50 rooms done in 0.1 s, simulated, unfinished", "  50 unreachable",
        "Next: roboprov apply b.yaml",
      ], "\(lines)")
  }

  @Test(
    "the elapsed time is shown in hours, minutes and seconds",
    arguments: [
      (0.0, "0:00"), (59.999, "0:59"), (61, "1:01"), (3599, "59:59"), (3661, "1:01:01"), (-5, "0:00"),
    ])
  func clock(seconds: Double, text: String) {
    #expect(ProgressView.clock(.seconds(seconds)) == text)
  }
}

extension String {
  fileprivate var withoutStyles: String { replacing(/\u{1B}\[[0-9]+m/, with: "") }
}
