import Bluetooth
import Model
import SampleFacts

extension PlannedRoom {
  /// A room with a beacon of IoT Design Shop.
  static func beacon(
    _ id: RoomID, _ name: String, minor: UInt16, address: BluetoothAddress? = nil,
    registered: Bool = false
  ) -> Self {
    let radioSettings: [SettingResult] =
      registered
      ? []
      : [
        .init(name: "power", value: "medium", state: .notWritten),
        .init(name: "interval", value: "500ms", state: .notWritten),
      ]
    return .init(
      room: id, name: name, profile: "iot-design-shop", address: address, registered: registered ? true : nil,
      settings: [
        .init(name: .uuid, value: "4B7F1D6E-9C0A-4E53-8D21-6A5C0E9F3B74", state: .notWritten),
        .init(name: .major, value: "1", state: .notWritten),
        .init(name: .minor, value: String(minor), state: .notWritten),
      ] + radioSettings, identity: .stair(minor))
  }

  /// A room with a Firefly: it has no minor.
  static func firefly(_ id: RoomID, _ name: String, address: BluetoothAddress) -> Self {
    .init(
      room: id, name: name, profile: "firefly", address: address,
      settings: [
        .init(name: "control", value: "3", state: .notWritten),
        .init(name: "value", value: "7", state: .notWritten),
        .init(name: "range", value: "40", state: .notWritten),
      ])
  }

  fileprivate func settings(_ state: SettingState) -> [SettingResult] {
    settings.map { .init(name: $0.name, value: $0.value, state: state) }
  }
}

extension DeviceIdentity {
  /// The identity of a beacon of the museum.
  static func stair(_ minor: UInt16) -> Self { .beacon("4B7F1D6E-9C0A-4E53-8D21-6A5C0E9F3B74", 1, minor) }
}

extension RunScript {
  static let stairs = PlannedRoom.beacon("stairs", "Stairs", minor: 1, address: .sensor(0x11))
  static let cellar = PlannedRoom.beacon("cellar", "Cellar", minor: 2, address: .sensor(0x12))
  static let doorway = PlannedRoom.firefly("doorway", "Doorway", address: .sensor(0x21))
  static let entrance = PlannedRoom.beacon("entrance", "Entrance", minor: 9, registered: true)
  static let shed = PlannedRoom.beacon("shed", "Shed", minor: 10, registered: true)

  /// A beacon that is written and read back, one that holds another room's settings, a Firefly, and two
  /// registered rooms, one of them received.
  static let families: RunScript = {
    var script = RunScript()
    script.begin([stairs, cellar, doorway, entrance, shed], name: "Museum")
    script.append(
      .deviceSighted(
        .init(
          address: .sensor(0x19), adapter: .first, profile: "iot-design-shop", rssi: -70, identity: .stair(9))
      ))
    script.append(
      .roomFinished(
        .init(
          room: "entrance", outcome: .alreadyProvisioned, address: .sensor(0x19), attempts: 0, seconds: 0,
          rssi: -70,
          evidence: .init(grade: .beaconOnAir, address: .sensor(0x19), identity: .stair(9), rssi: -70),
          settings: entrance.settings(.proved))))
    script.end(
      cellar, .actionRequired,
      .foreignSettings(held: "uuid 8D9E…, major 40, minor 12", .onAir),
      rssi: -66)
    script.provisionBeacon()
    script.provisionFirefly()
    script.end(shed, .unreachable, .neverReceived())
    script.append(.runFinished(.init(outcome: .incomplete)))
    return script
  }()

  private mutating func begin(_ room: PlannedRoom, _ address: BluetoothAddress) {
    append(.bindingCommitted(.init(room: room.room, address: address, basis: .address)))
    append(.attemptStarted(.init(room: room.room, address: address, adapter: .first, number: 1, rssi: -60)))
  }

  private mutating func provisionBeacon() {
    let id = Self.stairs.room
    begin(Self.stairs, .sensor(0x11))
    append(.stageStarted(.init(room: id, attempt: 1, stage: .read, setting: .uuid, timeout: 10)), after: 0)
    append(.stageEnded(.init(room: id, attempt: 1, stage: .read, setting: .uuid, seconds: 0.1)), after: 0.1)
    append(
      .settingsRead(
        .init(
          room: id, attempt: 1,
          settings: [
            .init(name: .uuid, value: "2173E519-9155-4862-AB64-7953AB146156"),
            .init(name: .major, value: "0"), .init(name: .minor, value: "0"),
            .init(name: "power", value: "0x0900a000"), .init(name: "interval", value: "100ms"),
          ])), after: 0)
    append(.saveSubmitted(.init(room: id, attempt: 1, address: .sensor(0x11))), after: 0)
    append(.settingWritten(.init(room: id, attempt: 1, setting: "interval", bytes: 4)))
    append(.linkEnded(.init(room: id, attempt: 1, cause: .local, expected: true)))
    let evidence = Evidence(
      grade: .freshBeacon, address: .sensor(0x11), identity: .stair(1), rssi: -61, secondsAfterSave: 1.25)
    append(.proofReceived(.init(room: id, attempt: 1, evidence: evidence)), after: 1)
    append(.attemptEnded(.init(room: id, number: 1, seconds: 1.5)), after: 0)
    append(
      .roomFinished(
        .init(
          room: id, outcome: .provisioned, address: .sensor(0x11), adapter: .first, attempts: 1, seconds: 1.5,
          rssi: -61, evidence: evidence, settings: Self.stairs.settings(.proved))), after: 0)
  }

  private mutating func provisionFirefly() {
    let id = Self.doorway.room
    begin(Self.doorway, .sensor(0x21))
    append(.elapsedSent(.init(room: id, attempt: 1, seconds: 3.125, byte: 79, since: .key)))
    append(.saveSubmitted(.init(room: id, attempt: 1, address: .sensor(0x21))), after: 0)
    append(.settingWritten(.init(room: id, attempt: 1, setting: "control", bytes: 4)))
    append(.linkEnded(.init(room: id, attempt: 1, cause: .remote, expected: true)))
    let evidence = Evidence(grade: .selfDisconnect, address: .sensor(0x21), secondsAfterSave: 0.25)
    append(.proofReceived(.init(room: id, attempt: 1, evidence: evidence)))
    append(.attemptEnded(.init(room: id, number: 1, seconds: 0.5)), after: 0)
    append(
      .roomFinished(
        .init(
          room: id, outcome: .provisioned, address: .sensor(0x21), adapter: .first, attempts: 1, seconds: 0.5,
          rssi: -60, evidence: evidence, settings: Self.doorway.settings(.written))), after: 0)
  }
}
