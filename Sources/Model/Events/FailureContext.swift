package import Bluetooth

/// The context of a failure. `FailureReason.Code.keys` lists what each code requires.
package struct FailureContext: Hashable, Sendable, Codable {
  package internal(set) var stage: Stage?
  package internal(set) var setting: SettingName?
  package internal(set) var attError: UInt8?
  package internal(set) var deviceText: String?
  package internal(set) var stackText: String?
  package internal(set) var held: String?
  package internal(set) var identity: DeviceIdentity?
  package internal(set) var addresses: [BluetoothAddress]?
  package internal(set) var candidates: [ReceivedCandidate]?
  package internal(set) var sightings: [StateSighting]?
  package internal(set) var near: String?
  package internal(set) var seconds: Double?
  package internal(set) var source: String?
  package internal(set) var ssid: String?
  package internal(set) var networks: [FoundNetwork]?
  package internal(set) var families: [FamilyID]?
  package internal(set) var cause: WiFiRefusal?
  package internal(set) var changes: [PlannedSetting]?
  package internal(set) var earlier: [BluetoothAddress]?

  package enum CodingKeys: String, CodingKey {
    case stage, setting
    case attError = "att_error"
    case deviceText = "device_text"
    case stackText = "stack_text"
    case held, identity, addresses, candidates, sightings, near, seconds, source, ssid, networks, families,
      cause, changes, earlier
  }
}

extension FailureContext {
  init(
    _ step: FailedStep, seconds: Double? = nil, attError: UInt8? = nil, deviceText: String? = nil,
    held: String? = nil, source: String? = nil
  ) {
    self.init(
      stage: step.stage, setting: step.setting, attError: attError, deviceText: deviceText,
      stackText: step.stackText, held: held, seconds: seconds, source: source)
  }

  /// The context after a save; without a response it has no stage.
  init(
    _ response: SaveResponse?, identity: DeviceIdentity? = nil, addresses: [BluetoothAddress]? = nil,
    candidates: [ReceivedCandidate]? = nil, sightings: [StateSighting]? = nil
  ) {
    self.init(
      stage: response == nil ? nil : .verify, deviceText: response?.deviceText,
      stackText: response?.stackText,
      identity: identity, addresses: addresses, candidates: candidates, sightings: sightings)
  }

  /// The step that failed; nil outside an attempt.
  package var step: FailedStep? { stage.map { FailedStep($0, setting: setting, stackText: stackText) } }

  /// The sightings of a `contradictorySightings`.
  package var contradiction: Contradiction? {
    guard let address = addresses?.first, let sightings, sightings.count == 2 else { return nil }
    return Contradiction(address, sightings[0], sightings[1])
  }
}

/// The step of an attempt that failed.
package struct FailedStep: Hashable, Sendable {
  package let stage: Stage
  /// The setting that was being written or read.
  package let setting: SettingName?
  /// The stack's error message; nil when the stack gave none or was not involved.
  package let stackText: String?

  package init(_ stage: Stage, setting: SettingName? = nil, stackText: String? = nil) {
    (self.stage, self.setting, self.stackText) = (stage, setting, stackText)
  }
}

/// The source of a device's settings.
package enum SettingsSource: Hashable, Sendable {
  /// Read over a link.
  case reading
  /// Its identity on air.
  case onAir
}

/// Why a device could not join the WiFi network, as far as it reports it. The names are frozen.
package enum WiFiRefusal: String, Hashable, Sendable, Codable, CaseIterable {
  /// The network does not accept the password.
  case password
  /// The device does not find the network.
  case network
  /// The device reports no cause.
  case unknown
}

// MARK: After the save

/// The response to the save other than an acknowledgement.
package struct SaveResponse: Hashable, Sendable {
  /// The device's error message.
  package let deviceText: String?
  /// The stack's error message.
  package let stackText: String?

  /// Empty without arguments.
  package init(deviceText: String? = nil, stackText: String? = nil) {
    (self.deviceText, self.stackText) = (deviceText, stackText)
  }
}

/// Other devices that sent a device's identity during the wait for its proof.
package struct OtherSenders: Hashable, Sendable {
  package let identity: DeviceIdentity
  /// Their addresses, in order.
  package let addresses: [BluetoothAddress]
  /// Their RSSI; without those whose RSSI is unknown.
  package let candidates: [ReceivedCandidate]

  package init(identity: DeviceIdentity, addresses: [BluetoothAddress], candidates: [ReceivedCandidate]) {
    (self.identity, self.addresses, self.candidates) = (identity, addresses, candidates)
  }
}

// MARK: Interruptions

/// The state of a room's attempt when the run ended, or the adapter or the stack was lost.
extension FailureContext {
  /// In no stage of an attempt.
  package static func idle(stackText: String? = nil) -> Self { Self(stackText: stackText) }

  /// In the stage of this step; if it timed out, with the seconds.
  package static func during(_ step: FailedStep, seconds: Double? = nil) -> Self {
    guard step.stage != .verify else { return .awaitingProof(SaveResponse(stackText: step.stackText)) }
    return Self(step, seconds: seconds)
  }

  /// After the save, before its proof; with the other devices that sent the identity by then.
  package static func awaitingProof(
    _ response: SaveResponse = SaveResponse(), others: OtherSenders? = nil
  ) -> Self {
    Self(
      response, identity: others?.identity, addresses: others?.addresses, candidates: others?.candidates)
  }
}

// MARK: Other devices

/// What an address sent, and the adapter that received it.
package struct StateSighting: Hashable, Sendable, Codable {
  package var adapter: AdapterID
  package var identity: DeviceIdentity?

  package init(adapter: AdapterID, identity: DeviceIdentity?) {
    (self.adapter, self.identity) = (adapter, identity)
  }
}

/// Two sightings of one address that no single device explains.
package struct Contradiction: Hashable, Sendable {
  package let address: BluetoothAddress
  package let first: StateSighting
  package let second: StateSighting

  package init(_ address: BluetoothAddress, _ first: StateSighting, _ second: StateSighting) {
    (self.address, self.first, self.second) = (address, first, second)
  }
}

/// A device that could be a room's, or that has its identity.
package struct ReceivedCandidate: Hashable, Sendable, Codable {
  package var address: BluetoothAddress
  package var adapter: AdapterID
  package var rssi: Int

  package init(address: BluetoothAddress, adapter: AdapterID, rssi: Int) {
    (self.address, self.adapter, self.rssi) = (address, adapter, rssi)
  }
}
