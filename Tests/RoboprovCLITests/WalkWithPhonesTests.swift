import Bluetooth
import Foundation
import Hex
import Model
import SampleFacts
import Testing
import VirtualBuilding

/// Buildings that are provisioned with phones, as `roboprov walk --phone` and its page do it: by HTTP.
@Suite("`walk --phone`", .timeLimit(.minutes(60)))
struct WalkWithPhonesTests {
  private static let command = ["walk", "building.yaml", "--phone", "--scan-time", "2"]

  private static func room(_ number: Int) -> String { "room-\(100 + number)" }

  /// The last four digits of the label of a sensor.
  private static func digits(_ number: Int) -> String { number.hex(digits: 4, uppercase: true) }

  /// The address that a session shows.
  private static func address(_ process: Invocation) async throws -> String {
    let form = #/http://127\.0\.0\.1:\d+/w/[0-9a-f]{32}/#
    try await process.until("the address") { process.outputSoFar.contains(form) }
    return String(try #require(process.outputSoFar.firstMatch(of: form)).output)
  }

  private static func write(_ site: Site, rooms: Int, hosts: String = "") throws {
    try site.writeManifest((1...rooms).map { Place(minor: 100 + $0) }, assign: "later")
    guard !hosts.isEmpty else { return }
    let file = site.directory.appending(path: "building.yaml")
    let text = try String(contentsOf: file, encoding: .utf8)
    try site.write("building.yaml", text.replacing("match:", with: "hosts: { \(hosts) }\nmatch:"))
  }

  /// The persons whom the record names, run by run.
  private static func operators(_ site: Site) throws -> [String] {
    let runs = site.directory.appending(path: "reports/\(Site.building)")
    return try FileManager.default.contentsOfDirectory(atPath: runs.path).sorted().compactMap { run in
      let journal = runs.appending(path: "\(run)/journal.jsonl")
      guard run != "latest", let text = try? String(contentsOf: journal, encoding: .utf8) else { return nil }
      return text.firstMatch(of: #/"operator":"([^"]*)"/#).map { String($0.1) }
    }
  }

  @Test(
    "40 rooms are commissioned by one phone over a gateway: with a wrong label, a dead sensor and a lost network, record, page and flash agree"
  )
  func building() async throws {
    let (count, dead) = (40, 13)
    let sensors = (1...count).map {
      $0 == dead ? ServedBuilding.sensor($0, .silent) : ServedBuilding.sensor($0)
    }
    let adapter = AdapterScenario(
      address: BluetoothAddress(rawValue: 0x0200_0063_0000 + UInt64(getpid())), name: "hci0")
    try await ServedBuilding.serve(sensors, adapter: adapter) { building in
      try await Site.use { site in
        let gateway = try await Gateway("gw1", at: site, bus: building.bus)
        try Self.write(site, rooms: count, hosts: "floor-1: { ssh: gw1 }")
        let process = try site.start(
          Self.command + ["--adapter-wait", "600"], environment: Gateway.environment(at: site))
        let phone = try await Phone(opening: Self.address(process))
        try await phone.setName("Anna")
        #expect(try await phone.page().contains("phone.js"))
        #expect(try await phone.rooms().values.allSatisfy { $0.state == "left" })

        for number in 1...count {
          let room = Self.room(number)
          #expect(try await phone.act("go", in: room).isGood)
          switch number {
          case 7:
            // The label of the room before.
            let wrong = try await phone.act("label", in: room, #""text":"\#(ServedBuilding.address(6))""#)
            #expect(!wrong.isGood && wrong.words.contains("is already the device of Room 106"), "\(wrong)")
          case dead:
            let found = try await phone.act("digits", in: room, #""text":"\#(Self.digits(dead))""#)
            #expect(found.candidates.isEmpty && found.words.contains("check that it has power"), "\(found)")
            let taken = try await phone.act("label", in: room, #""text":"\#(ServedBuilding.address(dead))""#)
            #expect(taken.isGood, "\(taken)")
            continue
          case 20:
            // The laptop loses its gateway, and gets it back.
            gateway.cut()
          default: break
          }
          // The phone is in the lift: the answer is lost, and the page sends the request again.
          try await phone.give(Self.digits(number), in: room, isRepeated: number.isMultiple(of: 10))
        }

        // Rooms that lost their adapter are started again, as the page says.
        try await process.until("the end of all rooms") {
          let rooms = try await phone.rooms()
          for (room, shown) in rooms.sorted(by: { $0.key < $1.key })
          where shown.state == "failed" && room != Self.room(dead) {
            try await phone.act("provision", in: room)
          }
          return rooms[Self.room(dead)]?.state == "failed"
            && rooms.values.count { $0.state == "done" } == count - 1
        }
        let rooms = try await phone.rooms()
        let failed = try #require(rooms[Self.room(dead)])
        #expect(failed.words?.isEmpty == false && failed.by == "Anna", "\(failed)")
        try await phone.act("skip", in: Self.room(dead))
        process.send(SIGINT)
        try await process.ended().expect(
          100, output: "39 of 40 rooms done in this walk", "Left: Room 113",
          "Next: roboprov walk building.yaml --phone\n")

        // The flash of each sensor, the record and the manifest say the same.
        for number in 1...count where number != dead {
          #expect(await building.flash(number)?.minor == UInt16(100 + number), "\(number)")
          #expect(rooms[Self.room(number)]?.device == ServedBuilding.address(number).description)
        }
        #expect(await building.flash(dead)?.isSaved != true)
        try await site.run(["status", "building.yaml"]).expect(output: "39 of 40 rooms done")
        #expect(try Set(Self.operators(site)) == ["Anna"])
        let manifest = try String(
          contentsOf: site.directory.appending(path: "building.yaml"), encoding: .utf8)
        for number in 1...count { #expect(manifest.contains(ServedBuilding.address(number).description)) }
      }
    }
  }

  @Test("three phones work at once: a room, a device and a step belong to one of them")
  func several() async throws {
    try await Site.use { site in
      try Self.write(site, rooms: 6)
      try await ServedBuilding.serve((1...6).map { ServedBuilding.sensor($0) }) { building in
        let process = try site.startAtTerminal(Self.command, bus: building.bus)
        let address = try await Self.address(process)
        let anna = try await Phone(opening: address)
        try await anna.setName("Anna")
        var phones = [anna]
        for (name, isAllowed, place) in [
          ("Bob", true, "127.0.0.2"), ("Mallory", false, "127.0.0.3"), ("Cleo", true, "127.0.0.4"),
        ] {
          let phone = try await Phone(opening: address, from: place)
          let code = try await phone.code()
          try await process.prints(
            "Another phone (\(place)) asks to work", thenType: isAllowed ? "\(code)\n" : "n\n")
          try await process.until("the decision") {
            try await phone.page().contains(isAllowed ? "phone.js" : "403 ")
          }
          guard isAllowed else { continue }
          try await phone.setName(name)
          phones.append(phone)
        }
        let (bob, cleo) = (phones[1], phones[2])

        // One room.
        #expect(try await anna.act("go", in: Self.room(1)).isGood)
        let occupied = try await bob.act(
          "label", in: Self.room(1), #""text":"\#(ServedBuilding.address(1))""#)
        #expect(!occupied.isGood && occupied.words == "Anna is at Room 101", "\(occupied)")
        // One device: whoever confirms it first.
        try await bob.act("go", in: Self.room(2))
        try await site.until("sensor 1 on air") {
          let found = [
            try await anna.act("digits", in: Self.room(1), #""text":"0001""#),
            try await bob.act("digits", in: Self.room(2), #""text":"0001""#),
          ]
          return found.allSatisfy { $0.candidates.count == 1 }
        }
        let device = #""device":"\#(ServedBuilding.address(1))""#
        async let first = anna.act("bind", in: Self.room(1), device)
        async let second = bob.act("bind", in: Self.room(2), device)
        let bound = try await [first, second]
        #expect(bound.count(where: \.isGood) == 1, "\(bound)")
        let (owner, other, place) = bound[0].isGood ? (anna, bob, 1) : (bob, anna, 2)
        // A device that was not offered, and an undo of somebody who did nothing.
        let guess = try await cleo.act("bind", in: Self.room(3), #""device":"\#(ServedBuilding.address(3))""#)
        #expect(!guess.isGood && guess.words.contains("was not offered"), "\(guess)")
        #expect(try await !cleo.act("undo", in: Self.room(place)).isGood)
        _ = owner
        // The rest, all at once.
        async let left: () = other.give("0002", in: Self.room(3 - place))
        try await cleo.give("0003", in: Self.room(3))
        try await left
        try await cleo.give("0004", in: Self.room(4))
        try await process.until("the end of four rooms") {
          try await anna.rooms().values.count { $0.state == "done" } == 4
        }
        let rooms = try await cleo.rooms()
        #expect(try await anna.rooms() == rooms, "all see the same")
        #expect(rooms[Self.room(3)]?.by == "Cleo" && rooms[Self.room(5)]?.state == "left")
        try process.type("\u{3}")
        try await process.ended().expect(
          100, output: "4 of 6 rooms done in this walk", "Left: Room 105, Room 106")
        for number in 3...4 { #expect(await building.flash(number)?.minor == UInt16(100 + number)) }
        #expect(await building.flash(1)?.minor == UInt16(100 + place))
        #expect(await building.flash(2)?.minor == UInt16(103 - place))
        #expect(try Set(Self.operators(site)) == ["Anna", "Bob", "Cleo"])
      }
    }
  }

  @Test("`capture --phone` reads labels only, and each person takes back their own")
  func capture() async throws {
    try await Site.use { site in
      try Self.write(site, rooms: 3)
      func manifest() throws -> String {
        try String(contentsOf: site.directory.appending(path: "building.yaml"), encoding: .utf8)
      }
      let before = try manifest()
      let process = try site.startAtTerminal(["capture", "building.yaml", "--phone", "--offline"])
      let address = try await Self.address(process)
      let anna = try await Phone(opening: address)
      try await anna.setName("Anna")
      let bob = try await Phone(opening: address, from: "127.0.0.2")
      try await process.prints("Another phone", thenType: "\(bob.code())\n")
      try await process.until("the decision") { try await bob.page().contains("phone.js") }
      try await bob.setName("Bob")
      func label(_ number: Int) -> String { #""text":"\#(ServedBuilding.address(number))""# }
      #expect(try await anna.act("label", in: Self.room(1), label(1)).words.contains("saved"))
      #expect(try await bob.act("label", in: Self.room(2), label(2)).words.contains("saved"))
      #expect(try await bob.act("label", in: Self.room(3), label(3)).words.contains("saved"))
      // Anna's label was the first of three in the file.
      let undone = try await anna.act("undo", in: Self.room(1))
      #expect(undone.isGood && undone.words == "undone: Room 101", "\(undone)")
      #expect(try !manifest().contains("\(ServedBuilding.address(1))"))
      #expect(try await bob.act("undo", in: Self.room(1)).words == "undone: Room 103")
      #expect(try manifest().contains("\(ServedBuilding.address(2))"))
      #expect(try await bob.act("undo", in: Self.room(1)).words == "undone: Room 102")
      #expect(try manifest() == before)
      #expect(
        try await anna.act("digits", in: Self.room(1), #""text":"0001""#).words.contains(
          "nothing is received"))
      // An EUI-64 is asked about.
      let asked = try await anna.act("label", in: Self.room(1), #""text":"C4:7C:8D:FF:FE:00:00:01""#)
      #expect(asked.question?.contains("C4:7C:8D:00:00:01") == true, "\(asked)")
      #expect(try await anna.act("answer", in: Self.room(1), #""yes":true"#).words.contains("saved"))
      #expect(try await bob.rooms()[Self.room(1)]?.state == "labelled")
      try process.type("\u{3}")
      try await process.ended().expect(100, output: "1 label saved")
    }
  }

  @Test("the last digits of a label name its device at the terminal, too, once it is confirmed")
  func terminal() async throws {
    try await Site.use { site in
      try Self.write(site, rooms: 2)
      try await ServedBuilding.serve((1...2).map { ServedBuilding.sensor($0) }) { building in
        let run = try site.startAtTerminal(["walk", "building.yaml", "--scan-time", "2"], bus: building.bus)
        try await run.prints("[1/2] Room 101", thenType: "00FF\r")
        try await run.prints("No free device on air has a label that ends in 00FF")
        /// Types digits until their device is received.
        func give(_ digits: String, for address: String) async throws {
          func count(_ text: String) -> Int { run.outputSoFar.components(separatedBy: text).count - 1 }
          let refusal = "has a label that ends in \(digits.filter { $0 != ":" })"
          while true {
            let before = count(refusal)
            try run.type("\(digits)\r")
            try await run.until(address) { run.outputSoFar.contains(address) || count(refusal) > before }
            if run.outputSoFar.contains(address) { return }
          }
        }
        try await give("00:02", for: "Room 101: \(ServedBuilding.address(2))")
        try run.type("n\r")
        try await give("0001", for: "Room 101: \(ServedBuilding.address(1))")
        try run.type("y\r")
        try await run.prints("✓ Room 101 done", thenType: "q")
        try await run.ended().expect(100)
        #expect(await building.flash(1)?.minor == 101)
        #expect(await building.flash(2)?.isSaved != true)
      }
    }
  }
}
