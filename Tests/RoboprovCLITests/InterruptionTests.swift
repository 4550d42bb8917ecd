import Bluetooth
import DBus
import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@Suite("a signal ends a run in order with 130", .timeLimit(.minutes(60)))
struct InterruptionTests {
  /// The outcomes that a room may have when its run is interrupted before or during its attempt. On a busy
  /// machine an earlier attempt may have failed.
  private static let ofKilled = ["provisioned", "pending", "cancelled", "unconfirmed"]

  /// A moment in a run, and the outcome of its first room.
  struct Moment: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var sensors: [SensorScenario]
    var outcome: String
    /// Returns when the run has reached the moment.
    var reached: @Sendable (Invocation, ServedBuilding) async throws -> Void
  }

  static let moments = [
    Moment(testDescription: "waiting for the bus", sensors: [], outcome: "cancelled") { run, building in
      try await run.prints("scanning for devices")
      await building.daemon.stop()
      try await run.prints("waiting up to")
    },
    Moment(testDescription: "survey", sensors: [], outcome: "cancelled") { run, _ in
      try await run.prints("scanning for devices")
    },
    Moment(
      testDescription: "connecting to a sensor that never answers",
      sensors: [ServedBuilding.sensor(1, .neverAnswers), ServedBuilding.sensor(2)], outcome: "cancelled"
    ) { run, building in
      try await run.until("an attempt") {
        await building.world.attemptsUnderWay(on: ServedBuilding.adapter) > 0
      }
    },
    Moment(
      testDescription: "writing",
      sensors: [ServedBuilding.sensor(1, .slow), ServedBuilding.sensor(2, .neverAnswers)],
      outcome: "provisioned"
    ) { run, building in
      try await run.until("the first write") { await !building.world.writes.isEmpty }
    },
    Moment(
      testDescription: "waiting for the proof",
      sensors: [ServedBuilding.sensor(1, .neverReturns), ServedBuilding.sensor(2)], outcome: "unconfirmed"
    ) { run, building in
      try await run.until("the save") {
        guard await building.flash(1)?.isSaved == true else { return false }
        return await building.world.openLinkCount() == 0
      }
    },
  ]

  @Test(
    "SIGINT and SIGTERM end a run at each moment with 130 and its reports, and leave no link",
    arguments: moments, [SIGINT, SIGTERM])
  func interrupted(_ moment: Moment, _ signal: Int32) async throws {
    try await Site.use { site in
      // The timeouts exceed the time limit of the test: only the signal ends the run.
      try site.writeManifest(
        [.numbered(1), .numbered(2)], defaults: ["retries: 0", "timeouts: { connect: 10m, verify: 10m }"])
      try await ServedBuilding.serve(moment.sensors) { building in
        let scanTime = moment.sensors.isEmpty ? "600" : "1"
        let run = try site.start(
          ["apply", "building.yaml", "--scan-time", scanTime, "--adapter-wait", "600"], bus: building.bus)
        try await moment.reached(run, building)
        run.send(signal)
        try await run.ended().expect(130, errors: "Stopping")
        #expect(await building.world.openLinkCount() == 0)
        #expect(await building.world.attemptsUnderWay(on: ServedBuilding.adapter) == 0)
        let recorded = site.recorded(try #require(site.runs.first))
        try site.expectWholeRecord(of: recorded, rooms: 2)
        let report = try recorded.report
        #expect(report["run"]["outcome"].text == "interrupted")
        #expect(!report["run"]["finished"].isNull)
        #expect(site.hasLink("reports/\(Site.building)/latest"), "it scanned")
        #expect(report["rooms"][0]["outcome"].text == moment.outcome)
        // The progress of the other room is random; on a busy machine its attempt may have failed.
        let other = report["rooms"][1]["outcome"].text
        #expect(
          ["cancelled", "unconfirmed", "provisioned", "failed", "unreachable"].contains(other),
          "\(other ?? "")")
      }
    }
  }

  @Test("a closed terminal ends the run in order")
  func terminalClosed() async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1)], defaults: ["timeouts: { connect: 10m }"])
      try await ServedBuilding.serve([ServedBuilding.sensor(1, .neverAnswers)]) { building in
        let terminal = try site.startAtTerminal(
          ["apply", "building.yaml", "--scan-time", "1"], bus: building.bus)
        try await terminal.until("an attempt") {
          await building.world.attemptsUnderWay(on: ServedBuilding.adapter) > 0
        }
        terminal.send(SIGKILL)
        _ = try await terminal.ended()
        try await site.until("the reports") { site.has("reports/\(Site.building)/latest") }
        try site.expectWholeRecord(rooms: 1)
        #expect(try site.report["run"]["outcome"].text == "interrupted")
        #expect(await building.world.attemptsUnderWay(on: ServedBuilding.adapter) == 0)
      }
    }
  }

  @Test("a second Ctrl-C ends the run at once, and its reports are made from the record")
  func twice() async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1), .numbered(2)], defaults: ["timeouts: { connect: 10m }"])
      let sensors = [ServedBuilding.sensor(1), ServedBuilding.sensor(2, .neverAnswers)]
      try await ServedBuilding.serve(sensors) { building in
        let run = try site.start(["apply", "building.yaml", "--scan-time", "1"], bus: building.bus)
        try await run.prints("Room 102: attempt 1")
        // Teardown cannot complete while the bus is stopped.
        try building.freezeBus()
        run.send(SIGINT)
        try await run.prints("Stopping")
        run.send(SIGINT)
        let outcome = try await run.ended()
        #expect(outcome.signal == SIGINT, "\(outcome)")
        let id = try #require(site.runs.first)
        outcome.expect(
          errors: "Stopped immediately. The record is complete up to now; make its reports with:\n",
          "roboprov report \(Site.building) \(id)\n")
      }
      #expect(!site.has("reports/\(Site.building)/latest"))
      let id = try #require(site.runs.first)
      try await site.run(["report", Site.building, id]).expect(0)
      try site.expectWholeRecord(rooms: 2)
      #expect(try site.report["run"]["finished"].isNull)
      #expect(Self.ofKilled.contains(try #require(site.outcomes[101])))
    }
  }

  @Test("kill -9 leaves a journal that yields the reports, and the next run does what is left")
  func killed() async throws {
    try await Site.use([.numbered(1), .numbered(2)]) { site in
      let sensors = [ServedBuilding.sensor(1), ServedBuilding.sensor(2, .slow)]
      try await ServedBuilding.serve(sensors) { building in
        let apply = ["apply", "building.yaml", "--scan-time", "1"]
        let run = try site.start(apply, bus: building.bus)
        try await run.until("a write to the second sensor") {
          await building.world.writes.contains { $0.address == ServedBuilding.address(2) }
        }
        run.send(SIGKILL)
        #expect(try await run.ended().signal == SIGKILL)
        let id = try #require(site.runs.first)
        try await site.run(["report", Site.building]).expect(
          74, errors: "roboprov report \(Site.building) RUN")
        let report = try await site.run(["report", Site.building, id, "--output", "json"]).expect(0)
        #expect(JSON(report.output)?["rooms"].count == 2, "\(report)")
        try site.expectWholeRecord(rooms: 2)
        #expect(Self.ofKilled.contains(try #require(site.outcomes[101])))

        try await site.run(apply, bus: building.bus).expect(0)
        #expect(["already_provisioned", "provisioned"].contains(try site.outcomes[101]))
        #expect(try site.outcomes[102] == "provisioned")
      }
    }
  }

  @Test(
    "Ctrl-C ends a scan with its list: without an end, before its time is over, while it waits for an adapter",
    arguments: [
      ([1], ["--watch"], "\(ServedBuilding.address(1))", 0, "\(ServedBuilding.address(1))"),
      (
        [], ["--scan-time", "3600"], "Scanning on hci0 for", 0,
        "No device was received that can be provisioned"
      ),
      ([], ["--adapter", "hci9", "--adapter-wait", "600"], "there is no Bluetooth adapter hci9", 130, nil),
    ] as [([Int], [String], String, Int32, String?)])
  func scan(sensors: [Int], options: [String], begins: String, status: Int32, list: String?) async throws {
    try await Site.use { site in
      try await ServedBuilding.serve(sensors.map { ServedBuilding.sensor($0) }) { building in
        let run = try site.start(["scan"] + options, bus: building.bus)
        try await run.prints(begins)
        run.send(SIGINT)
        let outcome = try await run.ended().expect(status)
        if let list { outcome.expect(output: list) }
      }
    }
  }
}
