public import Bluetooth
public import FoundationEssentials

/// How a room ended. Every selected room ends with exactly one. The names are frozen.
public enum Outcome: String, Hashable, Sendable, Codable, CaseIterable {
  /// Written and proved at the first attempt.
  case provisioned
  /// Written and proved after at least one attempt that failed.
  case provisionedAfterRetry = "provisioned_after_retry"
  /// It was as wanted before this run.
  case alreadyProvisioned = "already_provisioned"
  /// A person must act first.
  case needsHands = "needs_hands"
  /// Written, perhaps kept, not proved.
  case unconfirmed
  /// Tried and not done.
  case failed
  /// Never reached.
  case unreachable
  /// Several devices could be meant.
  case ambiguous
  /// Not tried in this run.
  case pending
  /// Deselected.
  case skipped
  /// The run ended first.
  case cancelled

  /// Whether nothing is left to do.
  public var isSuccess: Bool {
    switch self {
    case .provisioned, .provisionedAfterRetry, .alreadyProvisioned: true
    case .needsHands, .unconfirmed, .failed, .unreachable, .ambiguous, .pending, .skipped, .cancelled: false
    }
  }
}

extension Outcome {
  /// Whether it was tried, or looked for, in vain.
  package var isFailure: Bool {
    switch self {
    case .failed, .unreachable, .unconfirmed: true
    case .provisioned, .provisionedAfterRetry, .alreadyProvisioned, .needsHands, .ambiguous, .pending,
      .skipped,
      .cancelled:
      false
    }
  }
}

/// What a claim rests on: always the device's own doing.
public struct Evidence: Hashable, Sendable {
  /// Grades, strongest first. The names are frozen.
  public enum Grade: String, Hashable, Sendable, Codable, CaseIterable {
    /// Its beacon with the written identity, from the address that was written, first heard after the save.
    case freshBeacon = "fresh_beacon"
    /// A beacon with the written identity from one other address, silent before: it changed its address.
    case freshBeaconOtherAddress = "fresh_beacon_other_address"
    /// Its beacon was on air with the wanted identity before this run wrote anything.
    case beaconOnAir = "beacon_on_air"
    /// The device held what was wanted when it was read; its beacon was not heard.
    case readBack = "read_back"
    /// The device said over the link that it had saved; nothing was heard afterwards.
    case savedStatus = "saved_status"
    /// The device ended the link after the write, as it does when it has taken it. Weak: a lost link looks the same.
    case selfDisconnect = "self_disconnect"

    /// Whether it suffices for a success; what the device said alone does not, where its beacon should be heard.
    public var isProof: Bool {
      switch self {
      case .freshBeacon, .freshBeaconOtherAddress, .beaconOnAir, .selfDisconnect: true
      case .readBack, .savedStatus: false
      }
    }
  }

  /// How strong it is.
  public var grade: Grade
  /// The address it came from.
  public var address: BluetoothAddress
  /// The minor that was heard, where a beacon was.
  public var minor: UInt16?
  /// RSSI of it in dBm, where known.
  public var rssi: Int?
  /// Seconds from the submission of the save until it was heard.
  public var secondsAfterSave: Double?
  /// The run that has it on record, where that is an earlier one: then it was not seen in this run.
  public var run: String?
  /// When that earlier run saw it.
  public var seenAt: Date?

  /// Evidence; what does not apply is left out. `seenAt` is rounded to the millisecond, as the record has it.
  public init(
    grade: Grade, address: BluetoothAddress, minor: UInt16? = nil, rssi: Int? = nil,
    secondsAfterSave: Double? = nil, run: String? = nil, seenAt: Date? = nil
  ) {
    self.grade = grade
    self.address = address
    self.minor = minor
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
    case minor
    case rssi
    case secondsAfterSave = "seconds_after_save"
    case run
    case seenAt = "seen_at"
  }

  /// Reads the encoded form.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      grade: try container.decode(Grade.self, forKey: .grade),
      address: try container.decode(BluetoothAddress.self, forKey: .address),
      minor: try container.decodeIfPresent(UInt16.self, forKey: .minor),
      rssi: try container.decodeIfPresent(Int.self, forKey: .rssi),
      secondsAfterSave: try container.decodeIfPresent(Double.self, forKey: .secondsAfterSave),
      run: try container.decodeIfPresent(String.self, forKey: .run),
      seenAt: try container.decodeIfPresent(Timestamp.self, forKey: .seenAt)?.time)
  }

  /// Writes the encoded form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(grade, forKey: .grade)
    try container.encode(address, forKey: .address)
    try container.encodeIfPresent(minor, forKey: .minor)
    try container.encodeIfPresent(rssi, forKey: .rssi)
    try container.encodeIfPresent(secondsAfterSave, forKey: .secondsAfterSave)
    try container.encodeIfPresent(run, forKey: .run)
    try container.encodeIfPresent(seenAt.map(Timestamp.init), forKey: .seenAt)
  }
}

/// How far a setting got.
public enum SettingState: String, Hashable, Sendable, Codable, CaseIterable {
  /// Never confirmed by the device.
  case notWritten = "not_written"
  /// The device confirmed the write; nothing shows that it acts by it.
  case written
  /// The device's own signal shows it, or its own answer when it was read afterwards.
  case proved
}

/// How far a setting of a room got.
public struct SettingResult: Hashable, Sendable, Codable {
  /// Which setting.
  public var name: SettingName
  /// The value, or nil when it is a secret.
  public var value: String?
  /// How far it got.
  public var state: SettingState
  /// What tells whether a secret is still the same, and nothing else of it (`SecretSeal`).
  public var fingerprint: String?

  /// A setting's result.
  public init(name: SettingName, value: String?, state: SettingState, fingerprint: String? = nil) {
    self.name = name
    self.value = value
    self.state = state
    self.fingerprint = fingerprint
  }
}
