package import Bluetooth
package import FoundationEssentials

/// The outcome of a room. Every selected room gets exactly one. The names are frozen.
package enum Outcome: String, Hashable, Sendable, Codable, CaseIterable {
  /// Written and proved in the first attempt.
  case provisioned
  /// Written and proved after at least one failed attempt.
  case provisionedAfterRetry = "provisioned_after_retry"
  /// Provisioned before this run.
  case alreadyProvisioned = "already_provisioned"
  /// An operator action is required.
  case actionRequired = "action_required"
  /// Written, perhaps saved, not proved.
  case unconfirmed
  /// Attempted without success.
  case failed
  /// Never connected to.
  case unreachable
  /// Several devices are possible.
  case ambiguous
  /// Not attempted in this run.
  case pending
  /// Not selected.
  case skipped
  /// The run ended first.
  case cancelled

  package var isSuccess: Bool {
    switch self {
    case .provisioned, .provisionedAfterRetry, .alreadyProvisioned: true
    case .actionRequired, .unconfirmed, .failed, .unreachable, .ambiguous, .pending, .skipped, .cancelled:
      false
    }
  }
}

extension Outcome {
  package var isFailure: Bool {
    switch self {
    case .failed, .unreachable, .unconfirmed: true
    case .provisioned, .provisionedAfterRetry, .alreadyProvisioned, .actionRequired, .ambiguous, .pending,
      .skipped,
      .cancelled:
      false
    }
  }
}

/// The evidence for a result; it always comes from the device itself.
package struct Evidence: Hashable, Sendable {
  /// The grades, strongest first. The names are frozen.
  package enum Grade: String, Hashable, Sendable, Codable, CaseIterable {
    /// The device's beacon with the written identity, from the address that was written, first received after
    /// the save, which it acknowledged or read back.
    case freshBeacon = "fresh_beacon"
    /// The same after a save that it did not acknowledge. It did not have this identity before, so it kept
    /// something of this save; which of the other settings, nothing shows.
    case freshBeaconUnacknowledged = "fresh_beacon_unacknowledged"
    /// A beacon with the written identity from one other address, not received before the save: the device
    /// changed its address.
    case freshBeaconOtherAddress = "fresh_beacon_other_address"
    /// The beacon with the wanted identity, received before this run wrote anything.
    case beaconOnAir = "beacon_on_air"
    /// A read showed the wanted settings; the beacon was not received.
    case readBack = "read_back"
    /// The device reported over the link that it had saved; nothing was received afterwards.
    case savedStatus = "saved_status"
    /// The device reported over the link, after the command of this attempt, that it has its settings, and its
    /// family sends no better evidence.
    case deviceStatus = "device_status"
    /// The device ended the link after the write, as it does when it accepts the values. Weak: a lost link
    /// looks the same.
    case selfDisconnect = "self_disconnect"

    /// Whether it suffices for a success. A report of the device does not suffice if its beacon should be
    /// received.
    package var isProof: Bool {
      switch self {
      case .freshBeacon, .freshBeaconUnacknowledged, .freshBeaconOtherAddress, .beaconOnAir, .deviceStatus,
        .selfDisconnect:
        true
      case .readBack, .savedStatus: false
      }
    }
  }

  package var grade: Grade
  /// The address that it came from.
  package var address: BluetoothAddress
  /// The identity that was received; nil without one.
  package var identity: DeviceIdentity?
  /// The RSSI of the beacon in dBm, if known.
  package var rssi: Int?
  /// Seconds from the submission of the save to the evidence.
  package var secondsAfterSave: Double?
  /// The earlier run that recorded it; nil for evidence of this run.
  package var run: String?
  /// When that earlier run recorded it.
  package var seenAt: Date?

  /// `seenAt` is rounded to the millisecond, as in the record.
  package init(
    grade: Grade, address: BluetoothAddress, identity: DeviceIdentity? = nil, rssi: Int? = nil,
    secondsAfterSave: Double? = nil, run: String? = nil, seenAt: Date? = nil
  ) {
    self.grade = grade
    self.address = address
    self.identity = identity
    self.rssi = rssi
    self.secondsAfterSave = secondsAfterSave
    self.run = run
    self.seenAt = seenAt.map(Timestamp.rounded)
  }
}

extension Evidence: Codable {
  enum CodingKeys: String, CodingKey {
    case grade
    case address
    case identity
    case rssi
    case secondsAfterSave = "seconds_after_save"
    case run
    case seenAt = "seen_at"
  }

  /// - Throws: `DecodingError`.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      grade: try container.decode(Grade.self, forKey: .grade),
      address: try container.decode(BluetoothAddress.self, forKey: .address),
      identity: try container.decodeIfPresent(DeviceIdentity.self, forKey: .identity),
      rssi: try container.decodeIfPresent(Int.self, forKey: .rssi),
      secondsAfterSave: try container.decodeIfPresent(Double.self, forKey: .secondsAfterSave),
      run: try container.decodeIfPresent(String.self, forKey: .run),
      seenAt: try container.decodeIfPresent(Timestamp.self, forKey: .seenAt)?.time)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(grade, forKey: .grade)
    try container.encode(address, forKey: .address)
    try container.encodeIfPresent(identity, forKey: .identity)
    try container.encodeIfPresent(rssi, forKey: .rssi)
    try container.encodeIfPresent(secondsAfterSave, forKey: .secondsAfterSave)
    try container.encodeIfPresent(run, forKey: .run)
    try container.encodeIfPresent(seenAt.map(Timestamp.init), forKey: .seenAt)
  }
}

/// The state of a setting.
package enum SettingState: String, Hashable, Sendable, Codable, CaseIterable {
  /// It was not sent to the device, or the device rejected it.
  case notWritten = "not_written"
  /// It was sent to the device, or about to be when the run was killed, and the device did not answer: it may
  /// hold the value.
  case submitted
  /// The device confirmed the write; nothing shows that it kept the value.
  case written
  /// The device acknowledged that it saved the value.
  case acknowledged
  /// A beacon or a later read of the device shows the value.
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
  /// The value; nil for a secret.
  package var value: String?
  package var state: SettingState
  /// The keyed digest that shows whether a secret is the same (`SecretSeal`).
  package var fingerprint: String?

  package init(name: SettingName, value: String?, state: SettingState, fingerprint: String? = nil) {
    self.name = name
    self.value = value
    self.state = state
    self.fingerprint = fingerprint
  }
}
