import Bluetooth
import EventLoop
import Foundation
import Journal
import Families
import Model
import SampleFacts
import Testing
import VirtualBuilding

@testable import Application
@testable import RoboprovCLI

@Suite("`apply` runs its checks in order of their cost before a run begins", .timeLimit(.minutes(60)))
struct PreflightTests {
  private static let apply = ["apply", "building.yaml", "--yes", "--scan-time", "1"]

  /// A mistake that is found without an adapter.
  struct Mistake: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var arguments: [String] = []
    var status: Int32
    var words: String
    var arrange: @Sendable (Site) throws -> Void = { _ in }
  }

  static let mistakes = [
    Mistake(
      testDescription: "a room that does not exist", arguments: ["--only", "Room 999"], status: 64,
      words: "--only: there is no room “Room 999”"),
    Mistake(
      testDescription: "an option", arguments: ["--parallel", "0"], status: 64, words: "--parallel takes"),
    Mistake(testDescription: "a manifest", status: 65, words: "building.yaml cannot be applied") {
      try $0.writeManifest([.numbered(1), .numbered(1)])
    },
    Mistake(testDescription: "a record", status: 65, words: "contradicts the record") {
      try $0.writeManifest([Place(minor: 101, address: "C4:7C:8D:00:00:09")])
    },
  ]

  @Test("mistakes in files are reported first, also without a bus", arguments: mistakes)
  func order(_ mistake: Mistake) async throws {
    try await Premises.serveDone(1) { premises in
      let site = premises.site
      let runs = site.runs
      try mistake.arrange(site)
      try await site.run(Self.apply + mistake.arguments).expect(
        mistake.status, errors: mistake.words, notErrors: "D-Bus")
      #expect(site.runs == runs)
    }
  }

  @Test("a mistyped adapter is refused without waiting", arguments: ["plan", "apply"])
  func mistypedAdapter(_ command: String) async throws {
    try await Premises.serve(1) { premises in
      try await premises.expectRefused(
        [command, "building.yaml", "--adapter", "hci7", "--adapter-wait", "600"], with: 69,
        saying: [
          "roboprov: error: there is no Bluetooth adapter hci7; present: hci0 (\(ServedBuilding.adapter))"
        ])
      #expect(await premises.building.isUntouched([1]))
    }
  }

  @Test("a building without a record gets no folder if there is no bus")
  func noFolder() async throws {
    try await Site.use([.numbered(1)]) { site in
      try await site.run(Self.apply).expect(69)
      #expect(!site.has("reports"))
    }
  }

  @Test("a missing adapter produces a warning, and the run uses the other one")
  func oneOfTwo() async throws {
    try await Premises.serve(1) { premises in
      _ = try await premises.apply("--adapter", "hci0", "hci1").expect(
        0, errors: "warning: there is no Bluetooth adapter hci1; present: hci0")
    }
  }

  @Test("an adapter that is named by its address may still be plugged in")
  func address() async throws {
    try await Premises.serve(1, toPrograms: true) { premises in
      let (building, site) = (premises.building, premises.site)
      await building.world.setPresent(false, ServedBuilding.adapter)
      let run = try site.start(
        Self.apply + ["--adapter", "\(ServedBuilding.adapter)", "--adapter-wait", "600"], bus: building.bus)
      try await run.prints("waiting up to 10 min 0 s")
      #expect(site.runs.isEmpty)
      await building.world.setPresent(true, ServedBuilding.adapter)
      try await run.ended().expect(0)
    }
  }

  @Test("the run waits for an adapter of an earlier run by name, although others are present")
  func earlierAdapter() async throws {
    try await Site.use([.numbered(1)]) { site in
      let second = BluetoothAddress(rawValue: 0x001A_7DDA_7114)
      let scenario = Scenario(
        seed: 7,
        adapters: [
          AdapterScenario(address: ServedBuilding.adapter, name: "hci0"),
          AdapterScenario(address: second, name: "hci1"),
        ], sensors: [ServedBuilding.sensor(1)])
      try await ServedBuilding.serve(scenario) { building in
        let apply = Self.apply + ["--adapter", "hci1", "--adapter-wait", "600"]
        try await site.run(apply, bus: building.bus).expect(0)
        await building.world.setPresent(false, second)
        let run = try site.start(apply, bus: building.bus)
        try await run.prints("waiting up to 10 min 0 s")
        #expect(site.runs.count == 1)
        await building.world.setPresent(true, second)
        try await run.ended().expect(0)
      }
    }
  }

  @Test("a building with an active run is refused before the bus is opened")
  func locked() async throws {
    try await Premises.serve(1, toPrograms: true) { premises in
      try await premises.whileAdapterIsTaken {
        try await premises.site.run(["apply", "annexe.yaml", "--reports", "annexe"]).expect(
          69, errors: "another run works on annexe", notErrors: "D-Bus")
      }
    }
  }

  @Test(
    "Ctrl-C during the wait for an adapter ends the command with 130 and leaves no run",
    arguments: [SIGINT, SIGTERM])
  func interrupted(_ signal: Int32) async throws {
    try await Premises.serve(1, toPrograms: true) { premises in
      await premises.building.world.setPowered(false, ServedBuilding.adapter)
      let run = try premises.site.start(
        Self.apply + ["--adapter-wait", "600"], bus: premises.building.bus)
      try await run.prints("waiting up to")
      run.send(signal)
      try await run.ended().expect(130)
      #expect(premises.site.runs.isEmpty)
    }
  }

  // MARK: Adapters that may still appear

  private static let present = [
    Adapter(id: AdapterID(ServedBuilding.adapter), name: "hci0", state: .poweredOff)
  ]

  private static func known(kernel: [String] = []) -> KnownAdapters {
    let building = Building(
      id: "harbour", name: "Harbour House",
      adapters: [AdapterDescription("hci4", alias: "lobby")], rooms: [], families: FamilyCatalogue.builtIn)
    return KnownAdapters(building, BuildingArchive(runs: []), kernel: kernel)
  }

  @Test(
    "an adapter may appear if manifest or kernel list it or its address names it",
    arguments: [
      (["hci0"], []), (["hci7"], ["hci7"]), (["hci4"], []), (["00:1A:7D:DA:71:99"], []),
      (["hci0", "hci7", "lobyy"], ["hci7", "lobyy"]), ([], []),
    ])
  func unknown(_ wanted: [String], _ expected: [String]) {
    let found = Self.known().unknown(wanted.map { AdapterReference($0) }, besides: Self.present)
    #expect((found ?? []).map(\.text) == expected)
    let kernel = Self.known(kernel: ["hci0", "hci7"])
      .unknown(wanted.map { AdapterReference($0) }, besides: Self.present)
    #expect((kernel ?? []).map(\.text) == expected.filter { $0 != "hci7" })
  }

  @Test(
    "a host is another one if it has adapters, and none of those that it had",
    arguments: [
      ([], [1], false), ([1], [], false), ([1], [1, 2], false), ([1, 2], [2], false), ([1, 2], [3], true),
    ] as [([UInt64], [UInt64], Bool)])
  func otherHost(before: [UInt64], now: [UInt64], isAnother: Bool) throws {
    let (host, other) = (try #require(HostName("floor-3")), try #require(HostName("floor-4")))
    func adapters(_ numbers: [UInt64], of other: AdapterID) -> [AdapterID] {
      numbers.map { AdapterID(BluetoothAddress(rawValue: $0), on: host) } + [other]
    }
    let events = adapters(before, of: AdapterID(BluetoothAddress(rawValue: 3), on: other)).enumerated().map {
      RunEvent(
        sequence: $0 + 1, at: Forgery.began, elapsed: .zero,
        fact: .adapterSelected(.init(adapter: $1, name: "hci0")))
    }
    let run = BuildingArchive.Run(id: "run", journal: "", record: JournalRecord(events: events))
    let known = KnownAdapters(
      Building(id: "harbour", name: "Harbour House", rooms: [], families: FamilyCatalogue.builtIn),
      BuildingArchive(runs: [run]), kernel: [])
    let present = adapters(now, of: AdapterID(BluetoothAddress(rawValue: 1), on: other)).map {
      Adapter(id: $0, name: "hci0", state: .ready)
    }
    #expect(known.isAnother(host, with: present) == isAnother)
  }

  @Test("adapter names are not checked if no adapter is present")
  func nonePresent() {
    #expect(Self.known().unknown(["hci7"], besides: []) == nil)
  }

  @Test("a mistyped adapter name gets the nearest name")
  func nearest() {
    let failure = Self.known().failure(["loby"], besides: Self.present)
    #expect(failure.status == .unavailable)
    #expect(failure.advice?.contains("Did you mean --adapter lobby?") == true, "\(failure.text)")
  }
}
