import Bluetooth
import Engine
import Families
import Foundation
import Model
import Reporting
import SampleFacts
import Testing
import VirtualBuilding

@testable import Application
@testable import RoboprovCLI

@Suite("`walk` provisions rooms one by one", .timeLimit(.minutes(60)))
struct WalkCommandTests {
  private static let manifest = """
    building: Harbour House
    id: harbour
    match: later
    rooms:
      - { room: Room 101, minor: 101 }
      - { room: Room 102, minor: 102, address: "\(ServedBuilding.address(2))" }
      - { room: Room 103, minor: 103 }

    """

  private static func text(_ site: Site) throws -> String {
    try String(contentsOf: site.directory.appending(path: "building.yaml"), encoding: .utf8)
  }

  private static let command = ["walk", "building.yaml"]

  @Test("without input it ends", arguments: ["</dev/null", "<&-"])
  func noInput(input: String) async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.manifest)
      let program = Invocation.program.path
      try await site.runTool([
        "sh", "-c", "timeout 60 \(program) walk building.yaml --simulate \(input)",
      ]).expect(100)
    }
  }

  @Test("`walk` at a terminal takes labels, a wrong label, Enter, retry, undo and skip")
  func terminal() async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.manifest)
      let sensors = [
        ServedBuilding.sensor(1), ServedBuilding.sensor(2), ServedBuilding.sensor(3, .errorOnSave("no")),
      ]
      try await ServedBuilding.serve(sensors) { building in
        let run = try site.startAtTerminal(Self.command, bus: building.bus)
        try await run.prints("[1/3] Room 101", thenType: "\(ServedBuilding.address(2))\r")
        try await run.prints("Wrong label: \(ServedBuilding.address(2)) is already the device of Room 102")
        // Some scanners end a line with CR LF. The second is no Enter, which would begin Room 102.
        try run.type("\(ServedBuilding.address(1))\r\n")
        try await run.prints("✓ Room 101 done", thenType: "\(ServedBuilding.address(3))\r")
        try await run.prints("This room has \(ServedBuilding.address(2))")
        #expect(try Self.text(site).contains(ServedBuilding.address(1).description), "it is in the manifest")
        try run.type(".\r")
        try await run.prints("✓ Room 102 done", thenType: "\(ServedBuilding.address(3))\r")
        try await run.prints("✗ Room 103: ", thenType: "u")
        try await run.prints("undone: Room 103")
        #expect(try !Self.text(site).contains(ServedBuilding.address(3).description))
        try run.type("s")
        try await run.ended().expect(
          100, output: "2 of 3 rooms done in this walk", "Next: roboprov walk building.yaml")
        // Each room has its own run, recorded like a run of any other command.
        try await site.run(["status", "building.yaml"]).expect(output: "2 of 3 rooms done")
      }
    }
  }

  @Test("`walk` without a terminal reads lines; a single letter is a key, and Ctrl-C ends it in order")
  func lines() async throws {
    try await Site.use { site in
      try site.write("building.yaml", Self.manifest)
      try await ServedBuilding.serve([ServedBuilding.sensor(1), ServedBuilding.sensor(2)]) { building in
        let lines = "\(ServedBuilding.address(1))\n.\ns\n"
        try await site.run(
          Self.command, bus: building.bus, through: ["sh", "-c", "printf '%s' '\(lines)' | \"$@\"", "sh"]
        ).expect(100, output: "Left: Room 103", errors: "✓ Room 101 done", "✓ Room 102 done")
        try await site.run(Self.command + ["--only", "Room 101"], bus: building.bus).expect(
          0, errors: "Nothing to do")
        let waiting = try site.startAtTerminal(Self.command, bus: building.bus)
        try await waiting.prints("[1/1] Room 103", thenType: "\u{3}")
        try await waiting.ended().expect(130)
      }
    }
  }

  @Test("`i` has the room's device blink before it is provisioned")
  func identify() async throws {
    try await Site.use { site in
      try site.write(
        "building.yaml",
        Self.manifest.replacing(
          "Room 101, minor: 101", with: "Room 101, minor: 101, address: \(ServedBuilding.address(1))")
          + "  - { room: Hall, profile: improv-wifi, address: \(ServedBuilding.address(4)), wifi: { ssid: Plant, password: first of the year } }\n"
      )
      let lamp = SensorScenario(address: ServedBuilding.address(4), family: .improvWiFi)
      try await ServedBuilding.serve([ServedBuilding.sensor(1), lamp]) { building in
        let lines = #"i\ns\ni\n"#
        try await site.run(
          Self.command + ["--only", "Room 101", "Hall"], bus: building.bus,
          through: ["sh", "-c", "printf '\(lines)' | \"$@\"", "sh"]
        ).expect(errors: "It cannot be made to blink", "Asked \(ServedBuilding.address(4)) to blink")
        let firmware = await building.world.firmware(of: ServedBuilding.address(4)) as? ImprovFirmware
        #expect(firmware?.blinks == 1 && firmware?.flash.isSaved == false)
        #expect(await building.world.connectionCount(of: ServedBuilding.address(1)) == 0)
      }
    }
  }

  // MARK: The screen

  private static let adapter = AdapterID(BluetoothAddress(rawValue: 0x001A_7DDA_7101))

  @Test("the screen fits 40 columns and 20 lines, whatever it shows", arguments: [20, 40, 80])
  func view(width: Int) {
    let style = TerminalStyle(width: width, height: 20, hasColor: false)
    var view = WalkView()
    view.building = "Hotel Bellevue am Vierwaldstättersee \u{1B}[31m"
    view.counts = "0/300 done"
    let room = Room(
      id: "r", name: "A room with a very long name, on the left", floor: "3", family: .roboSensor,
      settings: [:], timeouts: StageTimeouts(), retries: 0)
    let building = Building(id: "b", name: "B", rooms: [room], families: FamilyCatalogue.builtIn)
    view.prompt = Walk([room], of: building, provisions: true).prompt
    view.typed = String(repeating: "C4", count: 40)
    let messages: [Walk.Message] = [
      .help(provisions: true), .help(provisions: false), .badLabel(.noAddress(digits: 6)),
      .wrongLabel(.address(ServedBuilding.address(1)), room: "Room 7\n"),
      .otherDevice(.address(ServedBuilding.address(1)), has: .address(ServedBuilding.address(2))),
      .beyondAll(.address(ServedBuilding.address(1))), .nothingToTake, .needsLabel, .nothingToUndo,
      .skipped("Room 7"),
      .back("Room 7"), .cannotIdentify, .offsetDeclined,
    ]
    for message in messages {
      let lines = WalkView.wrapped(message.words, to: width) + view.lines(style)
      #expect(lines.count <= 20 || width < 40, "\(lines)")
      for line in lines {
        #expect(line.columns <= width && line.visible == line, "\(width): \(line)")
      }
    }
  }

  @Test(
    "`walk` proposes the clearly nearest device or the only later arrival, and none of other rooms")
  func proposal() {
    func find(
      _ received: [(number: Int, rssi: Int, at: Double)], except taken: Set<BluetoothAddress> = [],
      seen: Set<BluetoothAddress> = [], atWorkBefore: Int? = nil
    ) -> WalkProposal? {
      var air = AirLedger(families: FamilyCatalogue.builtIn)
      if let atWorkBefore {
        let beacon = IBeacon(
          uuid: "12345678-9ABC-DEF0-1234-56789ABCDEF0", major: 1, minor: 7, measuredPower: -59)
        _ = air.receive(
          Advertisement(
            address: ServedBuilding.address(atWorkBefore), adapter: Self.adapter,
            receivedAt: MonotonicInstant(sinceZero: .seconds(0.5)), rssi: -80,
            manufacturerData: [IBeacon.company: beacon.manufacturerData]))
      }
      for (number, rssi, at) in received {
        for step in 0..<12 where at + Double(step) / 2 <= 12 {
          _ = air.receive(
            Advertisement(
              address: ServedBuilding.address(number), adapter: Self.adapter,
              receivedAt: MonotonicInstant(sinceZero: .seconds(at + Double(step) / 2)), rssi: rssi,
              localName: "Robo Sensor"))
        }
      }
      return WalkProposal(
        air.free(for: "robo-sensor"), except: taken, seen: seen, on: [Self.adapter],
        since: MonotonicInstant(sinceZero: .zero), now: MonotonicInstant(sinceZero: .seconds(12)))
    }
    let (one, two) = (ServedBuilding.address(1), ServedBuilding.address(2))
    #expect(find([(1, -50, 0.5), (2, -70, 0.5)]) == .nearest(one, rssi: -50))
    #expect(find([(1, -50, 0.5), (2, -55, 0.5)]) == nil, "neither is clearly nearer")
    #expect(find([(1, -80, 0.5)]) == nil, "too far to be here")
    #expect(find([(1, -50, 0.5), (2, -70, 0.5)], except: [one]) == .nearest(two, rssi: -70))
    #expect(find([(1, -50, 0.5), (2, -80, 7)]) == .switchedOn(two, rssi: -80))
    #expect(
      find([(1, -50, 0.5), (2, -80, 7)], seen: [two]) == .nearest(one, rssi: -50), "it was there before")
    #expect(find([(1, -75, 7), (2, -76, 7)]) == nil, "two were switched on")
    #expect(
      find([(1, -50, 0.5), (2, -80, 7)], atWorkBefore: 2) == .switchedOn(two, rssi: -80),
      "it was put into provisioning mode")
  }
}
