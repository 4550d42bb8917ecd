import Bluetooth
import Model
import SampleFacts
import Testing

@testable import Reporting

@Suite("The fold for all reports")
struct RunReportTests {
  @Test("events applied one by one give the same report as all at once")
  func incremental() {
    var report = RunReport()
    for event in RunScript.mixed.events { report.apply(event) }
    #expect(report == RunReport(RunScript.mixed.events))
  }

  @Test("the radio is reached when a scan window or an attempt begins, and not before")
  func reachedRadio() {
    var script = RunScript()
    script.begin([.sample("kitchen", "Kitchen", minor: 1)])
    #expect(!RunReport(script.events).reachedRadio, "an adapter is selected, and no scan has begun")
    var attempt = script
    script.append(.scanStarted(.init(adapter: .first, purpose: .survey)))
    #expect(RunReport(script.events).reachedRadio)
    attempt.append(.attemptStarted(.init(room: "kitchen", address: .sensor(1), adapter: .first, number: 1)))
    #expect(RunReport(attempt.events).reachedRadio)
  }

  @Test("the report of a whole run has its rooms, outcomes and adapters")
  func whole() throws {
    let report = RunReport(RunScript.mixed.events)
    #expect(report.outcome == .incomplete)
    #expect(report.rooms.map(\.id) == ["kitchen", "office", "garage", "bath"])
    #expect(
      report.rooms.map(\.outcome) == [.provisioned, .provisionedAfterRetry, .unreachable, .unreachable])
    #expect(report.tally.ended == 4)
    #expect(report.bluezVersion == "5.66")
    let office = try #require(report["office"])
    #expect(office.address == .sensor(1))
    #expect(office.attempts == 2)
    #expect(office.rssi == -55)
    #expect(office.identity == 1)
    #expect(report.name(of: office.adapter) == "hci0")
    #expect(report["cellar"] == nil)
  }

  @Test("every prefix of a run gives each room exactly one outcome, and none a success before its end")
  func prefixes() {
    let events = RunScript.mixed.events
    for length in 0...events.count {
      let report = RunReport(events.prefix(length))
      #expect(Outcome.allCases.map(report.count).reduce(0, +) == report.rooms.count)
      for room in report.rooms where !room.isFinished { #expect(!room.outcome.isSuccess) }
      if length < events.count { #expect(report.outcome == nil) }
    }
  }

  /// The record of a run that was killed.
  @Suite("Killed")
  struct Killed {
    private func report(_ append: (inout RunScript) -> Void) throws -> RoomReport {
      var script = RunScript()
      script.begin([RunScript.kitchen])
      append(&script)
      return try #require(RunReport(script.events)["kitchen"])
    }

    @Test("a room before its attempt is pending without a reason")
    func untouched() throws {
      let room = try report { _ in }
      #expect(room.outcome == .pending)
      #expect(room.reason == nil)
      #expect(room.seconds == 0)
    }

    @Test("a room in an attempt is cancelled, and the reason has the stage")
    func tried() throws {
      let room = try report {
        $0.append(.attemptStarted(.init(room: "kitchen", address: .sensor(2), adapter: .first, number: 1)))
        $0.append(.stageStarted(.init(room: "kitchen", attempt: 1, stage: .connect, timeout: 15)))
      }
      #expect(room.outcome == .cancelled)
      #expect(room.reason == .interrupted(.during(FailedStep(.connect))))
    }

    @Test("a room after the save is unconfirmed, and its settings are written")
    func submitted() throws {
      let room = try report { $0.write(RunScript.kitchen, to: .sensor(2)) }
      #expect(room.outcome == .unconfirmed)
      #expect(room.reason?.stage == .save)
      #expect(room.settings.allSatisfy { $0.state == .written })
      #expect(room.seconds > 1)
    }

    @Test("a beacon that keeps each write at once may hold every setting from the submission on")
    func submittedBeacon() throws {
      var script = RunScript()
      let settings = ["uuid", "major", "minor"].map {
        SettingResult(name: SettingName(rawValue: $0), value: "1", state: .notWritten)
      }
      script.begin([
        PlannedRoom(room: "kitchen", name: "Kitchen", profile: "iot-design-shop", settings: settings)
      ])
      script.append(
        .attemptStarted(.init(room: "kitchen", address: .sensor(2), adapter: .first, number: 1)))
      script.append(.saveSubmitted(.init(room: "kitchen", attempt: 1, address: .sensor(2))))
      let room = try #require(RunReport(script.events)["kitchen"])
      #expect(room.outcome == .unconfirmed)
      #expect(room.settings.allSatisfy { $0.state == .submitted })
    }

    @Test("a room with a save stays unconfirmed in a later attempt, because the first save may be kept")
    func secondAttempt() throws {
      let room = try report {
        $0.write(RunScript.kitchen, to: .sensor(2))
        $0.append(
          .attemptEnded(
            .init(room: "kitchen", number: 1, seconds: 12, failure: .linkLost(FailedStep(.save)))))
        $0.append(.attemptStarted(.init(room: "kitchen", address: .sensor(2), adapter: .first, number: 2)))
      }
      #expect(room.outcome == .unconfirmed)
    }

    @Test(
      "a room whose device reports that it kept nothing is cancelled",
      arguments: [FailureReason.refused(stage: .save, deviceText: "error:no"), .saveNotKept])
    func refused(failure: FailureReason) throws {
      let room = try report {
        $0.write(RunScript.kitchen, to: .sensor(2))
        $0.append(.attemptEnded(.init(room: "kitchen", number: 1, seconds: 2, failure: failure)))
      }
      #expect(room.outcome == .cancelled)
    }

    @Test("a room between its proof and its outcome is unconfirmed and has the evidence")
    func provedOnly() throws {
      let evidence = Evidence(grade: .freshBeacon, address: .sensor(2), identity: 2, rssi: -70)
      let room = try report {
        $0.write(RunScript.kitchen, to: .sensor(2))
        $0.append(.proofReceived(.init(room: "kitchen", attempt: 1, evidence: evidence)))
      }
      #expect(room.outcome == .unconfirmed)
      #expect(room.evidence == evidence)
      #expect(room.rssi == -70)
    }
  }

  @Test("a device that was received before the binding counts as received")
  func earlySighting() throws {
    var script = RunScript()
    script.begin([RunScript.office])
    script.append(
      .deviceSighted(.init(address: .sensor(1), adapter: .first, profile: "robo-sensor", rssi: -77)))
    script.append(.bindingCommitted(.init(room: "office", address: .sensor(1), basis: .any)))
    #expect(try #require(RunReport(script.events)["office"]).rssi == -77)
  }

  @Test("a device that nobody confirmed is named in the summary", arguments: [nil, Consent.answer, .option])
  func unasked(_ consent: Consent?) throws {
    var script = RunScript()
    script.begin([RunScript.office])
    script.append(
      .bindingCommitted(.init(room: "office", address: .sensor(1), basis: .nearest, consent: consent)))
    let report = RunReport(script.events)
    #expect(try #require(report["office"]).consent == consent)
    let summary = SummaryView.lines(report, reports: nil, style: TerminalStyle(width: 200, hasColor: false))
      .joined(separator: "\n")
    #expect(summary.contains("without confirmation (--yes): Büro, 1. OG") == (consent == .option))
  }

  @Test(
    "addresses of a table that show their labels' base address are told from wrong labels",
    arguments: [([12, 22, 32], true), ([12, 22, 33], false), ([12, 22], false)] as [([UInt64], Bool)])
  func offset(onAir: [UInt64], isProposed: Bool) {
    var script = RunScript()
    let rooms = [UInt64(10), 20, 30].map {
      PlannedRoom.sample(
        RoomID(rawValue: "room-\($0)"), "Room \($0)", minor: UInt16($0), address: .sensor($0))
    }
    script.begin(rooms)
    for number in onAir {
      script.append(
        .deviceUnclaimed(.init(address: .sensor(number), adapter: .first, profile: "robo-sensor")))
    }
    for room in rooms { script.end(room, .unreachable, .neverReceived()) }
    let summary = SummaryView.lines(
      RunReport(script.events), reports: nil, style: TerminalStyle(width: 200, hasColor: false)
    ).joined(separator: "\n")
    #expect(summary.contains("3 of 3 addresses that are not on air are on air at +2.") == isProposed)
    #expect(summary.contains("--all` asks whether to add 2 to each") == isProposed)
    #expect(summary.contains("A wrong label?") != isProposed)
  }

  @Test("a room that the run did not announce is shown")
  func unannounced() {
    var script = RunScript()
    script.begin([])
    script.append(.attemptStarted(.init(room: "attic", address: .sensor(9), adapter: .first, number: 1)))
    #expect(RunReport(script.events).rooms.map(\.id) == ["attic"])
  }
}
