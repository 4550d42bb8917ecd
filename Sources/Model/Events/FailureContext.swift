public import Bluetooth

/// The step of an attempt that failed.
public struct FailedStep: Hashable, Sendable {
  /// The stage.
  public let stage: Stage
  /// The setting that was being written or read.
  public let setting: SettingName?
  /// The stack's own words; nil when it said nothing, or had no part in it.
  public let stackText: String?

  /// A step.
  public init(_ stage: Stage, setting: SettingName? = nil, stackText: String? = nil) {
    self.stage = stage
    self.setting = setting
    self.stackText = stackText
  }
}

/// How a device's settings became known.
public enum SettingsSource: Hashable, Sendable {
  /// They were read over a link.
  case reading
  /// Its beacon was heard.
  case beacon(minor: UInt16)
}

// MARK: After the save

/// What came instead of a device's acknowledgement of the save.
public struct SaveResponse: Hashable, Sendable {
  /// The device's own words.
  public let deviceText: String?
  /// The stack's own words.
  public let stackText: String?

  /// A response; neither said anything unless given.
  public init(deviceText: String? = nil, stackText: String? = nil) {
    self.deviceText = deviceText
    self.stackText = stackText
  }
}

/// Other devices from which a device's identity was heard while its proof was awaited.
public struct OtherSenders: Hashable, Sendable {
  /// The minor of that identity.
  public let minor: UInt16
  /// Their addresses, in order.
  public let addresses: [BluetoothAddress]
  /// How strongly each was heard; without those whose RSSI is unknown.
  public let candidates: [HeardCandidate]

  /// Other senders.
  public init(minor: UInt16, addresses: [BluetoothAddress], candidates: [HeardCandidate]) {
    self.minor = minor
    self.addresses = addresses
    self.candidates = candidates
  }
}

/// A save whose proof was still awaited.
public struct UnprovedSave: Hashable, Sendable {
  /// What came instead of an acknowledgement.
  public let response: SaveResponse
  /// The other devices from which the identity was heard by then; nil when there were none.
  public let others: OtherSenders?

  /// An unproved save.
  public init(_ response: SaveResponse = SaveResponse(), others: OtherSenders? = nil) {
    self.response = response
    self.others = others
  }
}

// MARK: Ended from outside

/// Where the run's end met a room.
public enum Interruption: Hashable, Sendable {
  /// In no stage of an attempt.
  case idle
  /// In a stage before the proof.
  case during(FailedStep)
  /// After the save, before its proof.
  case awaitingProof(UnprovedSave)

  /// In a stage, whichever it is.
  public init(_ step: FailedStep) {
    self =
      step.stage == .verify
      ? .awaitingProof(UnprovedSave(SaveResponse(stackText: step.stackText))) : .during(step)
  }

  /// The step that it met; nil when that was none.
  public var step: FailedStep? {
    switch self {
    case .idle: nil
    case .during(let step): step
    case .awaitingProof(let save): FailedStep(.verify, stackText: save.response.stackText)
    }
  }
}

/// Where the loss of the adapter or the stack met a room.
public enum HostLoss: Hashable, Sendable {
  /// In no stage of an attempt.
  case idle(stackText: String? = nil)
  /// In a stage before the proof. A stage that timed out for it says after how many seconds.
  case during(FailedStep, seconds: Double? = nil)
  /// After the save, before its proof.
  case awaitingProof(UnprovedSave)

  /// In a stage, whichever it is.
  public init(_ step: FailedStep, seconds: Double? = nil) {
    self =
      step.stage == .verify
      ? .awaitingProof(UnprovedSave(SaveResponse(stackText: step.stackText)))
      : .during(step, seconds: seconds)
  }

  /// The step that it met; nil when that was none.
  public var step: FailedStep? {
    switch self {
    case .idle: nil
    case .during(let step, _): step
    case .awaitingProof(let save): FailedStep(.verify, stackText: save.response.stackText)
    }
  }
}

/// The step of an attempt that a pause of the host ended.
public struct PausedStep: Hashable, Sendable {
  /// How the step failed by itself before it was ended.
  public enum Finding: Hashable, Sendable {
    /// It timed out.
    case timeout(seconds: Double)
    /// The device answered with this ATT error.
    case attError(UInt8)
    /// The device refused in its own words.
    case deviceText(String)
    /// The device held other settings than it should.
    case held(String)
  }

  /// The step.
  public let step: FailedStep
  /// How it failed by itself, if it did.
  public let finding: Finding?

  /// A paused step.
  public init(_ step: FailedStep, _ finding: Finding? = nil) {
    self.step = step
    self.finding = finding
  }
}

// MARK: Other devices

/// A minor, and the devices that have it.
public struct MinorHolders: Hashable, Sendable {
  /// The minor.
  public let minor: UInt16
  /// The devices.
  public let addresses: [BluetoothAddress]

  /// Holders of a minor.
  public init(_ minor: UInt16, _ addresses: [BluetoothAddress]) {
    self.minor = minor
    self.addresses = addresses
  }
}

/// The devices near an adapter that could be a room's.
public struct NearCandidates: Hashable, Sendable {
  /// The adapter, as the manifest names it.
  public let near: String
  /// The devices, the strongest first.
  public let candidates: [HeardCandidate]

  /// Candidates near an adapter.
  public init(near: String, _ candidates: [HeardCandidate]) {
    self.near = near
    self.candidates = candidates
  }
}

/// A device that could be a room's, or that has its identity.
public struct HeardCandidate: Hashable, Sendable, Codable {
  /// The device.
  public var address: BluetoothAddress
  /// The adapter that hears it so.
  public var adapter: AdapterID
  /// How strongly, in dBm.
  public var rssi: Int

  /// A candidate.
  public init(address: BluetoothAddress, adapter: AdapterID, rssi: Int) {
    self.address = address
    self.adapter = adapter
    self.rssi = rssi
  }
}
