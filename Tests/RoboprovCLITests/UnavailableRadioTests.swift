import DBus
import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@Suite(
  "without a usable adapter the exit status is 69 and the message gives advice", .timeLimit(.minutes(60)))
struct UnavailableRadioTests {
  static let commands = [["apply", "building.yaml"], ["scan"]]
  /// Long enough to observe the wait, and short for the test.
  static let impatient = ["--adapter-wait", "0.5"]

  @Test("a missing D-Bus ends the command with 69 and advice", arguments: commands)
  func noBus(_ command: [String]) async throws {
    try await Site.use([.numbered(1)]) { site in
      let outcome = try await site.start(command).ended().expect(
        69, errors: "roboprov: error: there is no D-Bus", "sudo systemctl start dbus")
      #expect(outcome.output.isEmpty)
      #expect(!site.has("reports"), "nothing happened, so there is nothing to report")
    }
  }

  @Test("a missing BlueZ is named, and not a missing adapter", arguments: commands)
  func noStack(_ command: [String]) async throws {
    try await Site.use((1...40).map { .numbered($0) }) { site in
      try await site.serve([]) { building in
        await building.stack.killDaemon()
        let outcome = try await site.run(command + Self.impatient, on: building).expect(
          69, errors: "roboprov: error: the Bluetooth service (BlueZ) is not running",
          "sudo systemctl start bluetooth", notErrors: "Plug one in")
        #expect(!outcome.errors.lowercased().contains("no bluetooth adapter"), "\(outcome)")
        Self.expectOnce(outcome, at: site)
      }
    }
  }

  /// A problem of all rooms is reported once, and leaves no run.
  private static func expectOnce(_ outcome: Invocation.Outcome, at site: Site) {
    #expect(outcome.output.isEmpty && !outcome.errors.contains("Room 1"), "\(outcome)")
    #expect(outcome.errors.split(separator: "\n").count <= 6, "\(outcome)")
    #expect(site.runs.isEmpty)
  }

  /// An unusable adapter, with the message about it and the remedy.
  struct Problem: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var adapter: AdapterScenario
    var message: String
    var advice: String
    /// The remedy that the operator applies.
    var repair: @Sendable (World) async -> Void

    static func adapter(_ change: (inout AdapterScenario) -> Void) -> AdapterScenario {
      var adapter = AdapterScenario(address: ServedBuilding.adapter, name: "hci0")
      change(&adapter)
      return adapter
    }
  }

  static let problems = [
    Problem(
      testDescription: "absent", adapter: Problem.adapter { $0.isPresent = false },
      message: "there is no Bluetooth adapter", advice: "Plug one in"
    ) { await $0.setPresent(true, ServedBuilding.adapter) },
    Problem(
      testDescription: "switched off", adapter: Problem.adapter { $0.isPowered = false },
      message: "the Bluetooth adapter is switched off", advice: "bluetoothctl power on"
    ) { await $0.setPowered(true, ServedBuilding.adapter) },
    Problem(
      testDescription: "blocked", adapter: Problem.adapter { $0.isBlocked = true },
      message: "the Bluetooth adapter is blocked", advice: "rfkill unblock bluetooth"
    ) { await $0.setBlocked(false, ServedBuilding.adapter) },
  ]

  @Test("an unusable adapter ends the command with 69 and advice", arguments: problems, commands)
  func noAdapter(_ problem: Problem, _ command: [String]) async throws {
    try await Site.use((1...40).map { .numbered($0) }) { site in
      try await site.serve([], adapter: problem.adapter) { building in
        let outcome = try await site.run(command + Self.impatient, on: building).expect(
          69, errors: "roboprov: error: \(problem.message)", problem.advice)
        Self.expectOnce(outcome, at: site)
      }
    }
  }

  @Test("the command names what it waits for and continues when that appears", arguments: problems)
  func lateStart(_ problem: Problem) async throws {
    try await Site.use([.numbered(1)]) { site in
      try await ServedBuilding.serve([ServedBuilding.sensor(1)], adapter: problem.adapter) { building in
        let run = try site.start(["apply", "building.yaml", "--adapter-wait", "120"], bus: building.bus)
        try await run.prints("waiting up to")
        await problem.repair(building.world)
        try await run.ended().expect(0)
      }
    }
  }

  @Test("a denied access to BlueZ ends the command with 69 and advice", arguments: commands)
  func accessDenied(_ command: [String]) async throws {
    try await Site.use([.numbered(1)]) { site in
      let daemon = try site.makeDaemon(withRule: #"<deny send_destination="org.bluez"/>"#)
      try await ServedBuilding.serve([ServedBuilding.sensor(1)], onBusOf: daemon) { building in
        _ = try await site.run(command + Self.impatient, bus: building.bus).expect(
          69, errors: "roboprov: error: this user may not use Bluetooth", "sudo adduser $USER bluetooth")
      }
    }
  }

  @Test("a bus that accepts connections and never replies ends the command with 69", arguments: commands)
  func frozenBus(_ command: [String]) async throws {
    try await Site.use([.numbered(1)]) { site in
      try await ServedBuilding.serve([ServedBuilding.sensor(1)]) { building in
        try building.freezeBus()
        try await site.run(command, bus: building.bus).expect(
          69, errors: "roboprov: error: the Bluetooth service does not respond")
        // Ctrl-C ends the wait.
        let waiting = try site.start(command, bus: building.bus)
        try await Task.sleep(for: .seconds(1))
        waiting.send(SIGINT)
        #expect(try await waiting.ended().signal == SIGINT)
      }
    }
  }

  @Test("a bus that closes the connection without a reason ends the command with 69", arguments: commands)
  func connectionClosed(_ command: [String]) async throws {
    try await Site.use([.numbered(1)]) { site in
      let daemon = try await DBusDaemon.start(program: try site.makeDaemon(withRule: #"<deny user="*"/>"#))
      let outcome = try await site.run(command + Self.impatient, bus: daemon.address).expect(69)
      #expect(outcome.errors.contains("security policy"), "the system's own words\n\(outcome)")
      await daemon.stop()
    }
  }
}
