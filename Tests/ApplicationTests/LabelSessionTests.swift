import Bluetooth
import Foundation
import Host
import Model
import Reporting
import Synchronization
import Testing
import VirtualBuilding
import VirtualCentral
import VirtualTime

@testable import Application

/// The session over labels as phones use it, on the in-process radio in virtual time.
@Suite("A session over labels, with phones")
struct LabelSessionTests {
  private static let rooms: [RoomID] = ["room-101", "room-102", "room-103"].map { RoomID(rawValue: $0) }
  private static let adapter = BluetoothAddress(rawValue: 0x00_1A_7D_DA_71_01)
  private static let anna = Walk.Person(phone: 1, name: "Anna")
  private static let ben = Walk.Person(phone: 2, name: "Ben")

  private static func address(_ number: UInt64) -> BluetoothAddress {
    BluetoothAddress(rawValue: 0xC4_7C_8D_00_00_00 + number)
  }

  private static func sensor(
    _ number: UInt64, _ rssi: Int = -60, after seconds: Int = 0, _ family: FirmwareFamily = .all[0]
  ) -> SensorScenario {
    SensorScenario(
      address: address(number), family: family, signal: .init(base: rssi), appearsAfter: .seconds(seconds))
  }

  /// How long the computer slept: its clock stood still, and the time of day did not.
  private final class Slept: Sendable {
    let seconds = Mutex(0.0)
  }

  /// Runs `body` beside a session for three rooms.
  /// - Parameters:
  ///   - described: The file of the family of all devices; nil for families of the program.
  ///   - host: The computer of the adapter; nil for this one.
  private static func run<Value: Sendable>(
    _ sensors: [SensorScenario], rooms manifest: String = "", described: String? = nil,
    on host: HostName? = nil, slept: Slept = Slept(),
    _ body: @escaping @Sendable (LabelSession, VirtualClock, World) async throws -> Value
  ) async throws -> Value {
    let directory = FileManager.default.temporaryDirectory.appending(path: "labels-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.appending(path: "building.yaml")
    let rooms =
      manifest.isEmpty
      ? (101...103).map { "  - { room: Room \($0), minor: \($0) }\n" }.joined() : manifest
    let families = described.map { "families: ['\($0)']\n" } ?? ""
    try "building: Harbour House\nid: harbour\nmatch: later\n\(families)rooms:\n\(rooms)".write(
      to: file, atomically: true, encoding: .utf8)
    let source = try ManifestSource.load(file.path)
    var sensors = sensors
    if described != nil, let family = source.building.rooms.first?.family {
      for index in sensors.indices { sensors[index].family = FirmwareFamily(described: family) }
    }
    let adapter = AdapterScenario(address: Self.adapter, on: host, name: "hci0")
    let scenario = Scenario(
      seed: 1, adapters: [adapter], hosts: host.map { [HostScenario($0)] } ?? [], sensors: sensors)
    return try await VirtualTime.run { clock in
      let world = World(scenario: scenario, clock: clock)
      let stack = BluetoothStack(
        await VirtualCentral(world: world, on: host, clock: clock),
        Surroundings.Time(
          clock: clock,
          wall: {
            Date(timeIntervalSince1970: clock.now.sinceZero.inSeconds + slept.seconds.withLock(\.self))
          },
          chance: { 0.5 }),
        isSimulated: true)
      let session = LabelSession(
        Walk(source.building.rooms, of: source.building, provisions: true), source,
        .init(
          stack: stack, adapters: AdapterChoice(names: [], wait: .seconds(5)), scanTime: 5, isRehearsal: true),
        servesPhones: true
      ) { _, _ in }
      return try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask {
          await world.run()
          return nil
        }
        group.addTask {
          try await session.run()
          return nil
        }
        group.addTask {
          await session.untilReady()
          let value = try await body(session, clock, world)
          await session.end()
          return value
        }
        defer { group.cancelAll() }
        while let ended = try await group.next() { if let value = ended { return value } }
        throw CancellationError()
      }
    }
  }

  @Test("the device that was switched on just before, or while it is looked for, is offered")
  func switchedOn() async throws {
    for wait in [30, 12] {
      let answer = try await Self.run([Self.sensor(1), Self.sensor(2), Self.sensor(3, after: 20)]) {
        session, clock, _ in
        try await clock.sleep(for: .seconds(wait))
        return await session.act(.near, in: Self.rooms[0], by: Self.anna)
      }
      #expect(answer.candidates.map(\.device) == [Self.address(3)], "\(answer)")
    }
  }

  @Test("the nearest device is offered, and taken once the person confirms it")
  func nearest() async throws {
    try await Self.run([Self.sensor(1, -80), Self.sensor(2, -40), Self.sensor(3, -75)]) { session, clock, _ in
      try await clock.sleep(for: .seconds(10))
      let guess = await session.act(.bind(Self.address(2)), in: Self.rooms[0], by: Self.anna)
      #expect(!guess.isGood && guess.words.contains("was not offered"), "\(guess)")
      let found = await session.act(.near, in: Self.rooms[0], by: Self.anna)
      #expect(found.candidates.map(\.device) == [Self.address(2)], "\(found)")
      let bound = await session.act(.bind(Self.address(2)), in: Self.rooms[0], by: Self.anna)
      #expect(bound.isGood && bound.words == "Room 101: taken", "\(bound)")
      // It is no room's any more.
      let next = await session.act(.near, in: Self.rooms[1], by: Self.anna)
      #expect(next.candidates.isEmpty && !next.isGood, "\(next)")
    }
  }

  @Test("among devices that are equally near none is offered")
  func equallyNear() async throws {
    let answer = try await Self.run([Self.sensor(1, -50), Self.sensor(2, -52)]) { session, clock, _ in
      try await clock.sleep(for: .seconds(10))
      return await session.act(.near, in: Self.rooms[0], by: Self.anna)
    }
    #expect(
      answer.candidates.isEmpty && answer.words.hasPrefix("No device is clearly the nearest"), "\(answer)")
  }

  @Test("an adapter of another computer does not tell what is near")
  func gateway() async throws {
    let answer = try await Self.run([Self.sensor(1, -40), Self.sensor(2, -80)], on: HostName("gw1")) {
      session, clock, _ in
      try await clock.sleep(for: .seconds(10))
      return await session.act(.near, in: Self.rooms[0], by: Self.anna)
    }
    #expect(
      answer.words == "No adapter is with you: nearness to a gateway says nothing. Give the label.",
      "\(answer)")
  }

  @Test("a device blinks if its family can, and the room has it")
  func blink() async throws {
    let rooms = """
        - { room: Lamp, profile: improv-wifi, address: "\(Self.address(1))", wifi: { ssid: Plant, password: correct horse } }
        - { room: Room 102, minor: 102 }

      """
    let answers = try await Self.run([Self.sensor(1, -50, .improvWiFi), Self.sensor(2)], rooms: rooms) {
      session, clock, _ in
      try await clock.sleep(for: .seconds(10))
      return [
        await session.act(.identify, in: RoomID(rawValue: "lamp"), by: Self.anna),
        await session.act(.identify, in: Self.rooms[1], by: Self.ben),
      ]
    }
    #expect(answers[0] == PhoneAnswer("Asked \(Self.address(1)) to blink", isGood: true), "\(answers)")
    #expect(!answers[1].isGood && answers[1].words.contains("cannot"), "\(answers)")
  }

  @Test("a device that is offered can be asked to blink first, and is taken then")
  func blinkFirst() async throws {
    let rooms = "  - { room: Lamp, profile: improv-wifi, wifi: { ssid: Plant, password: correct horse } }\n"
    try await Self.run([Self.sensor(1, -50, .improvWiFi)], rooms: rooms) { session, clock, _ in
      func act(_ action: PhoneAction) async -> PhoneAnswer {
        await session.act(action, in: RoomID(rawValue: "lamp"), by: Self.anna)
      }
      try await clock.sleep(for: .seconds(10))
      #expect(await !act(.identify).isGood, "no device is known")
      let found = await act(.digits("0001"))
      #expect(found.candidates.map(\.device) == [Self.address(1)], "\(found)")
      let asked = await act(.identify)
      #expect(asked.words == "Asked \(Self.address(1)) to blink" && asked.isGood, "\(asked)")
      #expect(asked.candidates == found.candidates, "\(asked)")
      let taken = await act(.bind(Self.address(1)))
      #expect(taken.isGood && taken.words == "Lamp: taken", "\(taken)")
    }
  }

  @Test("a room at which nothing was done for 15 minutes is free for others, and not before")
  func absent() async throws {
    try await Self.run([Self.sensor(1)]) { session, clock, _ in
      #expect(await session.act(.go, in: Self.rooms[0], by: Self.anna).isGood)
      try await clock.sleep(for: .seconds(890))
      let refused = await session.act(.go, in: Self.rooms[0], by: Self.ben)
      #expect(refused == PhoneAnswer("Anna is at Room 101", isGood: false))
      try await clock.sleep(for: .seconds(20))
      #expect(await session.act(.go, in: Self.rooms[0], by: Self.ben).isGood)
      #expect(await session.act(.go, in: Self.rooms[0], by: Self.anna).words == "Ben is at Room 101")
    }
  }

  @Test("of the codes in a photo the only label is taken; none, and two labels, are refused")
  func photo() async throws {
    try await Self.run([Self.sensor(1), Self.sensor(2)]) { session, clock, _ in
      func give(_ texts: [String]) async -> PhoneAnswer {
        await session.act(.label(texts), in: Self.rooms[0], by: Self.anna)
      }
      let labels = [Self.address(1).description, Self.address(2).description]
      #expect(await give([]).words.hasPrefix("No code was read"))
      #expect(await give(labels).words.contains("2 codes are in the photo, and 2 of them can be the label"))
      #expect(await give(["4006381333931", "hello"]).words.contains("none of them can be the label"))
      func undo() async -> [String?]? {
        for await state in await session.states() { return state.people.map(\.undo) }; return nil
      }
      #expect(await undo() == [nil])
      let taken = await give(["4006381333931", labels[1]])
      #expect(taken.isGood && taken.words == "Room 101: taken", "\(taken)")
      #expect(await undo() == ["Room 101"])
    }
  }

  @Test("an adapter that was lost and returns is used again, and what it receives first is not new")
  func returned() async throws {
    try await Self.run([Self.sensor(1), Self.sensor(2, after: 40)]) { session, clock, world in
      func give() async -> PhoneAnswer {
        await session.act(.digits("0002"), in: Self.rooms[0], by: Self.anna)
      }
      try await clock.sleep(for: .seconds(10))
      await world.setPresent(false, Self.adapter)
      try await clock.sleep(for: .seconds(10))
      #expect(await give().words == "Not found: nothing is received; type the 12 hex digits of the label")
      try await clock.sleep(for: .seconds(30))
      await world.setPresent(true, Self.adapter)
      try await clock.sleep(for: .seconds(10))
      let near = await session.act(.near, in: Self.rooms[0], by: Self.anna)
      #expect(near.candidates.isEmpty, "\(near)")
      #expect(await give().candidates.map(\.device) == [Self.address(2)])
    }
  }

  @Test(
    "the scan of the session is the survey of a run that follows, unless it was short or a device sent the room's identity"
  )
  func surveyed() async throws {
    var neighbour = Self.sensor(3)
    neighbour.holds = ["minor": "102"]
    for wait in [1, 4] {
      let surveyed = try await Self.run([Self.sensor(1), Self.sensor(2), neighbour]) { session, clock, _ in
        try await clock.sleep(for: .seconds(wait))
        return [await session.surveyed(for: [Self.rooms[0]]), await session.surveyed(for: Self.rooms)]
      }
      #expect(surveyed == [wait == 4 ? [AdapterID(Self.adapter)] : [], []], "\(wait)")
    }
  }

  @Test("a scan during which the computer slept is no survey")
  func sleptMeanwhile() async throws {
    let slept = Slept()
    let surveyed = try await Self.run([Self.sensor(1)], slept: slept) { session, clock, _ in
      try await clock.sleep(for: .seconds(60))
      let before = await session.surveyed(for: Self.rooms)
      slept.seconds.withLock { $0 = 3600 }
      return [before, await session.surveyed(for: Self.rooms)]
    }
    #expect(surveyed == [[AdapterID(Self.adapter)], []])
  }

  @Test("digits are looked for until a scan that has just begun has received every device")
  func young() async throws {
    try await Self.run([Self.sensor(1), Self.sensor(2, after: 1)]) { session, clock, _ in
      let began = clock.now
      let found = await session.act(.digits("0002"), in: Self.rooms[0], by: Self.anna)
      #expect(found.candidates.map(\.device) == [Self.address(2)], "\(found)")
      #expect(began.duration(to: clock.now) < .seconds(4))
      let missing = await session.act(.digits("0003"), in: Self.rooms[0], by: Self.anna)
      #expect(missing.candidates.isEmpty)
      #expect(began.duration(to: clock.now) < .seconds(5))
    }
  }

  @Test("the last digits of a label find a device of a family that the building describes")
  func described() async throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../manifests/families/battery-tag.yaml"
    ).standardizedFileURL.path
    let answer = try await Self.run(
      [Self.sensor(1)], rooms: "  - { room: Store, profile: battery-tag, number: 1, zone: 3 }\n",
      described: file
    ) { session, clock, _ in
      try await clock.sleep(for: .seconds(5))
      return await session.act(.digits("0001"), in: RoomID(rawValue: "store"), by: Self.anna)
    }
    #expect(answer.candidates.map(\.device) == [Self.address(1)], "\(answer)")
  }
}
