import Bluetooth
import Model
import RecordedText
import SampleFacts
import Testing

@testable import Reporting

@Suite("devices/<room>.log")
struct DeviceLogsTests {
  private func log(_ room: RoomID, _ events: [RunEvent]) throws -> String {
    try #require(DeviceLogs.texts(events).first { $0.0 == room }).1
  }

  @Test("a room's log matches its snapshot", arguments: ["kitchen", "office", "garage", "bath"] as [RoomID])
  func snapshot(room: RoomID) throws {
    try expectSnapshot(try log(room, RunScript.mixed.events), "\(room).log")
  }

  @Test("each room has a log, in the manifest's order")
  func all() {
    #expect(DeviceLogs.texts(RunScript.mixed.events).map(\.0) == ["kitchen", "office", "garage", "bath"])
    #expect(DeviceLogs.texts([]).isEmpty)
  }

  @Test("the events of one room are in its log only")
  func apart() throws {
    let kitchen = try log("kitchen", RunScript.mixed.events)
    #expect(kitchen.contains("C4:7C:8D:00:00:02 on hci0 at -52 dBm"))
    #expect(!kitchen.contains("C4:7C:8D:00:00:05"))
    #expect(!kitchen.contains("le-connection-abort-by-local"))
  }

  @Test("the log of a killed run states that the record ends early")
  func killed() throws {
    var script = RunScript()
    script.begin([RunScript.kitchen])
    script.write(RunScript.kitchen, to: .sensor(2))
    let text = try log("kitchen", script.events)
    #expect(text.contains("The record ends before the outcome of this room"))
    #expect(text.contains("Outcome    unconfirmed\n"))
  }

  /// A fact of every kind.
  static let facts: [Fact] = [
    .adapterAwaited(.init(problem: .blocked, adapter: "hci0", seconds: 30)),
    .adapterAwaited(.init(problem: .absent, seconds: 30)),
    .foreignScanDetected(.init(adapter: .first, clients: ["bluetoothctl (pid 812)"])),
    .runInterrupted(.init(cause: .signal)), .runInterrupted(.init(cause: .stack, detail: "bus\nlost")),
    .stageEnded(
      .init(
        room: "a", attempt: 1, stage: .write, setting: .minor, seconds: 0.2,
        failure: .attributeRejected(FailedStep(.write, setting: .minor), attError: 0x0D))),
    .attemptEnded(
      .init(room: "a", number: 2, seconds: 3, failure: .identityOnAir(IdentityHolders(7, [.sensor(9)])))),
    .statusReceived(.init(room: "a", attempt: 1, text: "error:flash", meaning: .stale)),
    .linkEnded(.init(room: "a", attempt: 1, cause: .adapterLost, expected: false)),
  ]

  /// A reason with texts of the device and of the stack.
  private func hostileReason(_ text: String) -> FailureReason {
    .notReceivedAfterSave(SaveResponse(deviceText: text, stackText: text))
  }

  @Test("every event is one line, whatever text it contains", arguments: Hostile.texts)
  func hostile(text: String) throws {
    var script = RunScript()
    let room = PlannedRoom.sample("a", text, minor: 1)
    script.begin([room], name: text)
    let reason = hostileReason(text)
    script.append(.statusReceived(.init(room: "a", attempt: 1, text: text, meaning: .refusal)))
    script.append(.stageEnded(.init(room: "a", attempt: 1, stage: .save, seconds: 1, failure: reason)))
    script.append(.runInterrupted(.init(cause: .stack, detail: text)))
    script.end(room, .failed, reason)
    var plain = RunScript()
    plain.begin([.sample("a", "x", minor: 1)], name: "x")
    let harmless = hostileReason("x")
    plain.append(.statusReceived(.init(room: "a", attempt: 1, text: "x", meaning: .refusal)))
    plain.append(.stageEnded(.init(room: "a", attempt: 1, stage: .save, seconds: 1, failure: harmless)))
    plain.append(.runInterrupted(.init(cause: .stack, detail: "x")))
    plain.end(.sample("a", "x", minor: 1), .failed, harmless)

    let hostile = try log("a", script.events)
    let tame = try log("a", plain.events)
    #expect(!hostile.unicodeScalars.contains { $0 != "\n" && $0.isControlling })
    // The reason at the end may wrap; the table before it may not grow.
    func table(_ text: String) -> Int { text.lines.prefix { !$0.hasPrefix("Outcome") }.count }
    #expect(table(hostile) == table(tame))
  }

  @Test("every kind of event has a description")
  func kinds() throws {
    var script = RunScript()
    script.begin([.sample("a", "A", minor: 1)])
    for fact in Self.facts { script.append(fact) }
    try expectSnapshot(try log("a", script.events), "facts.log")
  }

  // MARK: Remote diagnosis

  /// The reason why a sensor was not received.
  enum Silence: String, CaseIterable, CustomTestStringConvertible {
    case dead, deaf, far
    case address = "wrong-address"
    var testDescription: String { rawValue }
  }

  /// A run in a corridor of five rooms, on two adapters, in which the sensor of the third room is silent.
  private func corridor(_ silence: Silence) -> [RunEvent] {
    let second = AdapterID(BluetoothAddress(rawValue: 0x001A_7DDA_7102))
    let rooms = (1...5).map {
      PlannedRoom.sample(
        RoomID(rawValue: "room-\($0)"), "Room 30\($0)", minor: UInt16($0), address: .sensor(UInt64($0 * 16)))
    }
    var script = RunScript()
    script.append(
      .runStarted(
        .init(
          run: "20261121T090000Z-laptop-7f3a", building: "harbour-house", buildingName: "Harbour House",
          toolVersion: "0.1.0", host: "laptop", manifestPath: "harbour-house.yaml",
          manifestSHA256: "content:" + String(repeating: "ab", count: 32), simulated: false,
          kernel: "Linux 6.1.0-18-amd64 x86_64", operatingSystem: "Debian GNU/Linux 12 (bookworm)",
          rooms: rooms, families: .builtIn)), after: 0)
    script.append(
      .adapterSelected(
        .init(
          adapter: .first, name: "hci0", stack: "BlueZ 5.66",
          hardware: AdapterHardware(
            bus: "usb", identifier: "0bda:8771", product: "Realtek Bluetooth Radio", driver: "btusb",
            path: "usb1/1-3/1-3:1.0"))))
    script.append(
      .adapterSelected(
        .init(
          adapter: second, name: "hci1", stack: "BlueZ 5.66",
          hardware: AdapterHardware(
            manufacturer: 15, version: 9, bus: "serial", driver: "hci_uart_bcm", path: "serial0/serial0-0"))))
    for adapter in [AdapterID.first, second] {
      script.append(.scanStarted(.init(adapter: adapter, purpose: .survey)))
    }
    func receive(_ address: BluetoothAddress, _ rssi: Int, _ adapter: AdapterID = .first) {
      script.append(
        .deviceSighted(.init(address: address, adapter: adapter, profile: "robo-sensor", rssi: rssi)),
        after: 0.7)
    }
    if silence != .deaf {
      let weakening = silence == .far ? 30 : 0
      for (room, rssi) in zip([0, 1, 3, 4], [-52, -58, -61, -55]) {
        receive(rooms[room].address ?? .sensor(0), rssi - weakening, room == 4 ? second : .first)
      }
    }
    if silence == .address { receive(.sensor(0x32), -49) }
    script.append(.scanStopped(.init(adapter: second, purpose: .survey)), after: 8)
    script.append(.scanStopped(.init(adapter: .first, purpose: .survey)), after: 0)
    if silence == .deaf {
      script.append(
        .adapterFaulted(.init(adapter: .first, fault: .receivesNothing, wasPowerCycled: true)), after: 2)
      script.append(.adapterFaulted(.init(adapter: second, fault: .receivesNothing, stackText: "no answer")))
    }
    script.append(.scanStarted(.init(adapter: .first, purpose: .sighting)), after: 3)
    script.append(.scanStopped(.init(adapter: .first, purpose: .sighting)), after: 8)
    script.end(rooms[2], .unreachable, silence == .deaf ? .adapterDeaf : .neverReceived())
    script.append(.scanStarted(.init(adapter: second, purpose: .sighting)), after: 3)
    script.append(.scanStopped(.init(adapter: second, purpose: .sighting)), after: 8)
    if silence == .address {
      script.append(
        .deviceUnclaimed(.init(address: .sensor(0x32), adapter: .first, profile: "robo-sensor", rssi: -49)))
    }
    script.append(.runFinished(.init(outcome: .incomplete)))
    return script.events
  }

  @Test(
    "the log of a room without sightings distinguishes broken sensor, adapter fault, distance and wrong address",
    arguments: Silence.allCases)
  func silent(silence: Silence) throws {
    let text = try log("room-3", corridor(silence))
    try expectSnapshot(text, "silent-\(silence.rawValue).log")
    let likely = text.lines.filter { $0.contains(": likely.") || $0.contains(": possible.") }
    let expected: [String] =
      switch silence {
      case .dead: ["sensor broken"]
      case .deaf: ["adapter receives nothing", "too far"]
      case .far: ["too far", "sensor broken"]
      case .address: ["wrong address", "sensor broken"]
      }
    #expect(likely.count == expected.count)
    for (line, word) in zip(likely, expected) { #expect(line.contains("- \(word)"), "\(likely)") }
  }

  @Test("without the end of the run, the log states that the unclaimed sensors are unknown")
  func unfinished() throws {
    let text = try log(
      "room-3",
      corridor(.address).filter { event in
        switch event.fact {
        case .runFinished, .deviceUnclaimed: false
        default: true
        }
      })
    #expect(text.contains("Unclaimed  not on record: the run has no end\n"))
    #expect(text.contains("- wrong address: unknown. "))
  }

  @Test("a neighbour without a device is no evidence of the distance")
  func unbound() throws {
    var script = RunScript()
    let rooms = [RunScript.bath, PlannedRoom.sample("hall", "Hall", minor: 9)]
    script.begin(rooms)
    script.append(.scanStarted(.init(adapter: .first, purpose: .survey)))
    script.append(.scanStopped(.init(adapter: .first, purpose: .survey)), after: 12)
    for room in rooms { script.end(room, .unreachable, .neverReceived()) }
    script.append(.runFinished(.init(outcome: .incomplete)))
    let text = try log("bath", script.events)
    #expect(text.contains("Hall has no device"))
    #expect(text.contains("- too far away: unknown."))
  }

  @Test(
    "only the log of a room whose sensor was not received has the possible causes",
    arguments: [
      (.neverReceived(), true), (.adapterDeaf, true), (.noCandidate(), true),
      (.tooManyCandidates([.sensor(7), .sensor(8)]), false), (.notConfirmed, false), (.planOutdated, false),
    ] as [(FailureReason, Bool)])
  func silence(reason: FailureReason, isSilent: Bool) throws {
    var script = RunScript()
    script.begin([RunScript.bath])
    script.append(.scanStarted(.init(adapter: .first, purpose: .survey)))
    script.end(RunScript.bath, .pending, reason)
    #expect(try log("bath", script.events).contains("\nSilence ") == isSilent)
  }

  @Test("the log of a silent room counts scan time only until the end of the room")
  func endOfRoom() throws {
    let text = try log("room-3", corridor(.dead))
    #expect(text.contains("hci1 scanned 10.8 s while the room was open, in 1 window"))
    #expect(!text.contains("hci1 scanned 19"))
  }

  @Test(
    "an address similar to the room's is recognised",
    arguments: [
      (0xC47C_8D00_0032, 0xC47C_8D00_0030, .offset(2)), (0xC47C_8D00_0030, 0xC47C_8D00_0032, .offset(-2)),
      (0xC47C_8D00_0038, 0xC47C_8D00_0030, .digits(1)), (0xC47C_D800_0030, 0xC47C_8D00_0030, .digits(2)),
      (0xC47C_8D00_0030, 0xC47C_8D00_0030, nil), (0xC47C_8D00_0999, 0xC47C_8D00_0000, nil),
    ] as [(UInt64, UInt64, AddressLikeness?)])
  func similarAddress(one: UInt64, other: UInt64, likeness: AddressLikeness?) {
    #expect(
      AddressLikeness(BluetoothAddress(rawValue: one), to: BluetoothAddress(rawValue: other)) == likeness)
  }

  @Test("the log ends with the timeouts and the error texts of the stack")
  func timeouts() throws {
    let garage = try log("garage", RunScript.mixed.events)
    #expect(garage.contains("Timeouts   attempt 1: connect had 15 s, ended after 15.000 s\n"))
    let office = try log("office", RunScript.mixed.events)
    #expect(office.contains("Stack text attempt 1: org.bluez.Error.Failed: le-connection-abort-by-local\n"))
  }
}
