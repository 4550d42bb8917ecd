import Bluetooth
import Model
import SampleFacts
import Testing

@testable import Reporting

@Suite("Attempts and stages of a run")
struct AttemptReportTests {
  private let report = RunReport(RunScript.mixed.events)

  @Test("each attempt has its adapter, begin, end and failure")
  func attempts() throws {
    let attempts = try #require(report["office"]).attemptReports
    #expect(attempts.map(\.number) == [1, 2])
    #expect(attempts.map(\.adapter) == [.first, .first])
    #expect(attempts.map(\.seconds) == [4.2, 5.01])
    #expect(attempts.map(\.failure?.code) == [.connectFailed, nil])
    #expect(attempts.map(\.rssi) == [-61, -52])
    #expect(attempts[0].begin < attempts[1].begin)
    #expect(try #require(report["bath"]).attemptReports.isEmpty)
  }

  @Test("each stage has its setting, begin, length, timeout and failure")
  func stages() throws {
    let attempts = try #require(report["office"]).attemptReports
    #expect(attempts[0].stages.map(\.stage) == [.connect])
    #expect(attempts[0].stages[0].failure?.code == .connectFailed)
    #expect(attempts[0].stages[0].timeout == 15)
    #expect(attempts[0].stages[0].seconds == 4.2)
    #expect(
      attempts[1].stages.map(\.stage) == [.connect, .discover, .ready, .write, .write, .save, .verify])
    #expect(attempts[1].stages.compactMap(\.setting) == [.roomName, .minor])
    #expect(attempts[1].stages.map(\.seconds) == [0.31, 0.8, 0.05, 0.06, 0.06, 0.401, 2.61])
    #expect(attempts[1].stages.allSatisfy { $0.failure == nil })
  }

  @Test("a fact counts for the attempt that it names")
  func numbered() throws {
    var script = RunScript()
    script.begin([RunScript.kitchen])
    for number in [1, 2] {
      script.append(
        .attemptStarted(.init(room: "kitchen", address: .sensor(2), adapter: .first, number: number)))
      script.append(.stageStarted(.init(room: "kitchen", attempt: number, stage: .connect, timeout: 15)))
    }
    script.append(.stageEnded(.init(room: "kitchen", attempt: 1, stage: .connect, seconds: 3)))
    script.append(.attemptEnded(.init(room: "kitchen", number: 1, seconds: 4)))
    let attempts = try #require(RunReport(script.events)["kitchen"]).attemptReports
    #expect(attempts.map(\.seconds) == [4, nil])
    #expect(attempts.map { $0.stages[0].seconds } == [3, nil])
  }

  @Test("an attempt that the host ended is listed with its cause, and does not count")
  func notCounted() throws {
    var script = RunScript()
    script.begin([RunScript.kitchen])
    for exemption in [AttemptExemption.adapterFull, .adapterFull, .hostLost, nil] {
      script.append(.attemptStarted(.init(room: "kitchen", address: .sensor(2), adapter: .first, number: 1)))
      let ended = AttemptEnded(
        room: "kitchen", number: 1, seconds: 4, failure: .connectFailed(FailedStep(.connect)),
        notCounted: exemption)
      script.append(.attemptEnded(ended))
    }
    let report = RunReport(script.events)
    let kitchen = try #require(report["kitchen"])
    #expect(kitchen.attempts == 1 && kitchen.attemptReports.count == 4)
    #expect(
      kitchen.attemptWords
        == "1, 2 not counted: adapter may be full, 1 not counted: adapter or Bluetooth service lost")
    #expect(kitchen.exemptions == "adapter_full 2; host_lost 1")
    #expect(kitchen.attemptReports.map(\.name).last == "attempt 1")
    #expect(kitchen.attemptReports.map(\.name).first == "attempt 1 (not counted)")
    let csv = CSVReport.text(report)
    #expect(csv.contains("attempts_not_counted") && csv.contains("adapter_full 2; host_lost 1"))
    #expect(RunReport(script.events.prefix(3))["kitchen"]?.wasTried == true)
  }

  @Test("a fact of an attempt that is not on record changes nothing")
  func unknown() throws {
    var script = RunScript()
    script.begin([RunScript.kitchen])
    script.append(.stageStarted(.init(room: "kitchen", attempt: 1, stage: .connect, timeout: 15)))
    script.append(.stageEnded(.init(room: "kitchen", attempt: 7, stage: .connect, seconds: 3)))
    script.append(.attemptEnded(.init(room: "kitchen", number: 1, seconds: 4)))
    let report = RunReport(script.events)
    #expect(try #require(report["kitchen"]).attemptReports.isEmpty)
  }

  @Test("every prefix of the events gives a report")
  func prefixes() {
    let events = RunScript.mixed.events
    for count in 0...events.count {
      let report = RunReport(events.prefix(count))
      for room in report.rooms {
        #expect(room.attemptReports.count == room.attempts)
        #expect(room.attemptReports.dropLast().allSatisfy { $0.seconds != nil })
      }
    }
  }

  @Test("a device counts as received when an adapter reported it or its proof was received")
  func received() {
    #expect(report.hasReceived(.sensor(5)))
    #expect(!report.hasReceived(.sensor(6)))
    #expect(!RunReport().hasReceived(.sensor(5)))
  }

  @Test("the report of an attempt is small, because a building's report holds those of all runs")
  func size() {
    #expect(MemoryLayout<ShortDuration>.stride == 4)
    #expect(MemoryLayout<StageReport>.stride <= 56)
    #expect(MemoryLayout<AttemptReport>.stride <= 64)
  }

  @Test(
    "a time span is rounded to the millisecond and kept within its bounds",
    arguments: [(0.4011, 0.401), (-1, 0), (.nan, 0), (.infinity, 4_294_967.295), (1e300, 4_294_967.295)])
  func spans(seconds: Double, kept: Double) {
    #expect(ShortDuration(seconds: seconds).seconds == kept)
  }
}
