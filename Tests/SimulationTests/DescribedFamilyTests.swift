import Bluetooth
import Engine
import Families
import Foundation
import Journal
import Manifest
import Model
import Reporting
import Session
import Simulation
import Testing
import VirtualBuilding
import VirtualCentral
import VirtualTime

/// Families that files describe go the whole way, from their file to reports.
@Suite("Described families", .timeLimit(.minutes(60))) struct DescribedFamilyTests {
  private static func file(_ path: String) throws -> [UInt8] {
    let project = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return Array(try Data(contentsOf: project.appending(path: path)))
  }

  private static func family(_ path: String, _ change: (String) -> String = { $0 }) throws -> DeviceFamily {
    let text = change(String(decoding: try file(path), as: UTF8.self))
    let reading = ManifestReader.family(Array(text.utf8), file: path, beside: FamilyCatalogue())
    return try #require(reading.family, "\(reading.rendered)")
  }

  private static func tag() throws -> DeviceFamily { try family("manifests/families/battery-tag.yaml") }
  private static func lamp() throws -> DeviceFamily { try family("manifests/families/lamp-controller.yaml") }

  // MARK: Random buildings

  /// The firmware is that of the built-in family, which knows nothing of the file.
  @Test(
    "random buildings of devices that a file describes hold all rules, with firmware made independently",
    arguments: [("iot-design-shop", FirmwareFamily.iotDesignShop), ("robo-sensor", .roboSensor)])
  func independent(name: String, firmware: FirmwareFamily) async throws {
    let family = try Self.family("Tests/DescribedFamilies/\(name).yaml")
    try await Self.play(SimulatedFamilies([FamilyDriver(described: family)], [firmware, .midiKeyboard]))
  }

  @Test("random buildings of the example families hold all rules")
  func examples() async throws {
    let (tag, lamp) = (try Self.tag(), try Self.lamp())
    let ofTags = FirmwareDraw(
      number: "number",
      faults: { _ in [.noReady, .noSaved, .errorOnSave("full"), .drops(in: .write(2)), .neverReturns] }
    ) { number, site, _ in
      ["number": .integer(number), "zone": .integer(site.major % 256), .roomName: .text("Room \(number)")]
    }
    let ofLamps = FirmwareDraw(faults: { _ in [.noSaved, .errorOnSave("hot"), .drops(in: .confirm(2))] }) {
      number, _, chance in
      var settings: [SettingName: SettingValue] = [
        "fixture": .integer(number % 512 + 1), "mode": .text(chance.chance(0.5) ? "warm" : "cold"),
      ]
      if chance.chance(0.5) { settings["fade"] = .duration(.milliseconds(300)) }
      return settings
    }
    try await Self.play(
      SimulatedFamilies(
        [FamilyDriver(described: tag), FamilyDriver(described: lamp)],
        [FirmwareFamily(described: tag), FirmwareFamily(described: lamp)],
        draws: [tag.id.rawValue: ofTags, lamp.id.rawValue: ofLamps]))
  }

  @Test(
    "random buildings of valves with a secret and a packet, and of locked ones, hold all rules",
    arguments: [false, true])
  func valves(isLocked: Bool) async throws {
    let valve = try Self.family("manifests/families/valve.yaml") { text in
      let pin = "  - { uuid: 9A1E0001-52AA-4B3C-9D4E-5F60718293A4, holds: { pin: uint32_le } }\n"
      let packet =
        "holds: [\"0xA5\", { length: uint8, valve_id: uint32_le, offset: int8, mode: uint8, check: xor8 }]"
      let changed = text.replacing("holds: { valve_id: uint32_le, offset: int8, mode: uint8 }", with: packet)
      return !isLocked
        ? changed
        : changed.replacing(pin, with: "")
          + "unlock: { characteristic: 9A1E0001-52AA-4B3C-9D4E-5F60718293A4, holds: { pin: uint32_le } }\n"
    }
    let faults: [Fault] = [
      .noSaved, .errorOnSave("!"), .drops(in: .confirm(1)),
      .own(.storesWrong("9A1E0002-52AA-4B3C-9D4E-5F60718293A4")),
    ]
    let draw = FirmwareDraw(
      faults: { _ in faults },
      more: { _, room, _, _, _ in if isLocked { room.access["pin"] = .secret(Secret("123456")) } }
    ) { number, _, chance in
      var settings: [SettingName: SettingValue] = [
        "valve_id": .integer(70_000 + number), "offset": .text(chance.chance(0.5) ? "-0.5" : "1"),
        "mode": .text("eco"),
      ]
      if !isLocked { settings["pin"] = .secret(Secret("123456")) }
      return settings
    }
    try await Self.play(
      SimulatedFamilies(
        [FamilyDriver(described: valve)], [FirmwareFamily(described: valve)],
        draws: [valve.id.rawValue: draw]))
  }

  @Test("random buildings of devices that are paired with a passkey, or once they demand it, hold all rules")
  func paired() async throws {
    let tag = try Self.family("manifests/families/battery-tag.yaml") { "pairing: passkey\n" + $0 }
    let lamp = try Self.family("manifests/families/lamp-controller.yaml") { "pairing: if_asked\n" + $0 }
    let faults = PairingFault.allCases.filter { $0 != .demanded }.map { Fault.pairing($0) }
    let ofTags = FirmwareDraw(
      number: "number", faults: { _ in faults },
      // Each device has the usual label.
      more: { _, room, _, _, _ in room.access[.passkey] = .secret(Secret("000000")) }
    ) { number, site, _ in
      ["number": .integer(number), "zone": .integer(site.major % 256), .roomName: .text("Room \(number)")]
    }
    let ofLamps = FirmwareDraw(faults: { _ in faults + [.pairing(.demanded), .drops(in: .confirm(2))] }) {
      number, _, _ in
      ["fixture": .integer(number % 512 + 1), "mode": .text("warm")]
    }
    try await Self.play(
      SimulatedFamilies(
        [FamilyDriver(described: tag), FamilyDriver(described: lamp)],
        [FirmwareFamily(described: tag), FirmwareFamily(described: lamp)],
        draws: [tag.id.rawValue: ofTags, lamp.id.rawValue: ofLamps]))
  }

  private static func play(_ families: SimulatedFamilies) async throws {
    let tally = await Campaign(seed: 11, count: 25, width: 2, families: families).play { _, result in
      #expect(result.violations.isEmpty, "\(result.seed): \(result.violations)")
      return true
    }
    #expect(tally.outcomes[.provisioned, default: 0] > 20)
  }

  // MARK: Runs

  private static let address = BluetoothAddress(rawValue: 0xC47C_8D00_0001)

  /// Two runs on one device, each with the record of the earlier one.
  private func runs(
    _ manifest: String, then second: String? = nil, _ families: [DeviceFamily], device: FirmwareFamily,
    holds: [String: String] = [:], faults: [ScheduledFault] = []
  ) async throws -> (reports: [RunReport], events: [[RunEvent]], writes: Int, flash: Flash?) {
    let buildings = try [manifest, second ?? manifest].map { text in
      let reading = ManifestReader.read(
        Array(text.utf8), file: "b.yaml", families: FamilyCatalogue(families))
      return try #require(reading.building, "\(reading.rendered)")
    }
    let scenario = Scenario(
      seed: 1,
      adapters: [AdapterScenario(address: BluetoothAddress(rawValue: 0x001A_7DDA_7100), name: "hci0")],
      sensors: [SensorScenario(address: Self.address, family: device, holds: holds, faults: faults)])
    return try await VirtualPremises.use(scenario) { premises in
      let drivers = families.map { FamilyDriver(described: $0) }
      var events: [[RunEvent]] = []
      for building in buildings { events.append(await premises.run(building, drivers, after: events)) }
      let world = premises.world
      return (
        events.map { RunReport($0) }, events, await world.writes.count, await world.flash(of: Self.address)
      )
    }
  }

  private static let lobby = """
    building: B
    defaults: { profile: lamp-controller }
    rooms: [{ room: Lobby, fixture: 7, mode: cold, fade: 2s, address: "C4:7C:8D:00:00:01" }]
    """

  @Test(
    "a lamp is proved by what it reports, is done in the next run, and the record has the digest of its file")
  func lamp() async throws {
    let lamp = try Self.lamp()
    let run = try await runs(Self.lobby, [lamp], device: FirmwareFamily(described: lamp))
    let rooms = run.reports.map { $0["lobby"] }
    #expect(rooms.map { $0?.outcome } == [.provisioned, .alreadyProvisioned])
    #expect(rooms[0]?.evidence?.grade == .deviceStatus)
    #expect(run.flash?.values == ["fixture": [7, 0], "mode": [2], "fade": [20]])
    let started = run.events[0].compactMap { if case .runStarted(let fact) = $0.fact { fact } else { nil } }
    #expect(started.first?.families?.map(\.digest) == [lamp.digest])
    #expect(lamp.digest?.hasPrefix("content:") == true)
  }

  @Test("a refusal in bytes is on record in hex, and no success")
  func refused() async throws {
    let lamp = try Self.lamp()
    let run = try await runs(
      Self.lobby, [lamp], device: FirmwareFamily(described: lamp), faults: [ScheduledFault(.errorOnSave("!"))]
    )
    #expect(run.reports[0]["lobby"]?.outcome == .failed)
    #expect(run.reports[0]["lobby"]?.reason == .refused(stage: .save, deviceText: "0x8021"))
  }

  @Test(
    "a device without its `saved` is never a success", arguments: [Fault.noSaved, .drops(in: .confirm(2))])
  func silent(fault: Fault) async throws {
    let lamp = try Self.lamp()
    let run = try await runs(
      Self.lobby, [lamp], device: FirmwareFamily(described: lamp), faults: [ScheduledFault(fault)])
    #expect(run.reports.allSatisfy { $0["lobby"]?.outcome.isSuccess == false })
  }

  @Test("a status from before the writes is no answer, also where it can only be read")
  func oldStatus() async throws {
    let lamp = try Self.lamp()
    let run = try await runs(
      Self.lobby, then: Self.lobby.replacing("fixture: 7", with: "fixture: 8"), [lamp],
      device: FirmwareFamily(described: lamp), faults: [ScheduledFault(.refusesSubscription)])
    #expect(run.reports[0]["lobby"]?.outcome == .provisioned)
    #expect(run.reports[1]["lobby"]?.outcome.isSuccess == false)
  }

  @Test("a refusal counts, also if the device ends the link as after a success")
  func refusedAndLeft() async throws {
    let button = try Self.family("manifests/families/lamp-controller.yaml") {
      $0.replacing("proof: status", with: "proof: disconnection").replacing("  saved: \"0x01\"\n", with: "")
    }
    let run = try await runs(
      Self.lobby, [button], device: FirmwareFamily(described: button),
      faults: [ScheduledFault(.errorOnSave("!"))])
    #expect(run.reports[0]["lobby"]?.reason == .refused(stage: .save, deviceText: "0x8021"))
  }

  /// A device that is read first and proved by what is read back.
  private static func meter() throws -> DeviceFamily {
    try family("manifests/families/lamp-controller.yaml") { text in
      text.replacing("proof: status", with: "proof: read_back\nread_first: true\nread_back: true")
        .replacing("range: 1..512", with: "range: 1..512\n    factory: 1")
    }
  }

  @Test("a read-back proves a device, an equal one is not written, and another room's is refused")
  func readBack() async throws {
    let meter = try Self.meter()
    let run = try await runs(Self.lobby, [meter], device: FirmwareFamily(described: meter))
    #expect(run.reports[0]["lobby"]?.outcome == .provisioned && run.writes == 2)
    #expect(run.reports[0]["lobby"]?.evidence?.grade == .settingsReadBack)
    #expect(run.reports[1]["lobby"]?.outcome == .alreadyProvisioned)
    let other = try await runs(
      Self.lobby, [meter], device: FirmwareFamily(described: meter),
      holds: ["fixture": "9", "mode": "warm", "fade": "1s"])
    #expect(other.reports[0]["lobby"]?.outcome == .actionRequired && other.writes == 0)
    #expect(other.reports[0]["lobby"]?.reason?.code == .foreignSettings)
    let equal = try await runs(
      Self.lobby, [meter], device: FirmwareFamily(described: meter),
      holds: ["fixture": "7", "mode": "cold", "fade": "2s"])
    #expect(equal.reports[0]["lobby"]?.outcome == .alreadyProvisioned && equal.writes == 0)
    let worn = try await runs(
      Self.lobby, [meter], device: FirmwareFamily(described: meter),
      faults: [ScheduledFault(.own(.storesWrong("7C1E0001-52AA-4B3C-9D4E-5F60718293A4")))])
    #expect(worn.reports[0]["lobby"]?.reason?.code == .readBackMismatch)
  }

  @Test("a device that is proved by its own answer is written although it holds the room's settings")
  func equal() async throws {
    let lamp = try Self.family("manifests/families/lamp-controller.yaml") {
      $0.replacing("proof: status", with: "proof: status\nread_first: true")
        .replacing("range: 1..512", with: "range: 1..512\n    factory: 1")
    }
    let run = try await runs(
      Self.lobby, [lamp], device: FirmwareFamily(described: lamp),
      holds: ["fixture": "7", "mode": "cold", "fade": "2s"])
    #expect(run.reports[0]["lobby"]?.outcome == .provisioned)
    #expect(run.reports[0]["lobby"]?.evidence?.grade == .deviceStatus && run.writes == 2)
  }

  @Test("the family of the recipe in docs/families.md is valid and provisioned")
  func recipe() async throws {
    let page = String(decoding: try Self.file("docs/families.md"), as: UTF8.self)
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    let begin = try #require(lines.firstIndex { $0.hasPrefix("       family: ") })
    let text = lines[begin...].prefix { $0.hasPrefix("       ") }.map { $0.dropFirst(7) }.joined(
      separator: "\n")
    let reading = ManifestReader.family(Array(text.utf8), file: "socket.yaml", beside: .builtIn)
    let socket = try #require(reading.family, "\(reading.rendered)")
    #expect(reading.rendered == "")
    let manifest = """
      building: B
      rooms: [{ room: Lobby, profile: wall-socket, circuit: 7, limit: 2000, address: "C4:7C:8D:00:00:01" }]
      """
    let run = try await runs(manifest, [socket], device: FirmwareFamily(described: socket))
    #expect(run.reports[0]["lobby"]?.outcome == .provisioned)
    #expect(run.flash?.values == ["circuit": [7], "limit": [0xD0, 0x07]])
  }

  @Test("a device that ends the link after the write is proved by that, weakly")
  func disconnection() async throws {
    let button = try Self.family("manifests/families/lamp-controller.yaml") {
      $0.replacing("proof: status", with: "proof: disconnection")
    }
    let run = try await runs(Self.lobby, [button], device: FirmwareFamily(described: button))
    #expect(run.reports[0]["lobby"]?.outcome == .provisioned)
    #expect(run.reports[0]["lobby"]?.evidence?.grade == .selfDisconnect)
  }

  @Test("a device that two families recognise is never written: its room is ambiguous")
  func ambiguous() async throws {
    let lamp = try Self.lamp()
    // The files alone do not show it: one recognises a service, the other a name.
    let other = try Self.family("manifests/families/lamp-controller.yaml") { text in
      text.replacing("family: lamp-controller", with: "family: other")
        .replacing(
          "{ state: present, service: 7C1E0000-52AA-4B3C-9D4E-5F60718293A4 }",
          with: "{ state: present, name: Lamp }")
    }
    #expect(!lamp.certainlyMeets(other) && !other.certainlyMeets(lamp))
    var both = lamp
    both.recognition = [
      RecognitionRule(.present, .service(lamp.service), .name("Lamp"))
    ]
    let run = try await runs(Self.lobby, [lamp, other], device: FirmwareFamily(described: both))
    let room = try #require(run.reports[0]["lobby"])
    #expect(room.outcome == .ambiguous && run.writes == 0)
    #expect(room.reason == .ambiguousFamily(["lamp-controller", "other"]))
  }
}
