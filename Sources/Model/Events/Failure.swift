public import Bluetooth

/// What went wrong, as a code with its context. Sentences and advice for people are made at the edge.
public struct FailureReason: Hashable, Sendable, Codable {
  /// The closed set of reasons. The names are frozen.
  public enum Code: String, Hashable, Sendable, Codable, CaseIterable {
    /// No word of it on any adapter.
    case neverHeard = "never_heard"
    /// No adapter reported any device at all, not even others.
    case adapterDeaf = "adapter_deaf"
    /// It was heard, and did not answer a connection within the timeout.
    case connectTimedOut = "connect_timed_out"
    /// The connection attempt failed.
    case connectFailed = "connect_failed"
    /// The stack had forgotten it before it was connected to: nothing was sent.
    case unknownToStack = "unknown_to_stack"
    /// The link was lost in the stage named.
    case linkLost = "link_lost"
    /// The stage named took longer than its timeout.
    case stageTimedOut = "stage_timed_out"
    /// It does not have the service or characteristic that its family has.
    case serviceMissing = "service_missing"
    /// It answered a write or read with an ATT error, or does not permit it.
    case attributeRejected = "attribute_rejected"
    /// It refused in its own words.
    case refused
    /// It came back waiting to be provisioned: what was written was not kept.
    case saveNotKept = "save_not_kept"
    /// It came back with another identity than was written.
    case wrongIdentity = "wrong_identity"
    /// Read back, it holds something else than was written.
    case readBackMismatch = "read_back_mismatch"
    /// It holds settings that are neither the factory's nor this room's, and nobody said that they may go.
    case foreignSettings = "foreign_settings"
    /// It was written and did not end the link, as it does when it has taken what was written.
    case noSelfDisconnect = "no_self_disconnect"
    /// Written and submitted, and not heard afterwards.
    case notHeardAfterSave = "not_heard_after_save"
    /// Written and submitted; afterwards its identity was heard from other addresses only, which proves nothing.
    case heardFromOtherAddress = "heard_from_other_address"
    /// It is on air, configured with another identity: a person must put it into provisioning mode.
    case configuredOtherwise = "configured_otherwise"
    /// The room's minor is on air from another address.
    case minorOnAir = "minor_on_air"
    /// The room's minor is on record at another address, which was not heard to have another.
    case minorOnRecord = "minor_on_record"
    /// Its device is at work with the settings of an earlier run, and cannot be rewritten in place.
    case settingsChanged = "settings_changed"
    /// What would be done is not what the plan says.
    case planOutdated = "plan_outdated"
    /// Another run works with the adapter.
    case adapterClaimed = "adapter_claimed"
    /// This host slept, or was held, in the middle of it.
    case hostPaused = "host_paused"
    /// More devices were heard than rooms are left to take any of them.
    case tooManyCandidates = "too_many_candidates"
    /// No device was left for this room.
    case noCandidate = "no_candidate"
    /// Devices of the room's family do not tell on air whether they are provisioned: the room must name its own.
    case addressNeeded = "address_needed"
    /// Of the devices near the room's adapter none is clearly the nearest.
    case notClearlyNearest = "not_clearly_nearest"
    /// The nearest device is too far from the room's adapter to be in the room.
    case notNear = "not_near"
    /// The nearest device was not heard long or often enough yet to be sure of it.
    case heardTooBriefly = "heard_too_briefly"
    /// The adapter that the room is near is not there.
    case adapterMissing = "adapter_missing"
    /// More rooms than one are near the same adapter.
    case adapterShared = "adapter_shared"
    /// The proposed assignment was not confirmed.
    case notConfirmed = "not_confirmed"
    /// More rooms failed than were allowed to, so no more were begun.
    case tooManyFailures = "too_many_failures"
    /// None of the first rooms of its network was done, so it was not begun.
    case canariesFailed = "canaries_failed"
    /// The first rooms were done, and then the rest was not wanted.
    case canariesRefused = "canaries_refused"
    /// The adapter was switched off or unplugged.
    case adapterLost = "adapter_lost"
    /// The Bluetooth stack or the bus went away.
    case stackLost = "stack_lost"
    /// The adapter has no free connection.
    case outOfSlots = "out_of_slots"
    /// The run was interrupted.
    case interrupted
    /// The record could not be written, so nothing more was done.
    case recordUnwritable = "record_unwritable"
    /// The stack said something else; its text says what.
    case stackError = "stack_error"
  }

  /// What went wrong.
  public var code: Code
  /// The stage it happened in.
  public var stage: Stage?
  /// The setting that was being written.
  public var setting: SettingName?
  /// The ATT error the device answered with.
  public var attError: UInt8?
  /// The device's own words, secrets taken out.
  public var deviceText: String?
  /// The stack's own words, secrets taken out.
  public var stackText: String?
  /// What the device holds instead of what is wanted, as people read it.
  public var held: String?
  /// The minor that was heard instead, or is in the way.
  public var minor: UInt16?
  /// Other devices concerned: candidates, or who is in the way.
  public var addresses: [BluetoothAddress]?
  /// The devices that could be the room's, or that have its identity, and how strongly each was heard.
  public var candidates: [HeardCandidate]?
  /// The adapter that the room is near, as the manifest has it.
  public var near: String?
  /// Seconds after which a timeout struck.
  public var seconds: Double?

  /// A reason; context that does not apply is left out.
  public init(
    _ code: Code, stage: Stage? = nil, setting: SettingName? = nil, attError: UInt8? = nil,
    deviceText: String? = nil, stackText: String? = nil, held: String? = nil, minor: UInt16? = nil,
    addresses: [BluetoothAddress]? = nil, candidates: [HeardCandidate]? = nil, near: String? = nil,
    seconds: Double? = nil
  ) {
    self.code = code
    self.stage = stage
    self.setting = setting
    self.attError = attError
    self.deviceText = deviceText
    self.stackText = stackText
    self.held = held
    self.minor = minor
    self.addresses = addresses
    self.candidates = candidates
    self.near = near
    self.seconds = seconds
  }

  enum CodingKeys: String, CodingKey {
    case code
    case stage
    case setting
    case attError = "att_error"
    case deviceText = "device_text"
    case stackText = "stack_text"
    case held
    case minor
    case addresses
    case candidates
    case near
    case seconds
  }
}

/// A device that could be a room's, or that has its identity.
public struct HeardCandidate: Hashable, Sendable, Codable {
  /// The device.
  public var address: BluetoothAddress
  /// Who hears it so.
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

/// What a failure means for trying again.
public enum FailureClass: String, Hashable, Sendable, Codable {
  /// The radio's mood: may well work next time.
  case transient
  /// The device is not there.
  case missing
  /// The adapter is full.
  case outOfSlots = "out_of_slots"
  /// The adapter or the stack went away: no fault of the device, nor charged to it.
  case host
  /// The stack had forgotten the device, so nothing was sent: it has to be heard again, and nothing is charged to it.
  case forgotten
  /// The device said no.
  case refused
  /// Trying again cannot help: something must be changed first.
  case permanent
  /// We were told to stop.
  case cancelled
}

extension FailureReason.Code {
  /// Whether the adapter or the stack going away looks like this at first.
  package var mayBeTheHosts: Bool {
    switch self {
    case .connectFailed, .connectTimedOut, .linkLost, .stageTimedOut, .serviceMissing, .stackError,
      .unknownToStack, .adapterLost, .stackLost:
      true
    default: false
    }
  }
}

/// The end of an attempt that did not succeed.
public struct AttemptFailure: Error, Hashable, Sendable {
  /// Why.
  public var reason: FailureReason

  /// A failed attempt.
  public init(_ reason: FailureReason) {
    self.reason = reason
  }

  /// What it means for trying again.
  public var failureClass: FailureClass {
    switch reason.code {
    case .connectTimedOut, .connectFailed, .linkLost, .stageTimedOut, .serviceMissing, .saveNotKept,
      .readBackMismatch, .noSelfDisconnect, .stackError:
      .transient
    // Lost while the proof was awaited: everything was written, and only hearing the device settles the rest.
    case .adapterLost, .stackLost: reason.stage == .verify ? .permanent : .host
    case .hostPaused: .host
    case .unknownToStack: .forgotten
    case .neverHeard, .noCandidate, .notNear, .heardTooBriefly, .adapterMissing: .missing
    case .outOfSlots: .outOfSlots
    case .attributeRejected, .refused: .refused
    case .wrongIdentity, .notHeardAfterSave, .heardFromOtherAddress, .configuredOtherwise, .foreignSettings,
      .minorOnAir,
      .minorOnRecord,
      .settingsChanged, .planOutdated, .adapterClaimed, .tooManyCandidates, .notClearlyNearest,
      .adapterShared, .addressNeeded,
      .tooManyFailures, .canariesFailed, .canariesRefused, .notConfirmed,
      .recordUnwritable, .adapterDeaf:
      .permanent
    case .interrupted: .cancelled
    }
  }
}
