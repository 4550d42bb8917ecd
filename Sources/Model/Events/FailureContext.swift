package import Bluetooth

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

/// A save whose proof was pending.
package struct UnprovedSave: Hashable, Sendable {
  package let response: SaveResponse
  /// The other devices that sent the identity by then; nil when there were none.
  package let others: OtherSenders?

  package init(_ response: SaveResponse = SaveResponse(), others: OtherSenders? = nil) {
    (self.response, self.others) = (response, others)
  }
}

// MARK: Interruptions

/// The state of a room's attempt when the run ended, or the adapter or the stack was lost.
package enum Interruption: Hashable, Sendable {
  /// In no stage of an attempt.
  case idle(stackText: String? = nil)
  /// In a stage before the proof; with the seconds when it timed out.
  case during(FailedStep, seconds: Double? = nil)
  /// After the save, before its proof.
  case awaitingProof(UnprovedSave)

  /// In the stage of this step.
  package init(_ step: FailedStep, seconds: Double? = nil) {
    self =
      step.stage == .verify
      ? .awaitingProof(UnprovedSave(SaveResponse(stackText: step.stackText)))
      : .during(step, seconds: seconds)
  }

  /// The step that was interrupted; nil outside an attempt.
  package var step: FailedStep? {
    switch self {
    case .idle: nil
    case .during(let step, _): step
    case .awaitingProof(let save): FailedStep(.verify, stackText: save.response.stackText)
    }
  }
}

/// The step of an attempt that a pause of the host ended.
package struct PausedStep: Hashable, Sendable {
  /// How the step had failed before the run ended it.
  package enum Finding: Hashable, Sendable {
    case timeout(seconds: Double)
    /// The device responded with this ATT error.
    case attError(UInt8)
    /// The device refused with this message.
    case deviceText(String)
    /// The device held other settings than it should.
    case held(String)
  }

  package let step: FailedStep
  /// How the step had failed; nil when it had not.
  package let finding: Finding?

  package init(_ step: FailedStep, _ finding: Finding? = nil) {
    (self.step, self.finding) = (step, finding)
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

/// An identity, and the devices that have it.
package struct IdentityHolders: Hashable, Sendable {
  package let identity: DeviceIdentity
  package let addresses: [BluetoothAddress]
  /// Those of them that the room had before.
  package let earlier: [BluetoothAddress]

  package init(
    _ identity: DeviceIdentity, _ addresses: [BluetoothAddress], earlier: [BluetoothAddress] = []
  ) {
    (self.identity, self.addresses, self.earlier) = (identity, addresses, earlier)
  }
}

/// The devices near an adapter that could be a room's.
package struct NearCandidates: Hashable, Sendable {
  /// The adapter, as the manifest names it.
  package let near: String
  /// The devices, the strongest first.
  package let candidates: [ReceivedCandidate]

  package init(near: String, _ candidates: [ReceivedCandidate]) {
    (self.near, self.candidates) = (near, candidates)
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
