import DBus
import Foundation
import Testing
import VirtualBuilding

@Suite("Without a radio, the exit status is 69 and the message says what to do", .timeLimit(.minutes(3)))
struct UnavailableRadioTests {
  static let commands = [["apply", "building.yaml"], ["scan"]]
  /// Long enough to be seen waiting, short for who waits.
  static let impatient = ["--adapter-wait", "0.5"]

  @Test("no D-Bus", arguments: commands)
  func noBus(_ command: [String]) async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1)])
      let outcome = try await site.run(command)
      #expect(outcome.status == 69, "\(outcome)")
      #expect(outcome.errors.contains("roboprov: error: there is no D-Bus"), "\(outcome)")
      #expect(outcome.errors.contains("sudo systemctl start dbus"), "\(outcome)")
      #expect(outcome.output.isEmpty)
      #expect(!site.has("reports"), "nothing happened, so there is nothing to report")
    }
  }

  @Test("no BlueZ: what is missing is named, and no adapter is asked for", arguments: commands)
  func noStack(_ command: [String]) async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1)])
      try await ServedBuilding.serve([]) { building in
        await building.stack.killDaemon()
        let outcome = try await site.run(command + Self.impatient, bus: building.bus)
        #expect(outcome.status == 69, "\(outcome)")
        #expect(
          outcome.errors.contains("roboprov: error: the Bluetooth service (BlueZ) is not running"),
          "\(outcome)")
        #expect(outcome.errors.contains("sudo systemctl start bluetooth"), "\(outcome)")
        #expect(!outcome.errors.lowercased().contains("no bluetooth adapter"), "\(outcome)")
        #expect(!outcome.errors.contains("Plug one in"), "\(outcome)")
      }
    }
  }

  /// An adapter as it must not be, what is said about it, and what helps.
  struct Trouble: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var adapter: AdapterScenario
    var message: String
    var cure: String
    /// What a person then does.
    var repair: @Sendable (World) async -> Void

    static func adapter(_ change: (inout AdapterScenario) -> Void) -> AdapterScenario {
      var adapter = AdapterScenario(address: ServedBuilding.adapter, name: "hci0")
      change(&adapter)
      return adapter
    }
  }

  static let troubles = [
    Trouble(
      testDescription: "absent", adapter: Trouble.adapter { $0.isPresent = false },
      message: "there is no Bluetooth adapter", cure: "Plug one in"
    ) { await $0.setPresent(true, ServedBuilding.adapter) },
    Trouble(
      testDescription: "switched off", adapter: Trouble.adapter { $0.isPowered = false },
      message: "the Bluetooth adapter is switched off", cure: "bluetoothctl power on"
    ) { await $0.setPowered(true, ServedBuilding.adapter) },
    Trouble(
      testDescription: "blocked", adapter: Trouble.adapter { $0.isBlocked = true },
      message: "the Bluetooth adapter is blocked", cure: "rfkill unblock bluetooth"
    ) { await $0.setBlocked(false, ServedBuilding.adapter) },
  ]

  @Test("no adapter that can be used", arguments: troubles, commands)
  func noAdapter(_ trouble: Trouble, _ command: [String]) async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1)])
      try await ServedBuilding.serve([], adapter: trouble.adapter) { building in
        let outcome = try await site.run(command + Self.impatient, bus: building.bus)
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.errors.contains("roboprov: error: \(trouble.message)"), "\(outcome)")
        #expect(outcome.errors.contains(trouble.cure), "\(outcome)")
      }
    }
  }

  @Test("it says what it waits for, and goes on when that comes", arguments: troubles)
  func goesOn(_ trouble: Trouble) async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1)])
      try await ServedBuilding.serve([ServedBuilding.sensor(1)], adapter: trouble.adapter) { building in
        let run = try site.start(["apply", "building.yaml", "--adapter-wait", "120"], bus: building.bus)
        try await run.says("waiting up to")
        await trouble.repair(building.world)
        let outcome = try await run.ended()
        #expect(outcome.status == 0, "\(outcome)")
      }
    }
  }

  @Test("an adapter that was asked for by name is named")
  func wantedAdapter() async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1)])
      try await ServedBuilding.serve([ServedBuilding.sensor(1)]) { building in
        let outcome = try await site.run(
          ["apply", "building.yaml", "--adapter", "hci7"] + Self.impatient, bus: building.bus)
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.errors.contains("there is no Bluetooth adapter hci7"), "\(outcome)")
        #expect(await building.isUntouched([1]))
      }
    }
  }

  @Test("no permission to speak to BlueZ", arguments: commands)
  func mayNotSend(_ command: [String]) async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1)])
      let daemon = try site.makeDaemon(withRule: #"<deny send_destination="org.bluez"/>"#)
      try await ServedBuilding.serve([ServedBuilding.sensor(1)], onBusOf: daemon) { building in
        let outcome = try await site.run(command + Self.impatient, bus: building.bus)
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.errors.contains("roboprov: error: this user may not use Bluetooth"), "\(outcome)")
        #expect(outcome.errors.contains("sudo adduser $USER bluetooth"), "\(outcome)")
      }
    }
  }

  @Test("a bus that accepts connections and says nothing", arguments: commands)
  func frozenBus(_ command: [String]) async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1)])
      try await ServedBuilding.serve([ServedBuilding.sensor(1)]) { building in
        try building.freezeBus()
        let began = SuspendingClock.now
        let outcome = try await site.run(command, bus: building.bus)
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.errors.contains("roboprov: error: Bluetooth does not answer"), "\(outcome)")
        #expect(began.duration(to: .now) < .seconds(40))
        // Ctrl-C ends it meanwhile.
        let waiting = try site.start(command, bus: building.bus)
        try await Task.sleep(for: .seconds(1))
        waiting.send(SIGINT)
        #expect(try await waiting.ended().signal == SIGINT)
      }
    }
  }

  @Test("no permission on the bus at all: it shows us the door without a reason", arguments: commands)
  func mayNotConnect(_ command: [String]) async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1)])
      let daemon = try await DBusDaemon.start(program: try site.makeDaemon(withRule: #"<deny user="*"/>"#))
      let outcome = try await site.run(command + Self.impatient, bus: daemon.address)
      #expect(outcome.status == 69, "\(outcome)")
      #expect(outcome.errors.contains("security policy"), "the system's own words\n\(outcome)")
      await daemon.stop()
    }
  }
}
