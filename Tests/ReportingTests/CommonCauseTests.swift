import Bluetooth
import Foundation
import Journal
import Model
import RecordedText
import SampleFacts
import Testing

@testable import Reporting

@Suite("A common cause of failures") struct CommonCauseTests {
  private struct Tried {
    var adapter: AdapterID = .first
    var rssi = -60
    var network = "Office WiFi"
    var text: String?
    var isDone = false
  }

  static let second = AdapterID(BluetoothAddress(rawValue: 0x001A_7DDA_7102))

  private static func report(_ rooms: [Tried]) -> RunReport {
    var script = RunScript()
    let planned = rooms.enumerated().map { number, tried in
      PlannedRoom.sample(
        RoomID(rawValue: "room-\(number)"), "Room \(number)", minor: UInt16(number), wifi: tried.network)
    }
    script.begin(planned)
    for (number, (room, tried)) in zip(planned, rooms).enumerated() {
      let address = BluetoothAddress.sensor(UInt64(number))
      script.append(
        .attemptStarted(
          .init(room: room.room, address: address, adapter: tried.adapter, number: 1, rssi: tried.rssi)))
      let reason =
        tried.text.map { FailureReason.refused(stage: .save, deviceText: $0) }
        ?? .connectFailed(FailedStep(.connect))
      script.append(
        .roomFinished(
          .init(
            room: room.room, outcome: tried.isDone ? .provisioned : .failed, address: address,
            adapter: tried.adapter, attempts: 1, seconds: 1, rssi: tried.rssi,
            settings: room.settings, reason: tried.isDone ? nil : reason)))
    }
    return RunReport(script.events)
  }

  private static let cases: [(rooms: [Tried], causes: [CommonCause])] = [
    (Array(repeating: Tried(adapter: second), count: 3) + [Tried(isDone: true)], [.adapter(second)]),
    (Array(repeating: Tried(adapter: second), count: 3) + [Tried(adapter: second, isDone: true)], []),
    (Array(repeating: Tried(network: "Old"), count: 3) + [Tried(isDone: true)], [.network("Old")]),
    (Array(repeating: Tried(rssi: -88), count: 4) + [Tried(isDone: true)], [.weakSignal]),
    (
      Array(repeating: Tried(rssi: -88), count: 4)
        + Array(repeating: Tried(rssi: -84, isDone: true), count: 2), []
    ),
    (Array(repeating: Tried(text: "error:no flash"), count: 3), [.deviceText("error:no flash")]),
    (Array(repeating: Tried(adapter: second, rssi: -90), count: 2) + [Tried(isDone: true)], []),
    (Array(repeating: Tried(isDone: true), count: 5), []),
  ]

  @Test("a common cause is what all failed rooms share and no done room has", arguments: cases.indices)
  func found(_ index: Int) {
    let (rooms, causes) = Self.cases[index]
    #expect(Self.report(rooms).commonCauses == causes)
  }

  @Test("a common cause is named before the rooms")
  func shown() {
    let report = Self.report(Self.cases[0].rooms)
    let lines = SummaryView.lines(report, reports: nil, style: TerminalStyle(width: 100, hasColor: false))
    let cause = lines.firstIndex { $0.hasPrefix("All 3 rooms that failed used") }
    let room = lines.firstIndex { $0.hasPrefix("✗ ") }
    #expect((cause ?? .max) < (room ?? 0))
  }

  // MARK: Failures within milliseconds

  /// An attempt that fails in a stage at a time, in ms since the run began.
  private struct Loss {
    var at: Int
    var adapter: AdapterID = .first
    var stage = Stage.write
    var failure: FailureReason = .linkLost(FailedStep(.write))
    /// The attempt's reason, if it differs.
    var judged: FailureReason?
  }

  private static func events(_ losses: [Loss]) -> [RunEvent] {
    let planned = losses.indices.map {
      PlannedRoom.sample(RoomID(rawValue: "room-\($0)"), "Room \($0)", minor: UInt16($0))
    }
    var script = RunScript()
    script.begin(planned)
    var events = script.events
    func append(_ fact: Fact, _ milliseconds: Int) {
      events.append(
        RunEvent(
          sequence: events.count + 1,
          at: Date(timeIntervalSince1970: 1_795_251_600 + Double(milliseconds) / 1000),
          elapsed: .milliseconds(milliseconds), fact: fact))
    }
    for (number, (room, loss)) in zip(planned, losses).enumerated() {
      let (id, seconds) = (room.room, Double(loss.at - 1000) / 1000)
      append(
        .attemptStarted(
          .init(room: id, address: .sensor(UInt64(number)), adapter: loss.adapter, number: 1)), 1000)
      append(.stageStarted(.init(room: id, attempt: 1, stage: loss.stage, timeout: 15)), 1000)
      append(
        .stageEnded(.init(room: id, attempt: 1, stage: loss.stage, seconds: seconds, failure: loss.failure)),
        loss.at)
      // Classified later, when the loss of the host is known.
      append(
        .attemptEnded(
          .init(room: id, number: 1, seconds: seconds, failure: loss.judged ?? loss.failure)),
        loss.at + 2000)
      append(
        .roomFinished(
          .init(
            room: id, outcome: .provisionedAfterRetry, adapter: loss.adapter, attempts: 2, seconds: 9,
            settings: room.settings)), 20_000 + number)
    }
    return events
  }

  private static func moments(_ losses: [Loss]) -> [[RoomID]] {
    RunReport(events(losses)).commonMoments.flatMap { $0.moments.map(\.rooms) }
  }

  @Test("links of several rooms that end within milliseconds have a common cause, whatever the outcomes")
  func moment() throws {
    let losses = [Loss(at: 4000), Loss(at: 9000), Loss(at: 4007), Loss(at: 4250), Loss(at: 4251)]
    let report = RunReport(Self.events(losses))
    let cause = try #require(report.commonCauses.first)
    #expect(report.commonCauses.count == 1)
    guard case .moment(let moments, let adapters) = cause else {
      Issue.record("\(cause)")
      return
    }
    #expect(moments.map(\.rooms) == [["room-0", "room-2", "room-3"]])
    #expect(moments.map(\.span) == [.milliseconds(250)])
    #expect(adapters == [.first])
    let words = cause.explanation(in: report)
    #expect(
      words.sentence
        == "3 rooms lost their links together on hci0, at 2026-11-21 09:00:04 UTC (within 250 ms): "
        + "this probably has one cause. All were done later.")
    #expect(words.advice.contains("--since '2026-11-21 08:59:54 UTC'"))
  }

  @Test("two rooms, failures further apart, timeouts and failed connections have no common cause")
  func noCommonCause() {
    #expect(Self.moments([Loss(at: 4000), Loss(at: 4000)]).isEmpty)
    #expect(Self.moments([Loss(at: 4000), Loss(at: 4240), Loss(at: 4480)]).isEmpty)
    let timeouts = Loss(at: 4000, failure: .stageTimedOut(FailedStep(.write), seconds: 3))
    #expect(Self.moments(Array(repeating: timeouts, count: 4)).isEmpty)
    let refused = Loss(at: 4000, stage: .connect, failure: .connectFailed(FailedStep(.connect)))
    #expect(Self.moments(Array(repeating: refused, count: 4)).isEmpty)
    let stopped = Loss(at: 4000, failure: .interrupted(.during(FailedStep(.write))))
    #expect(Self.moments(Array(repeating: stopped, count: 4)).isEmpty)
  }

  @Test("a common cause includes a connection in progress, and each outage of an adapter counts")
  func outages() throws {
    let lost = FailureReason.adapterLost(.during(FailedStep(.connect)))
    let connecting = Loss(
      at: 4002, stage: .connect, failure: .connectFailed(FailedStep(.connect)), judged: lost)
    let first = [Loss(at: 4000), connecting, Loss(at: 4003)]
    let second = (0..<3).map { Loss(at: 8000 + $0) }
    let elsewhere = [Loss(at: 12_000), Loss(at: 12_000), Loss(at: 12_001, adapter: Self.second)]
    let report = RunReport(Self.events(first + second + elsewhere))
    #expect(report.commonMoments.map(\.adapters) == [[.first], [.first, Self.second]])
    #expect(report.commonMoments.map(\.moments.count) == [2, 1])
  }

  @Test("a common cause is once in the summary, the page, JSON and JUnit")
  func everywhere() throws {
    let losses = (0..<4).map { Loss(at: 4000 + $0) }
    let events = Self.events(losses).map { event in
      var event = event
      if case .runStarted(var started) = event.fact {
        started.simulated = false
        event.fact = .runStarted(started)
      }
      return event
    }
    let run = RunReport(events)
    let sentence = "4 rooms lost their links together on hci0"
    let lines = SummaryView.lines(run, reports: nil, style: TerminalStyle(width: 100, hasColor: false))
    #expect(lines.count { $0.hasPrefix(sentence) } == 1)
    let building = BuildingReport(
      building: "demo-building", runs: [RecordedRun(events: events, journalHash: "ab")],
      lastKnown: BuildingRecord([events]).lastKnown, manifest: nil,
      made: Date(timeIntervalSince1970: 1_795_252_000),
      by: .init(toolVersion: "0.1.0", host: "laptop", user: nil))
    for text in [
      JSONReport.text(run), BuildingJSON.text(building), JUnitReport.text(building),
      BuildingHTML.text(building, times: .utc),
    ] {
      #expect(text.components(separatedBy: sentence).count == 2)
    }
    #expect(BuildingHTML.text(building, times: .utc).contains("Probably one cause"))
    #expect(JSONReport.text(run).contains("\"cause\": \"moment\""))
  }
}
