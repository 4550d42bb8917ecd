package import Bluetooth
package import Model
package import Session

extension DeviceFamily {
  /// The open standard of ESPHome and other makers (docs/internals/protocols.md, "Improv WiFi"): it gives a device its WiFi,
  /// and the device itself reports that it joined the network.
  package static let improvWiFi = DeviceFamily(
    id: "improv-wifi", title: "Improv WiFi device",
    words: DeviceWords(
      noun: "device", makeItWait: "reset its WiFi settings", stillWaiting: "If it has no WiFi settings",
      notWaiting: "If it has WiFi settings already",
      serviceMissing:
        "A device that has joined a network removes the service. If it has not, switch it off and on, then run the "
        + "same command again."),
    service: Improv.Attribute.service,
    // Firmware sends its name instead of the service data for a second at times.
    recognition: [
      RecognitionRule(.locked, .serviceData(Improv.serviceData, startsWith: [ImprovState.locked.rawValue])),
      RecognitionRule(.waiting, .serviceData(Improv.serviceData, startsWith: [ImprovState.ready.rawValue])),
      RecognitionRule(
        .joining, .serviceData(Improv.serviceData, startsWith: [ImprovState.joining.rawValue])),
      RecognitionRule(
        .configured, .serviceData(Improv.serviceData, startsWith: [ImprovState.online.rawValue])),
      RecognitionRule(.present, .serviceData(Improv.serviceData, startsWith: [])),
      RecognitionRule(.present, .service(Improv.Attribute.service)),
    ],
    lifecycle: .provisioningMode,
    proof: .status,
    settings: [
      .init(
        .wifiSSID, "WiFi name", short: "WiFi", .text(bytes: 1...32), isRequired: true,
        documentation: "WiFi network to join. UTF-8."),
      .init(
        .wifiPassword, "WiFi password", short: "password", .wifiPassword, isRequired: false,
        documentation: "Password of the WiFi network; empty for an open one. UTF-8."),
    ],
    // The settings are sent in one command, in pieces.
    characteristics: [
      .init(Improv.Attribute.state, "state"), .init(Improv.Attribute.error, "error"),
      .init(Improv.Attribute.command, "command"), .init(Improv.Attribute.result, "result"),
      .init(Improv.Attribute.capabilities, "capabilities"),
    ],
    stages: [.search, .connect, .discover, .read, .ready, .write, .save, .verify],
    // A person has a minute to press the button; the device gives up a network after 30 s.
    timeouts: TimeoutRule(StageTimeouts(ready: .seconds(75), save: .seconds(45), verify: .seconds(45))),
    listsNetworks: true)
}

extension FamilyDriver {
  package static let improvWiFi = FamilyDriver(
    .improvWiFi, configure: Improv.configure, listNetworks: Improv.listNetworks, identify: Improv.identify)
}

/// The names and the GATT session of Improv WiFi.
package enum Improv {
  package enum Attribute {
    package static let service: BluetoothUUID = "00467768-6228-2272-4663-277478268000"
    /// Read and notify: one byte, `ImprovState`.
    package static let state: BluetoothUUID = "00467768-6228-2272-4663-277478268001"
    /// Read and notify: one byte, `ImprovError`.
    package static let error: BluetoothUUID = "00467768-6228-2272-4663-277478268002"
    /// Write: an `ImprovFrame`, in pieces.
    package static let command: BluetoothUUID = "00467768-6228-2272-4663-277478268003"
    /// Read and notify: an `ImprovFrame`.
    package static let result: BluetoothUUID = "00467768-6228-2272-4663-277478268004"
    /// Read: one byte, `ImprovCapabilities`.
    package static let capabilities: BluetoothUUID = "00467768-6228-2272-4663-277478268005"
  }

  /// The service data: state, capabilities, four bytes without meaning.
  package static let serviceData: BluetoothUUID = "4677"

  /// The most bytes in one write: a command is sent in pieces of this length, which fits with any MTU.
  package static let pieceLength = 20

  /// Waits until the device may be written, asks what it is, and gives it its network.
  static func configure(_ session: DeviceSession) async throws(AttemptFailure) -> Submission {
    let link = try await session.connect()
    return try await session.withStatusFeed { (feed) throws(AttemptFailure) in
      let device = try await session.stage(.discover) { () throws(CentralError) in
        try await ImprovLink(link, feed, session.clock)
      }
      let conversation = ImprovSession(session: session, device: device)
      let capabilities = try await conversation.open()
      if try await !conversation.waitUntilReady(), session.recorded?.wasAccepted == true {
        // A command of an earlier run with these settings: the device has carried it out.
        return Submission(at: session.clock.now, acknowledgement: .savedStatus, isUnchanged: true)
      }
      if capabilities.contains(.deviceInfo) { try await conversation.askWhatItIs() }
      try await session.checkWiFi { () throws(CentralError) in
        capabilities.contains(.scan) ? try await device.networks() : nil
      }
      return try await conversation.join()
    }
  }

  /// Has a connected device list the networks that it receives; nil when it cannot.
  static func listNetworks(
    over link: any Peripheral, on clock: any TimeSource
  ) async throws(CentralError) -> WiFiScan? {
    try await StatusFeed.run { (feed) throws(CentralError) in
      let device = try await ImprovLink(link, feed, clock)
      guard try await device.capabilities().contains(.scan) else { return nil }
      try await device.subscribe(to: Attribute.result)
      try await device.subscribe(to: Attribute.error)
      return try await device.networks()
    }
  }

  /// Asks a connected device to blink, which has no result; false when its capabilities do not have that.
  static func identify(
    over link: any Peripheral, on clock: any TimeSource
  ) async throws(CentralError) -> Bool {
    try await StatusFeed.run { (feed) throws(CentralError) in
      let device = try await ImprovLink(link, feed, clock)
      guard try await device.capabilities().contains(.identify) else { return false }
      try await device.send(ImprovFrame(.identify))
      return true
    }
  }
}

package enum ImprovState: UInt8, Sendable {
  /// It accepts commands only after a person has pressed its button.
  case locked = 1
  /// It accepts commands.
  case ready = 2
  /// It tries to join a network.
  case joining = 3
  /// It has joined a network.
  case online = 4

  package var words: String {
    switch self {
    case .locked: "authorization required"
    case .ready: "authorized"
    case .joining: "provisioning"
    case .online: "provisioned"
    }
  }
}

/// The errors that an Improv device reports besides 0, which is none.
package enum ImprovError: UInt8, Sendable {
  case invalidPacket = 1
  case unknownCommand = 2
  case unableToConnect = 3
  case notAuthorized = 4
  case badHostname = 5
  case unknown = 0xFF

  package var words: String {
    switch self {
    case .invalidPacket: "invalid packet"
    case .unknownCommand: "unknown command"
    case .unableToConnect: "unable to connect"
    case .notAuthorized: "not authorized"
    case .badHostname: "bad hostname"
    case .unknown: "unknown"
    }
  }
}

/// The optional commands of an Improv device.
package struct ImprovCapabilities: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let identify = Self(rawValue: 0x01)
  package static let deviceInfo = Self(rawValue: 0x02)
  package static let scan = Self(rawValue: 0x04)
  package static let hostname = Self(rawValue: 0x08)
}
