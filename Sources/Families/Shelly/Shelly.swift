package import Bluetooth
package import Model
package import Session

extension DeviceFamily {
  /// Shelly of generation 2 and later (docs/internals/protocols.md, "Shelly"): RPC over GATT. The device joins a WiFi network, and
  /// reports over the link that it has an address there. Its address on air is not that of its label, which it says itself.
  package static let shelly = DeviceFamily(
    id: "shelly", title: "Shelly",
    words: DeviceWords(
      noun: "device", makeItWait: nil, stillWaiting: "If it was switched on in the last 15 minutes",
      notWaiting: "If it has been on for longer than 15 minutes",
      label:
        "The address on its label is not its Bluetooth address: give it as `device`, not as `address`.",
      notAnswering:
        "It may take settings only for 15 minutes after it was switched on: switch it off and on before the run.",
      serviceMissing:
        "It may take settings only for 15 minutes after it was switched on, and one of generation 1 or a sensor with a battery of "
        + "the BLU series takes none: check what it is, switch it off and on, then run the same command again."
    ),
    service: Shelly.Attribute.service,
    // Nothing in it says whether the device has joined a network. The flag of RPC may stay when it is off.
    recognition: [RecognitionRule(.present, .manufacturerData(Shelly.company, startsWith: []))],
    lifecycle: .rewritable,
    labelAddress: LabelAddressRule(
      company: Shelly.company, lengths: [0x01: 2, 0x0A: 6, 0x0B: 2], block: 0x0A),
    proof: .status,
    settings: Shelly.settings,
    pairing: .ifAsked,
    characteristics: [
      .init(Shelly.Attribute.data, "data"), .init(Shelly.Attribute.sending, "length to the device"),
      .init(Shelly.Attribute.receiving, "length from the device"),
    ],
    stages: [.search, .connect, .discover, .ready, .read, .write, .save],
    // A scan takes up to 20 s, and a join up to 60 s [assumed].
    timeouts: TimeoutRule(
      StageTimeouts(ready: .seconds(20), read: .seconds(45), write: .seconds(30), save: .seconds(60))),
    listsNetworks: true)
}

extension FamilyDriver {
  package static let shelly = FamilyDriver(
    .shelly, configure: Shelly.configure, listNetworks: Shelly.listNetworks, readLabel: Shelly.readLabel)
}

/// The names of a Shelly.
package enum Shelly {
  /// Allterco Robotics.
  package static let company: UInt16 = 0x0BA9

  /// The RPC service of Mongoose OS.
  package enum Attribute {
    package static let service: BluetoothUUID = "5F6D4F53-5F52-5043-5F53-56435F49445F"
    /// Read and write: pieces of a frame.
    package static let data: BluetoothUUID = "5F6D4F53-5F52-5043-5F64-6174615F5F5F"
    /// Write: the length of the frame that follows, four bytes, most significant first.
    package static let sending: BluetoothUUID = "5F6D4F53-5F52-5043-5F74-785F63746C5F"
    /// Read: the length of the frame that waits, or 0. Each read begins the frame anew.
    package static let receiving: BluetoothUUID = "5F6D4F53-5F52-5043-5F72-785F63746C5F"
  }

  static let settings: [SettingDescription] = [
    .init(
      .roomName, "room name", short: "name", .text(bytes: 1...64), isRequired: true,
      documentation: "Name of the device: the room's. UTF-8, at most 64 bytes."),
    .init(
      .wifiSSID, "WiFi name", short: "WiFi", .text(bytes: 1...32), isRequired: true,
      documentation: "WiFi network to join. UTF-8."),
    .init(
      .wifiPassword, "WiFi password", short: "password", .wifiPassphrase, isRequired: false,
      documentation: "Passphrase of the WiFi network; empty for an open one. UTF-8, at most 63 bytes."),
    .init(
      .staticAddress, "static address", .text(bytes: 1...18), isRequired: false, format: .interface,
      documentation: "Its own address in the network, as 192.168.1.20/24. Without it the network gives one."),
    .init(
      .gateway, "gateway", .text(bytes: 1...15), isRequired: false, isShareable: true, format: .address,
      documentation: "Gateway of a device with a static address."),
    .init(
      .nameServer, "name server", .text(bytes: 1...15), isRequired: false, isShareable: true,
      format: .address,
      documentation: "Name server of a device with a static address."),
    .init(
      .timeZone, "time zone", .text(bytes: 1...64), isRequired: false, isShareable: true,
      documentation: "Time zone, as Europe/Berlin."),
    .init(
      .mqttServer, "MQTT server", .text(bytes: 1...128), isRequired: false, isShareable: true,
      format: .server,
      documentation: "MQTT server to report to, as mqtt.local:1883. The device restarts for it."),
    .init(
      .cloud, "cloud", onOrOff, isRequired: false, isShareable: true,
      documentation: "Whether it connects to the maker's cloud."),
    .init(
      .accessPoint, "access point", onOrOff, isRequired: false, isShareable: true,
      documentation: "Whether it has a WiFi network of its own."),
    .init(
      .bluetoothRPC, "RPC over Bluetooth",
      .choice([SettingChoice("off", meaning: "only by a reset", code: 0)]), isRequired: false,
      isShareable: true,
      documentation:
        "Whether it takes settings over Bluetooth afterwards. With off, a later run can change nothing."),
    .init(
      .adminPassword, "admin password", .secret(.text(bytes: 1...64)), isRequired: false, isShareable: true,
      documentation: "Password of its user admin, given last; also of a device that has it already."),
  ]

  private static let onOrOff = SettingDescription.Kind.choice([
    SettingChoice("on", meaning: "on", code: 1), SettingChoice("off", meaning: "off", code: 0),
  ])

  /// Asks what it is, checks its network, and gives it the settings of the room.
  static func configure(_ session: DeviceSession) async throws(AttemptFailure) -> Submission {
    let peripheral = try await session.connect()
    let link = try await session.stage(.discover) { () throws(CentralError) in
      try await ShellyLink(peripheral, session.clock)
    }
    var password: String?
    if case .secret(let secret)? = session.room.settings[.adminPassword] { password = secret.reveal() }
    let channel = ShellyChannel(link, password: password, randomBytes: session.randomBytes)
    let work = ShellySession(session: session, channel: channel)
    let device = try await work.identify()
    let network = try await work.readNetwork(of: device)
    try await work.checkWiFi()
    return try await work.apply(to: device, in: network)
  }

  /// Has a connected device list the networks that it receives; nil when it demands a password, or does not answer.
  static func listNetworks(
    over peripheral: any Peripheral, on clock: any TimeSource
  ) async throws(CentralError) -> WiFiScan? {
    let link = try await ShellyLink(peripheral, clock)
    try await link.drain()
    return try await ShellyChannel(link, password: nil, randomBytes: { _ in [] }).networks()
  }

  /// Reads the id of a device. What its QR codes contain is not known.
  static func readLabel(_ text: String) throws(ProductLabelProblem) -> ProductLabel? {
    guard text.lowercased().hasPrefix("shelly"), BluetoothAddress(text) == nil,
      LabelAddressRule.address(writtenIn: text) != nil, DeviceReference.violation(ofName: text) == nil
    else { return nil }
    return ProductLabel(name: text, secrets: [:])
  }
}

extension Identifier<SettingDescription> {
  package static var staticAddress: Self { "ip" }
  package static var gateway: Self { "gateway" }
  package static var nameServer: Self { "name_server" }
  package static var timeZone: Self { "time_zone" }
  package static var mqttServer: Self { "mqtt_server" }
  package static var cloud: Self { "cloud" }
  package static var accessPoint: Self { "access_point" }
  package static var bluetoothRPC: Self { "ble_rpc" }
}
