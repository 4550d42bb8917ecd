import Bluetooth
import Digest
import Engine
import Families
import Foundation
import Hex
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

/// A device that answers as a test says. It knows nothing of descriptions and encodings: it compares and keeps bytes.
private struct ByteDevice: Firmware {
  /// What a write makes of the values: an ATT error, or what it then reports.
  typealias Take =
    @Sendable (inout [BluetoothUUID: [UInt8]], BluetoothUUID, [UInt8]) -> (error: UInt8?, says: [[UInt8]])

  let payload: AdvertisingPayload
  let services: [ServiceDefinition]
  var status: BluetoothUUID?
  var values: [BluetoothUUID: [UInt8]]
  let take: Take

  var advertising: AdvertisingPayload? { payload }
  var flash: Flash {
    Flash(values: Dictionary(uniqueKeysWithValues: values.map { ("\($0)", $1) }), isSaved: true)
  }

  mutating func handle(
    _ event: FirmwareEvent, at instant: MonotonicInstant, generator: inout SeededGenerator
  ) -> [FirmwareEffect] {
    switch event {
    case .read(let request, let uuid):
      return [values[uuid].map { .answer(request, $0) } ?? .refuse(request, ATTCode.readNotPermitted)]
    case .subscribe(let request, _, _): return [.answer(request, [])]
    case .write(let request, let uuid, let value):
      let (error, says) = take(&values, uuid, value)
      if let error { return request.map { [.refuse($0, error)] } ?? [] }
      var effects: [FirmwareEffect] = request.map { [.answer($0, [])] } ?? []
      for value in says {
        guard let status else { continue }
        values[status] = value
        effects.append(.notify(status, value))
      }
      return effects
    case .started, .connected, .disconnected, .timer, .button: return []
    }
  }
}

/// The shipped descriptions of devices that people have, against devices that only know bytes.
@Suite("Described devices", .timeLimit(.minutes(10))) struct DescribedDevicesTests {
  private static func family(_ name: String, _ change: (String) -> String = { $0 }) throws -> DeviceFamily {
    let project = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let path = "manifests/families/\(name).yaml"
    let text = change(String(decoding: try Data(contentsOf: project.appending(path: path)), as: UTF8.self))
    let reading = ManifestReader.family(Array(text.utf8), file: path, beside: .builtIn)
    return try #require(reading.family, "\(reading.rendered)")
  }

  private struct Runs: Sendable {
    var reports: [RunReport] = []
    var events: [[RunEvent]] = []
    var writes: [WriteRecord] = []
    var flash: [String: [UInt8]] = [:]

    /// Everything on record, as text.
    var record: String {
      events.joined().map { event in
        String(decoding: (try? JSONEncoder().encode(event)) ?? Data(), as: UTF8.self)
      }.joined(separator: "\n")
    }
  }

  private static let address = BluetoothAddress(rawValue: 0xC47C_8D6F_0001)

  /// Runs on one device, each with the record of those before.
  private func runs(_ rooms: [String], _ family: DeviceFamily, _ device: ByteDevice) async throws -> Runs {
    let buildings = try rooms.map { room in
      let reading = ManifestReader.read(
        Array(
          """
          building: B
          wifi: { hall: { ssid: Hall, password: hunter22 } }
          rooms: [{ room: Lobby, profile: \(family.id), address: "\(Self.address)", \(room) }]
          """.utf8), file: "b.yaml", families: FamilyCatalogue([family]))
      return try #require(reading.building, "\(reading.rendered)")
    }
    let scenario = Scenario(
      seed: 1,
      adapters: [AdapterScenario(address: BluetoothAddress(rawValue: 0x001A_7DDA_7100), name: "hci0")],
      sensors: [
        SensorScenario(
          address: Self.address, family: FirmwareFamily(name: family.id.rawValue) { _ in device })
      ])
    return try await VirtualPremises.use(scenario) { premises in
      var runs = Runs()
      for building in buildings {
        let seal = SecretSeal(key: "k") { SHA256(of: Array($0.utf8)).hex }
        runs.events.append(
          await premises.run(building, [FamilyDriver(described: family)], after: runs.events, seal: seal))
      }
      runs.reports = runs.events.map { RunReport($0) }
      runs.writes = await premises.world.writes
      runs.flash = await premises.world.flash(of: Self.address)?.values ?? [:]
      return runs
    }
  }

  private static func uuid(_ text: String) -> BluetoothUUID { BluetoothUUID(text) ?? .zero }

  // MARK: The heating valve

  private static func valve(_ id: Int) -> BluetoothUUID { uuid("9A1E000\(id)-52AA-4B3C-9D4E-5F60718293A4") }

  /// A valve; a new one has the number FFFFFFFF.
  /// - Parameter answer: its status before it has saved, which is only read then.
  private static func valve(answer: [UInt8]? = nil) -> ByteDevice {
    let (pin, main, status) = (valve(1), valve(2), valve(3))
    return ByteDevice(
      payload: AdvertisingPayload(isConnectable: true, serviceUUIDs: [valve(0)]),
      services: [
        .init(
          valve(0),
          [
            .init(pin, .write), .init(main, [.read, .write]),
            .init(status, answer == nil ? [.read, .notify] : .read),
          ])
      ], status: status, values: [main: [0xFF, 0xFF, 0xFF, 0xFF, 0, 1], status: answer ?? [0]]
    ) { values, uuid, value in
      guard value.count == (uuid == pin ? 4 : 6) else { return (ATTCode.invalidLength, []) }
      guard uuid == main else { return (nil, []) }
      values[main] = value
      if answer != nil { values[status] = [1] }
      return (nil, [[1]])
    }
  }

  @Test(
    "a valve gets its number of 32 bits, a negative offset and its PIN; the PIN is on no record",
    arguments: [
      (70001, "-0.5", [0x71, 0x11, 0x01, 0x00, 0xFB, 0x02]),
      (4_000_000_000, "5", [0x00, 0x28, 0x6B, 0xEE, 0x32, 0x02]),
      (4_294_967_295, "-5.0", [0xFF, 0xFF, 0xFF, 0xFF, 0xCE, 0x02]),
    ] as [(Int, String, [UInt8])])
  func valve(id: Int, offset: String, bytes: [UInt8]) async throws {
    let room = "pin: 123456, valve_id: \(id), offset: \(offset), mode: eco"
    let run = try await runs(
      [room, room, room.replacing("123456", with: "0")], try Self.family("valve"), Self.valve())
    #expect(run.reports.map { $0["lobby"]?.outcome } == [.provisioned, .alreadyProvisioned, .provisioned])
    #expect(run.reports[0]["lobby"]?.evidence?.grade == .settingsReadBack)
    #expect(
      run.writes.map(\.value) == [[0x40, 0xE2, 0x01, 0x00], bytes, [0, 0, 0, 0]], "a changed PIN is written")
    #expect(!run.record.contains("123456"))
  }

  @Test(
    "a PIN is on no record, also if the valve repeats it as its status, in its own encoding",
    arguments: [
      (123456, [0x40, 0xE2, 0x01, 0x00]), (123456, Array("123456".utf8)), (7, [7]), (7, [0x81, 7, 0, 0, 0]),
    ] as [(Int, [UInt8])])
  func repeated(pin: Int, answer: [UInt8]) async throws {
    let run = try await runs(
      ["pin: \(pin), valve_id: 9, offset: 1, mode: eco"], try Self.family("valve"), Self.valve(answer: answer)
    )
    #expect(run.reports[0]["lobby"]?.outcome == .provisioned)
    let texts = run.events.joined().compactMap { event in
      if case .statusReceived(let fact) = event.fact { fact.text } else { nil }
    }
    #expect(Set(texts.filter { !$0.hasPrefix("no notifications") }) == ["0x01", "•••"])
  }

  @Test("a valve of another room is not written, and its number is in the reason")
  func foreign() async throws {
    var device = Self.valve()
    device.values[Self.valve(2)] = [9, 0, 0, 0, 0, 1]
    let run = try await runs(
      ["pin: 123456, valve_id: 8, offset: 1, mode: eco"], try Self.family("valve"), device)
    #expect(run.writes.isEmpty)
    #expect(run.reports[0]["lobby"]?.reason?.code == .foreignSettings)
    #expect(run.reports[0]["lobby"]?.reason?.held == "valve_id 9")
  }

  // MARK: Zephyr's WiFi service

  private static func zephyr(_ id: Int) -> BluetoothUUID { uuid("8B84000\(id)-F6FA-4E33-9A0C-E14D9F35F201") }

  /// - Parameter states: what it reports after the command.
  private static func zephyr(states: [UInt8], before: UInt8 = 0) -> ByteDevice {
    let (ssid, password, command, status) = (zephyr(2), zephyr(3), zephyr(5), zephyr(6))
    return ByteDevice(
      payload: AdvertisingPayload(isConnectable: true, localName: "Zephyr Wi-Fi Provisioning"),
      services: [
        .init(
          zephyr(1),
          [
            .init(ssid, .write), .init(password, .write), .init(zephyr(4), .write), .init(command, .write),
            .init(status, [.read, .notify]),
          ])
      ], status: status, values: [status: [before]]
    ) { values, uuid, value in
      switch uuid {
      case ssid where !(1...32).contains(value.count), password where value.count > 64: return (0x0D, [])
      case command: return (nil, value == [1] ? states.map { [$0] } : [])
      default: return (nil, [])
      }
    }
  }

  @Test(
    "a device with Zephyr's service has joined once it connects and then is connected, and not before",
    arguments: [
      ([2, 3], 0, .provisioned), ([2, 3], 3, .provisioned), ([2, 4], 0, .failed), ([3], 0, .unconfirmed),
      ([3, 2], 0, .unconfirmed), ([3, 2, 3], 3, .provisioned), ([], 3, .unconfirmed),
    ] as [([UInt8], UInt8, Outcome)])
  func zephyr(states: [UInt8], before: UInt8, outcome: Outcome) async throws {
    let run = try await runs(
      ["wifi: hall, retries: 0"], try Self.family("zephyr-wifi"), Self.zephyr(states: states, before: before))
    #expect(run.reports[0]["lobby"]?.outcome.isSuccess == outcome.isSuccess)
    #expect(run.writes.map(\.value) == [Array("Hall".utf8), Array("hunter22".utf8), [1]])
    #expect(!run.record.contains("hunter22"))
    if outcome == .provisioned { #expect(run.reports[0]["lobby"]?.evidence?.grade == .deviceStatus) }
    if outcome == .failed {
      #expect(run.reports[0]["lobby"]?.reason == .refused(stage: .save, deviceText: "0x04"))
    }
  }

  // MARK: Eddystone-URL

  private static func eddystone(_ id: Int) -> BluetoothUUID {
    uuid("EE0C208\(id)-8786-40BA-AB96-99B91AC981D8")
  }
  private static let code = Array(0x10...0x1F) as [UInt8]

  /// - Parameter code: what locks it; empty for an unlocked one.
  private static func eddystone(lockedBy code: [UInt8]) -> ByteDevice {
    let all = (1...8).map { eddystone($0) }
    return ByteDevice(
      payload: AdvertisingPayload(isConnectable: true, serviceUUIDs: [eddystone(0)]),
      services: [
        .init(
          eddystone(0),
          all.map { uuid in
            let access: AttributeAccess =
              uuid == all[0] ? .read : uuid == all[1] || uuid == all[2] ? .write : [.read, .write]
            return CharacteristicDefinition(uuid, access)
          })
      ],
      values: [
        all[0]: [code.isEmpty ? 0 : 1], all[1]: code, all[3]: [2] + Array("example.com".utf8), all[4]: [0],
        all[6]: [1], all[7]: [0xE8, 0x03],
      ]
    ) { values, uuid, value in
      let isLocked = values[all[0]] == [1]
      switch uuid {
      case all[2]:
        guard value.count == 16 else { return (0x0D, []) }
        guard !isLocked || values[all[1]] == value else { return (0x08, []) }
        (values[all[0]], values[all[1]]) = ([0], [])
      case _ where isLocked: return (0x08, [])
      case all[1]: (values[all[0]], values[all[1]]) = ([1], value)
      default: values[uuid] = value
      }
      return (nil, [])
    }
  }

  private static let beacon =
    "scheme: https, url: hotel.example/7, period: 500ms, lock_code: \(code.hex(uppercase: true))"

  @Test(
    "a locked beacon is unlocked, written and locked again, and so is one that was not locked",
    arguments: [true, false])
  func eddystone(isLocked: Bool) async throws {
    let run = try await runs(
      [Self.beacon, Self.beacon], try Self.family("eddystone-url"),
      Self.eddystone(lockedBy: isLocked ? Self.code : []))
    #expect(run.reports.map { $0["lobby"]?.outcome } == [.provisioned, .alreadyProvisioned])
    #expect(
      run.writes.map(\.value) == [
        Self.code, [0xF4, 0x01], [3] + Array("hotel.example/7".utf8), Self.code,
      ])
    #expect(run.flash["\(Self.eddystone(1))"] == [1] && run.flash["\(Self.eddystone(2))"] == Self.code)
    #expect(!run.record.uppercased().contains("10111213"))
  }

  @Test("a single-use code is not used up before the intent is on record")
  func intent() async throws {
    let run = try await runs(
      [Self.beacon], try Self.family("eddystone-url"), Self.eddystone(lockedBy: Self.code))
    let facts = run.events[0].map(\.fact)
    let submitted = facts.firstIndex { if case .saveSubmitted = $0 { true } else { false } }
    let written = facts.firstIndex {
      if case .stageStarted(let fact) = $0 { fact.stage == .write } else { false }
    }
    let read = facts.firstIndex {
      if case .stageStarted(let fact) = $0 { fact.stage == .read } else { false }
    }
    let order = [try #require(read), try #require(submitted), try #require(written)]
    #expect(order == order.sorted())
  }

  @Test("a wrong code is refused, nothing is written, and it is tried once")
  func wrongCode() async throws {
    let run = try await runs(
      [Self.beacon], try Self.family("eddystone-url"),
      Self.eddystone(lockedBy: [UInt8](repeating: 9, count: 16)))
    #expect(run.reports[0]["lobby"]?.outcome == .actionRequired)
    #expect(run.reports[0]["lobby"]?.reason?.code == .credentialsRefused)
    #expect(run.flash["\(Self.eddystone(4))"] == [2] + Array("example.com".utf8))
    #expect(run.writes.count == 1)
  }
}
