import Bluetooth
import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@testable import Application
@testable import RoboprovCLI

@Suite("`doctor` lists the Bluetooth adapters of a computer", .timeLimit(.minutes(60)))
struct DoctorAdaptersTests {
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

  @Test("`doctor` lists the adapters with state and links; what the host does not report is unknown")
  func listed() async throws {
    try await Self.serve { premises in
      try await premises.run(["doctor"]).expect(
        output: "hci0: \(ServedBuilding.adapter), controller unknown, switched on, 0 links.",
        "hci1: \(Self.second), controller unknown, not switched on")
      let adapters = try await premises.run(["doctor", "--output", "json"]).json["adapters"]
      #expect(adapters.items.map { $0["name"].text } == ["hci0", "hci1"])
      #expect(adapters.items.map { $0["powered"].flag } == [true, false])
      #expect(adapters[0]["blocked"].text == "none" && adapters[0]["alias"].isNull)
      #expect(adapters[0]["links"].items.isEmpty && !adapters[0]["links"].isNull)
      #expect(adapters[1]["blocked"].isNull && adapters[1]["links"].isNull && adapters[1]["hardware"].isNull)
    }
  }

  @Test("`doctor` with a manifest lists the adapters' names in it, and warns of those that are not present")
  func named() async throws {
    try await Self.serve { premises in
      let json = try await premises.run(
        ["doctor", "building.yaml", "--scan-time", "0.5", "--output", "json"])
      let document = try json.json
      #expect(document["adapters"][0]["alias"].text == "lobby")
      #expect(document["adapters"][0]["place"].text == "Ground floor")
      let missing = document["findings"].items.first { $0["code"].text == "manifest_adapter" }
      #expect(
        missing?["sentence"].text?.contains("attic (00:1A:7D:DA:71:99) is not present") == true, "\(json)")
    }
  }

  @Test("`doctor` lists the links of each adapter, whichever program made them")
  func links() async throws {
    try await Self.serve(toPrograms: true) { premises in
      let building = premises.building
      let run = try premises.site.start(
        ["apply", "building.yaml", "--scan-time", "1", "--adapter", "hci0"], bus: building.bus)
      try await run.until("a link") { await building.world.openLinkCount() > 0 }
      run.send(SIGKILL)
      _ = try await run.ended()
      let json = try await premises.run(["doctor", "--output", "json"])
      let document = try json.json
      #expect(
        document["adapters"][0]["links"].items.map(\.text) == ["\(ServedBuilding.address(1))"], "\(json)")
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
      "sys/devices/usb1/hci0/rfkill3/soft": soft + "\n", "sys/devices/usb1/hci0/rfkill3/hard": hard + "\n",
    ]
    let links = ["hci0", "hci0:256", "note"].map { ("sys/class/bluetooth/\($0)", "../../devices/usb1/hci0") }
    try HostRoot.use(files, links: Dictionary(uniqueKeysWithValues: links)) { root in
      let kernel = ControllerFiles(.below(root))
      #expect(kernel.block(of: "hci0") == expected)
      #expect(kernel.block(of: "hci1") == nil && kernel.block(of: "../bluetooth/hci0") == nil)
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
