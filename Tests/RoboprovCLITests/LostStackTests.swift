import Bluetooth
import DBus
import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@Suite("a run loses Bluetooth", .timeLimit(.minutes(60)))
struct LostStackTests {
  /// A permanent loss.
  struct Loss: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var message: String
    var interruption: String
    var strike: @Sendable (ServedBuilding) async -> Void
  }

  static let losses = [
    Loss(
      testDescription: "bluetoothd killed", message: "the Bluetooth service (BlueZ) is not running",
      interruption: "stack"
    ) { await $0.stack.killDaemon() },
    Loss(
      testDescription: "bluetoothd stopped", message: "the Bluetooth service (BlueZ) is not running",
      interruption: "stack"
    ) { await $0.stack.stopDaemon() },
    Loss(testDescription: "the bus killed", message: "there is no D-Bus", interruption: "stack") {
      await $0.daemon.stop()
    },
    Loss(
      testDescription: "the adapter unplugged", message: "there is no Bluetooth adapter",
      interruption: "adapter"
    ) { await $0.world.setPresent(false, ServedBuilding.adapter) },
    Loss(
      testDescription: "the adapter switched off", message: "the Bluetooth adapter is switched off",
      interruption: "adapter"
    ) { await $0.world.setPowered(false, ServedBuilding.adapter) },
  ]

  @Test("a permanent loss ends the run with 69 and its reports", arguments: losses)
  func permanentLoss(_ loss: Loss) async throws {
    try await Site.use { site in
      try site.writeManifest(
        [.numbered(1), .numbered(2), .numbered(3)],
        defaults: ["retries: 2", "timeouts: { connect: 10m }"])
      let sensors = [
        ServedBuilding.sensor(1), ServedBuilding.sensor(2, .neverAnswers), ServedBuilding.sensor(3),
      ]
      try await ServedBuilding.serve(sensors) { building in
        let run = try site.start(
          ["apply", "building.yaml", "--scan-time", "1", "--adapter-wait", "2"], bus: building.bus)
        try await run.until("the second sensor's turn") {
          await building.world.attemptCount(of: ServedBuilding.address(2)) > 0
        }
        await loss.strike(building)
        try await run.ended().expect(69, errors: "roboprov: error: \(loss.message)")
        try site.expectWholeRecord(rooms: 3)
        let report = try site.report
        #expect(report["run"]["outcome"].text == "aborted")
        #expect(report["run"]["interruption"].text == loss.interruption)
        for room in report["rooms"].items where room["outcome"].text != "provisioned" {
          // The failure of the attempt may be recorded before its cause is known. A sensor that was asked to save may
          // have lost its proof.
          let outcome = room["outcome"].text
          #expect(["failed", "pending", "unreachable", "unconfirmed"].contains(outcome), "\(outcome ?? "")")
          #expect(!room["advice"].isNull)
        }
        let dead = try site.outcomes[102]
        #expect(dead != "provisioned" && dead != "unconfirmed")
      }
    }
  }

  /// The other temporary losses need no program: OutageScenarios.
  @Test("a run continues and finishes after the bus was killed and started")
  func temporaryLoss() async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1), .numbered(2), .numbered(3)], defaults: ["retries: 4"])
      let sensors = [
        ServedBuilding.sensor(1), ServedBuilding.sensor(2, .slow), ServedBuilding.sensor(3),
      ]
      try await ServedBuilding.serve(sensors) { building in
        let run = try site.start(
          ["apply", "building.yaml", "--scan-time", "1", "--adapter-wait", "3600"], bus: building.bus)
        try await run.until("a write to the second sensor") {
          await building.world.writes.contains { $0.address == ServedBuilding.address(2) }
        }
        await building.daemon.stop()
        try await run.prints("waiting up to")
        try await building.restartBus()
        try await run.ended().expect(0)
        try site.expectWholeRecord(rooms: 3)
        for number in 1...3 { #expect(await building.flash(number)?.minor == UInt16(100 + number)) }
      }
    }
  }
}
