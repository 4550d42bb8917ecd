package import Bluetooth
package import FoundationEssentials

/// The outcome of a room. Every selected room gets exactly one. The names are frozen.
package enum Outcome: String, Hashable, Sendable, Codable, CaseIterable {
  case provisioned
  case provisionedAfterRetry = "provisioned_after_retry"
  case alreadyProvisioned = "already_provisioned"
  case actionRequired = "action_required"
  case unconfirmed
  case failed
  case unreachable
  case ambiguous
  case pending
  case skipped
  case cancelled

  package var isSuccess: Bool {
    switch self {
    case .provisioned, .provisionedAfterRetry, .alreadyProvisioned: true
    case .actionRequired, .unconfirmed, .failed, .unreachable, .ambiguous, .pending, .skipped, .cancelled:
      false
    }
  }

  package var isFailure: Bool {
    switch self {
    case .failed, .unreachable, .unconfirmed: true
    case .provisioned, .provisionedAfterRetry, .alreadyProvisioned, .actionRequired, .ambiguous, .pending,
      .skipped, .cancelled:
      false
    }
  }
}

/// The evidence for a result; it always comes from the device itself.
package struct Evidence: Hashable, Sendable, Codable {
  /// The grades, strongest first. The names are frozen.
  package enum Grade: String, Hashable, Sendable, Codable, CaseIterable {
    case freshBeacon = "fresh_beacon"
    case freshBeaconUnacknowledged = "fresh_beacon_unacknowledged"
    case freshBeaconOtherAddress = "fresh_beacon_other_address"
    case beaconOnAir = "beacon_on_air"
    case readBack = "read_back"
    case savedStatus = "saved_status"
    case deviceStatus = "device_status"
    case settingsReadBack = "settings_read_back"
    case selfDisconnect = "self_disconnect"

    /// Whether it suffices for a success. A report of the device does not suffice if its beacon should be
    /// received.
    package var isProof: Bool {
      switch self {
      case .freshBeacon, .freshBeaconUnacknowledged, .freshBeaconOtherAddress, .beaconOnAir, .deviceStatus,
        .settingsReadBack, .selfDisconnect:
        true
      case .readBack, .savedStatus: false
      }
    }
  }

  package var grade: Grade
  package var address: BluetoothAddress
  package var identity: DeviceIdentity?
  package var rssi: Int?
  package var secondsAfterSave: Double?
  package var run: String?
  private var seen: Timestamp?

  package var seenAt: Date? {
    get { seen?.time }
    set { seen = newValue.map(Timestamp.init) }
  }

  private enum CodingKeys: String, CodingKey {
    case grade, address, identity, rssi
    case secondsAfterSave = "seconds_after_save"
    case run
    case seen = "seen_at"
  }

  /// `seenAt` is rounded to the millisecond, as in the record.
  package init(
    grade: Grade, address: BluetoothAddress, identity: DeviceIdentity? = nil, rssi: Int? = nil,
    secondsAfterSave: Double? = nil, run: String? = nil, seenAt: Date? = nil
  ) {
    (self.grade, self.address, self.identity, self.rssi) = (grade, address, identity, rssi)
    (self.secondsAfterSave, self.run) = (secondsAfterSave, run)
    seen = seenAt.map { Timestamp(Timestamp.rounded($0)) }
  }
}

package enum SettingState: String, Hashable, Sendable, Codable, CaseIterable {
  case notWritten = "not_written"
  case submitted
  case written
  case acknowledged
  case proved

  /// Whether the device itself confirmed that it got the value.
  package var isConfirmed: Bool {
    switch self {
    case .notWritten, .submitted: false
    case .written, .acknowledged, .proved: true
    }
  }
}

/// The state of a room's setting.
package struct SettingResult: Hashable, Sendable, Codable {
  package var name: SettingName
  package var value: String?
  package var state: SettingState
  package var fingerprint: String?

  package init(name: SettingName, value: String?, state: SettingState, fingerprint: String? = nil) {
    (self.name, self.value, self.state, self.fingerprint) = (name, value, state, fingerprint)
  }
}

extension [SettingResult] {
  /// The result for a setting, which is there at most once.
  package subscript(name: SettingName) -> SettingResult? { first { $0.name == name } }
}
