import Bluetooth
import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@testable import Application
@testable import RoboprovCLI

@Suite("`adapters` lists the Bluetooth adapters of a computer", .timeLimit(.minutes(60)))
struct AdaptersCommandTests {
  private static let second = BluetoothAddress(rawValue: 0x001A_7DDA_7114)

  /// A building with two adapters: one holds a link, one is switched off.
  private static func serve(
    toPrograms: Bool = false, _ body: @escaping @Sendable (Premises) async throws -> Void
  ) async throws {
    try await Site.use { site in
      let manifest = try site.writeManifest([.numbered(1)])
      let file = site.directory.appending(path: manifest)
      let text = try String(contentsOf: file, encoding: .utf8)
      let adapters = """
        adapters:
          lobby: { address: "\(ServedBuilding.adapter)", place: Ground floor }
          attic: { address: "00:1A:7D:DA:71:99" }

        """
      try site.write(manifest, text.replacing("wifi:\n", with: adapters + "wifi:\n", maxReplacements: 1))
      let scenario = Scenario(
        seed: 7,
        adapters: [
          AdapterScenario(address: ServedBuilding.adapter, name: "hci0"),
          AdapterScenario(address: second, name: "hci1", isPowered: false),
        ], sensors: [ServedBuilding.sensor(1)])
      try await site.serve(scenario, toPrograms: toPrograms) {
        try await body(Premises(site: site, building: $0))
      }
    }
  }

  @Test("`adapters` prints state and links; facts that the host does not report are unknown")
  func table() async throws {
    try await Self.serve { premises in
      let outcome = try await premises.run(["adapters"])
      #expect(outcome.status == 0, "\(outcome)")
      let lines = outcome.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
      #expect(
        lines == [
          ["ADAPTER", "ADDRESS", "POWERED", "BLOCKED", "LINKS", "CONTROLLER", "PATH"],
          ["hci0", "\(ServedBuilding.adapter)", "yes", "no", "0", "unknown", "-"],
          ["hci1", "\(Self.second)", "no", "unknown", "unknown", "unknown", "-"],
        ], "\(outcome)")
      #expect(outcome.errors.isEmpty, "\(outcome)")
    }
  }

  @Test("`adapters` with a manifest prints the adapters' names in it and warns of those that are not present")
  func named() async throws {
    try await Self.serve { premises in
      let outcome = try await premises.run(["adapters", "building.yaml"])
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.output.contains("lobby, Ground floor"), "\(outcome)")
      #expect(
        outcome.errors.contains(
          "the manifest's adapter attic (00:1A:7D:DA:71:99) is not present"),
        "\(outcome)")
      let json = try await premises.run(["adapters", "building.yaml", "--output", "json"])
      let document = try #require(JSON(json.output), "\(json)")
      let first = document["adapters"][0]
      #expect(first["name"].text == "hci0" && first["alias"].text == "lobby")
      #expect(first["blocked"].text == "none" && first["links"].items.isEmpty && !first["links"].isNull)
      let second = document["adapters"][1]
      #expect(second["blocked"].isNull && second["links"].isNull && second["hardware"].isNull)
      #expect(document["missing"][0]["alias"].text == "attic")
    }
  }

  @Test("`adapters` prints the links of each adapter, whichever program made them")
  func links() async throws {
    try await Self.serve(toPrograms: true) { premises in
      let building = premises.building
      let run = try premises.site.start(
        ["apply", "building.yaml", "--scan-time", "1", "--adapter", "hci0"], bus: building.bus)
      try await run.until("a link") { await building.world.openLinkCount() > 0 }
      run.send(SIGKILL)
      _ = try await run.ended()
      let json = try await premises.run(["adapters", "--output", "json"])
      let document = try #require(JSON(json.output), "\(json)")
      #expect(
        document["adapters"][0]["links"].items.map(\.text) == ["\(ServedBuilding.address(1))"], "\(json)")
    }
  }

  @Test("`adapters --simulate` lists the adapters of a virtual building")
  func simulated() async throws {
    try await Site.use { site in
      try site.writeManifest([.numbered(1)])
      let outcome = try await site.run(["adapters", "building.yaml", "--simulate"])
      #expect(outcome.status == 0 && outcome.output.contains("hci0"), "\(outcome)")
    }
  }

  @Test("`adapters` prints an empty list without an adapter and fails without BlueZ")
  func nothing() async throws {
    try await Site.use { site in
      let none = AdapterScenario(address: ServedBuilding.adapter, name: "hci0", isPresent: false)
      try await site.serve([], adapter: none) { building in
        let outcome = try await site.run(["adapters"], on: building)
        #expect(outcome.status == 0 && outcome.output == "There is no Bluetooth adapter.\n", "\(outcome)")
        await building.stack.killDaemon()
        let stopped = try await site.run(["adapters"], on: building)
        #expect(stopped.status == 69 && stopped.errors.contains("BlueZ"), "\(stopped)")
      }
      #expect(try await site.run(["adapters"]).status == 69)
    }
  }

  // MARK: rfkill

  @Test(
    "the kernel's rfkill state decides what blocks an adapter, and BlueZ's state without it",
    arguments: [
      ("0", "0", RadioBlock.none), ("1", "0", .software), ("0", "1", .hardware), ("1", "1", .hardware),
      ("?", "0", nil),
    ])
  func block(_ soft: String, _ hard: String, _ expected: RadioBlock?) throws {
    let files = [
      "devices/usb1/hci0/rfkill3/soft": soft + "\n", "devices/usb1/hci0/rfkill3/hard": hard + "\n",
    ]
    try HostRoot.use(files, links: ["class/bluetooth/hci0": "../../devices/usb1/hci0"]) { root in
      let kernel = ControllerFiles(folder: root + "/class/bluetooth")
      #expect(kernel.block(of: "hci0") == expected)
      #expect(kernel.block(of: "hci1") == nil && kernel.block(of: "../x") == nil)
      #expect(kernel.names == ["hci0"])
    }
  }

  @Test("a powered adapter is not blocked; for an adapter that is off it is unknown")
  func blockOfState() {
    #expect(RadioBlock(.ready, kernel: nil) == RadioBlock.none)
    #expect(RadioBlock(.blocked, kernel: nil) == .unspecified)
    #expect(RadioBlock(.poweredOff, kernel: nil) == nil)
    #expect(RadioBlock(.poweredOff, kernel: .hardware) == .hardware)
  }
}
