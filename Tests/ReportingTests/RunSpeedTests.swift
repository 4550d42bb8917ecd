import Bluetooth
import Model
import SampleFacts
import Testing

@testable import Reporting

@Suite("How fast a run was")
struct RunSpeedTests {
  /// Adapters that each provision the same number of devices, one connection after the other, without a pause.
  private struct Work {
    var adapters = 1
    var devices = 10
    var slots = 5
    var connect = 0.5
    var link = 2.0
    var restart = 2.0
    /// When the second half of the devices of each adapter begins after the first, in addition to the connections.
    var pause = 8.0
    /// Attempts of `seconds` before all others that fail to connect, with their RSSI.
    var failed: [(seconds: Double, rssi: Int)] = []
    /// When the run ends, after the last proof.
    var rest = 0.0
    var outcome = RunOutcome.complete
    var others: [Fact] = []

    var script: RunScript {
      var facts: [(at: Double, fact: Fact)] = []
      var rooms: [PlannedRoom] = []
      for number in 0..<adapters {
        let adapter = AdapterID(BluetoothAddress(rawValue: 0x001A_7DDA_7100 + UInt64(number)))
        facts.append((0, .adapterSelected(.init(adapter: adapter, name: "hci\(number)", slots: slots))))
        facts.append((0, .scanStarted(.init(adapter: adapter, purpose: .survey))))
        facts.append((3, .scanStopped(.init(adapter: adapter, purpose: .survey))))
        var begin = 3.0
        for index in 0..<devices {
          var room = PlannedRoom.sample(
            RoomID(rawValue: "r\(number)-\(index)"), "\(index)", minor: UInt16(index), address: .sensor(1))
          room.floor = "\(index % 2 + 2)"
          rooms.append(room)
          var attempt = 1
          if number == 0, index < failed.count {
            facts += Self.failure(failed[index], room.room, on: adapter, at: begin)
            begin += failed[index].seconds
            attempt = 2
          }
          if index == devices / 2 { begin += pause }
          facts += success(room, attempt, on: adapter, at: begin)
          begin += connect
        }
      }
      var script = RunScript()
      script.append(
        .runStarted(
          .init(
            run: "run", building: "b", buildingName: "B", toolVersion: "1", host: "h", manifestPath: "b.yaml",
            manifestSHA256: "content:", simulated: true, rooms: rooms)), after: 0)
      var now = 0.0
      let sorted = facts.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      for (at, fact) in sorted.map(\.element) {
        script.append(fact, after: at - now)
        now = at
      }
      for fact in others { script.append(fact, after: 0) }
      if outcome == .interrupted { script.append(.runInterrupted(.init(cause: .signal)), after: 0) }
      script.append(.runFinished(.init(outcome: outcome)), after: rest)
      return script
    }

    private static func failure(
      _ failed: (seconds: Double, rssi: Int), _ room: RoomID, on adapter: AdapterID, at begin: Double
    ) -> [(Double, Fact)] {
      let failure = FailureReason.connectTimedOut(seconds: failed.seconds)
      let end = begin + failed.seconds
      return [
        (
          begin,
          .attemptStarted(
            .init(room: room, address: .sensor(1), adapter: adapter, number: 1, rssi: failed.rssi))
        ),
        (begin, .stageStarted(.init(room: room, attempt: 1, stage: .connect, timeout: failed.seconds))),
        (
          end,
          .stageEnded(
            .init(room: room, attempt: 1, stage: .connect, seconds: failed.seconds, failure: failure))
        ),
        (end, .attemptEnded(.init(room: room, number: 1, seconds: failed.seconds, failure: failure))),
      ]
    }

    private func success(
      _ room: PlannedRoom, _ number: Int, on adapter: AdapterID, at begin: Double
    ) -> [(Double, Fact)] {
      let (id, connected, released) = (room.room, begin + connect, begin + connect + link)
      let over = released + restart
      return [
        (
          begin,
          .attemptStarted(.init(room: id, address: .sensor(1), adapter: adapter, number: number, rssi: -60))
        ),
        (begin, .stageStarted(.init(room: id, attempt: number, stage: .connect, timeout: 15))),
        (connected, .stageEnded(.init(room: id, attempt: number, stage: .connect, seconds: connect))),
        (connected, .stageStarted(.init(room: id, attempt: number, stage: .save, timeout: 15))),
        (
          released - 0.3, .stageEnded(.init(room: id, attempt: number, stage: .save, seconds: link - 0.3))
        ),
        (released, .stageStarted(.init(room: id, attempt: number, stage: .verify, timeout: 30))),
        (over, .attemptEnded(.init(room: id, number: number, seconds: over - begin))),
        (
          over,
          .roomFinished(
            .init(
              room: id, outcome: number == 1 ? .provisioned : .provisionedAfterRetry, attempts: number,
              seconds: over - begin, settings: room.proved))
        ),
      ]
    }
  }

  private static func speed(_ change: (inout Work) -> Void = { _ in }) throws -> RunSpeed {
    var work = Work()
    change(&work)
    return try #require(RunReport(work.script.events).speed)
  }

  static func sample() throws -> RunSpeed { try speed() }

  private static func isNear(_ value: Double, _ expected: Double) -> Bool { abs(value - expected) < 1e-6 }

  @Test("the least time is that of the same sessions without a pause")
  func bound() throws {
    // Survey 3 s, ten connections of 0.5 s, a pause of 8 s, the last link 2 s, its restart 2 s.
    let speed = try Self.speed()
    #expect(Self.isNear(speed.least, 3 + (10 * 0.5 + 2) + 2))
    #expect(
      speed.sentence == "10 devices in 20 s on hci0; the radio needs at least 12 s for the same sessions.")
  }

  @Test("failed attempts are no part of the least time")
  func failures() throws {
    let speed = try Self.speed { $0.failed = [(4, -88), (4, -60), (4, -90)] }
    #expect(Self.isNear(speed.seconds, 32) && Self.isNear(speed.least, 12))
  }

  @Test("the least time counts the adapters that provisioned, and the most links that one held at once")
  func adapters() throws {
    let speed = try Self.speed { ($0.adapters, $0.devices, $0.pause) = (3, 20, 4) }
    #expect(speed.devices == 60 && speed.sentence.contains(" on 3 adapters; "))
    #expect(Self.isNear(speed.least, 3 + (20 * 0.5 + 2) + 2))
    // Ten sessions of 4 s, a connection each 0.2 s: at most five links at once, in two rows.
    let full = try Self.speed { ($0.connect, $0.link, $0.restart, $0.pause) = (0.2, 3.8, 0, 3) }
    #expect(Self.isNear(full.least, 3 + 8.4))
  }

  @Test("a run that was as fast as its sessions permit needed all its time")
  func fast() throws {
    let speed = try Self.speed { $0.pause = 0 }
    #expect(Self.isNear(speed.least, speed.seconds) && speed.least <= speed.seconds)
  }

  @Test("sessions that took no time on record are no error")
  func noTime() throws {
    let speed = try Self.speed { ($0.connect, $0.link, $0.restart) = (0, 0, 0) }
    #expect(Self.isNear(speed.least, 3))
  }

  @Test("with fewer than five devices, and for a run that was cut short, nothing is said")
  func tooLittle() {
    #expect(RunReport(Work(devices: 4).script.events).speed == nil)
    #expect(RunReport(Work(devices: 5).script.events).speed != nil)
    for outcome in [RunOutcome.interrupted, .aborted] {
      #expect(RunReport(Work(outcome: outcome).script.events).speed == nil)
    }
    #expect(RunReport(Work().script.events.dropLast()).speed == nil, "no end on record")
  }

  @Test(
    "nothing is said where something other than the radio took time",
    arguments: [
      .hostPaused(.init(.suspended, seconds: 60)), .hostPaused(.init(.busy, seconds: 3)),
      .operatorRequested(.init(.pause)),
      .adapterAwaited(.init(problem: .absent, seconds: 30)),
      .operatorAwaited(.init(room: "r0-0", reason: .authorizationRequired)),
      .canariesJudged(.init(rooms: ["r0-0"], approved: true)),
      .foreignScanDetected(.init(adapter: .first, clients: [])),
    ] as [Fact])
  func waits(_ fact: Fact) {
    #expect(RunReport(Work(others: [fact]).script.events).speed == nil)
  }

  @Test("a computer that was the limit is named once during the run, and at its end, and is no pause")
  func busyHost() throws {
    let busy = Fact.hostPaused(.init(.busy, seconds: 3.2))
    let events = Work(others: [busy, busy, busy]).script.events
    let report = RunReport(events)
    #expect(!report.hasPaused)
    let sentence = "The computer was busy: for 9.6 s of the run roboprov waited for a processor."
    let style = TerminalStyle(width: 100, hasColor: false)
    #expect(SummaryView.lines(report, reports: nil, style: style).contains(sentence))
    #expect(JSONReport.text(report).contains("\"busy_host_s\": 9.6"))
    var view = ProgressView()
    var shown: [String] = []
    for event in events {
      view.apply(event)
      if case .hostPaused = event.fact { shown += view.plain(event) + view.finished(event, style: style) }
    }
    #expect(
      shown == [
        "[0:20] this computer: roboprov waited 3.2 s for a processor",
        "This computer: roboprov waited 3.2 s for a processor",
      ])
    #expect(RunReport(Work().script.events).busyHost == nil)
  }
}
