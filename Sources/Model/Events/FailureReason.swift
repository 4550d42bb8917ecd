package import Bluetooth

/// Why something failed, with its context. The edge makes sentences and advice from it.
/// `Reporting/Wording/ReasonWords.swift` explains each.
@dynamicMemberLookup
package enum FailureReason: Hashable, Sendable {
  /// No adapter received the device. After a search of an attempt, with its length in seconds.
  case neverReceived(searchSeconds: Double? = nil)
  case adapterDeaf
  /// The device was received, but the stack kept an old object of it, which hides what it sends.
  case contentHidden(stackText: String)
  /// The device was received, but nothing that it sent is that of a family.
  case notRecognised
  /// The device was received, but a connection timed out: by the program, with seconds, or by the stack.
  case connectTimedOut(seconds: Double? = nil, stackText: String? = nil)
  case connectFailed(FailedStep)
  case unknownToStack(stackText: String? = nil)
  case linkLost(FailedStep)
  /// The stage timed out: by the program, with seconds, or by the stack.
  case stageTimedOut(FailedStep, seconds: Double? = nil)
  case serviceMissing(FailedStep)
  case serviceAmbiguous(FailedStep)
  case attributeRejected(FailedStep, attError: UInt8? = nil)
  /// It demands an encrypted link, which takes pairing.
  case pairingRequired(FailedStep)
  case refused(stage: Stage, deviceText: String)
  /// The device got the WiFi, tried to join it and reports that it could not.
  case wifiRefused(WiFiRefusal, deviceText: String)
  case saveNotKept
  case wrongIdentity(DeviceIdentity)
  case readBackMismatch(setting: SettingName, held: String)
  case foreignSettings(held: String, SettingsSource)
  /// The device refused the credentials of the room, by an ATT error or by ending the link. With the source of the
  /// secret (`SecretSource.written`), unless the manifest itself has it.
  case credentialsRefused(FailedStep, source: String? = nil)
  /// Its sessions have less security than the manifest demands: `security 0`.
  case securityTooLow(held: String)
  /// The device has no place for this, which the manifest gives for the room.
  case settingUnsupported(SettingName)
  case networkNotReceived(ssid: String, networks: [FoundNetwork])
  case noSelfDisconnect(seconds: Double? = nil)
  /// The response is nil after a save of an earlier run.
  case notReceivedAfterSave(SaveResponse?)
  case receivedFromOtherAddress(OtherSenders, SaveResponse)
  /// The response is nil after a save of an earlier run.
  case beaconAsBefore(DeviceIdentity, SaveResponse?)
  /// The response is nil before the room's device was asked to save.
  case contradictorySightings(Contradiction, SaveResponse?)
  /// What the device sends is that of several families.
  case ambiguousFamily([FamilyID])
  case configuredOtherwise(DeviceIdentity)
  case identityOnAir(IdentityHolders)
  case identityOnRecord(IdentityHolders)
  /// The identity is nil for a family without one. With what differs, unless the operator only wants it written again.
  case settingsChanged(DeviceIdentity?, [PlannedSetting] = [])
  /// The identity is nil for a family without one.
  case settingsUnknown(DeviceIdentity?)
  /// A person must press the device's button before it accepts settings.
  case authorizationRequired
  /// Its only acknowledgement is the time at which it ends the link, which the network to another host hides.
  case localAdapterNeeded
  case planOutdated
  /// The holder: the adapter and that run.
  case adapterClaimed(holder: String)
  case hostPaused(PausedStep)
  /// More devices were received than rooms are left for them; or, with an identity, several devices have it:
  /// that of a room whose device was configured elsewhere.
  case tooManyCandidates([BluetoothAddress], identity: DeviceIdentity? = nil)
  case noCandidate(near: String? = nil)
  case addressNeeded(received: [BluetoothAddress])
  case addressMissing
  case notClearlyNearest(NearCandidates)
  case notNear(NearCandidates)
  case receivedTooBriefly(NearCandidates)
  case adapterMissing(near: String)
  case adapterShared(near: String)
  case notConfirmed
  case tooManyFailures
  case canariesFailed
  case canariesRefused
  case adapterLost(Interruption)
  case stackLost(Interruption)
  case outOfSlots(FailedStep)
  case interrupted(Interruption)
  case recordUnwritable(Interruption)
  case stackError(FailedStep)
}

extension FailureReason {
  /// The closed set of reasons, without their context. The names are frozen.
  package enum Code: String, Hashable, Sendable, Codable, CaseIterable {
    case neverReceived = "never_received"
    case adapterDeaf = "adapter_deaf"
    case contentHidden = "content_hidden"
    case notRecognised = "not_recognised"
    case connectTimedOut = "connect_timed_out"
    case connectFailed = "connect_failed"
    case unknownToStack = "unknown_to_stack"
    case linkLost = "link_lost"
    case stageTimedOut = "stage_timed_out"
    case serviceMissing = "service_missing"
    case serviceAmbiguous = "service_ambiguous"
    case attributeRejected = "attribute_rejected"
    case pairingRequired = "pairing_required"
    case refused
    case wifiRefused = "wifi_refused"
    case saveNotKept = "save_not_kept"
    case wrongIdentity = "wrong_identity"
    case readBackMismatch = "read_back_mismatch"
    case foreignSettings = "foreign_settings"
    case credentialsRefused = "credentials_refused"
    case securityTooLow = "security_too_low"
    case settingUnsupported = "setting_unsupported"
    case networkNotReceived = "network_not_received"
    case noSelfDisconnect = "no_self_disconnect"
    case notReceivedAfterSave = "not_received_after_save"
    case receivedFromOtherAddress = "received_from_other_address"
    case beaconAsBefore = "beacon_as_before"
    case contradictorySightings = "contradictory_sightings"
    case ambiguousFamily = "ambiguous_family"
    case configuredOtherwise = "configured_otherwise"
    case identityOnAir = "identity_on_air"
    case identityOnRecord = "identity_on_record"
    case settingsChanged = "settings_changed"
    case settingsUnknown = "settings_unknown"
    case authorizationRequired = "authorization_required"
    case localAdapterNeeded = "local_adapter_needed"
    case planOutdated = "plan_outdated"
    case adapterClaimed = "adapter_claimed"
    case hostPaused = "host_paused"
    case tooManyCandidates = "too_many_candidates"
    case noCandidate = "no_candidate"
    case addressNeeded = "address_needed"
    case addressMissing = "address_missing"
    case notClearlyNearest = "not_clearly_nearest"
    case notNear = "not_near"
    case receivedTooBriefly = "received_too_briefly"
    case adapterMissing = "adapter_missing"
    case adapterShared = "adapter_shared"
    case notConfirmed = "not_confirmed"
    case tooManyFailures = "too_many_failures"
    case canariesFailed = "canaries_failed"
    case canariesRefused = "canaries_refused"
    case adapterLost = "adapter_lost"
    case stackLost = "stack_lost"
    case outOfSlots = "out_of_slots"
    case interrupted
    case recordUnwritable = "record_unwritable"
    case stackError = "stack_error"
  }

  /// A further property on which something depends. No reason has two of them.
  package enum Trait {
    /// The device itself reports that it did not take the settings.
    case refusal
    /// It concerns the host or the whole run, and no device.
    case ofHost
    /// The loss of the adapter or the stack may look like it.
    case mayBeHostLoss
    /// It says what the device has: it was received after the save, or nothing was written.
    case knownState
    /// It says that, too, and ends when the device is in provisioning mode.
    case endsInProvisioningMode
    /// The room has no device, and may get one from further advertisements.
    case mayGetADevice
  }

  /// The table of reasons. Where the context changes something, it has a row of its own.
  private var row: (code: Code, failureClass: FailureClass, outcome: Outcome, trait: Trait?) {
    switch self {
    case .neverReceived: (.neverReceived, .missing, .unreachable, nil)
    case .adapterDeaf: (.adapterDeaf, .permanent, .unreachable, .ofHost)
    case .contentHidden: (.contentHidden, .missing, .unreachable, nil)
    case .notRecognised: (.notRecognised, .missing, .unreachable, nil)
    case .connectTimedOut: (.connectTimedOut, .transient, .unreachable, .mayBeHostLoss)
    case .connectFailed: (.connectFailed, .transient, .unreachable, .mayBeHostLoss)
    case .unknownToStack: (.unknownToStack, .forgotten, .unreachable, .mayBeHostLoss)
    case .linkLost(let step) where step.stage == .verify:
      (.linkLost, .transient, .unconfirmed, .mayBeHostLoss)
    case .linkLost: (.linkLost, .transient, .failed, .mayBeHostLoss)
    case .stageTimedOut(let step, _) where step.stage == .verify:
      (.stageTimedOut, .transient, .unconfirmed, .mayBeHostLoss)
    case .stageTimedOut: (.stageTimedOut, .transient, .failed, .mayBeHostLoss)
    case .serviceMissing: (.serviceMissing, .transient, .failed, .mayBeHostLoss)
    case .serviceAmbiguous: (.serviceAmbiguous, .transient, .failed, .mayBeHostLoss)
    case .attributeRejected: (.attributeRejected, .refused, .failed, nil)
    case .pairingRequired: (.pairingRequired, .permanent, .failed, nil)
    case .refused: (.refused, .refused, .failed, .refusal)
    case .wifiRefused: (.wifiRefused, .refused, .failed, .refusal)
    case .saveNotKept: (.saveNotKept, .transient, .failed, .knownState)
    case .wrongIdentity: (.wrongIdentity, .permanent, .failed, .knownState)
    case .readBackMismatch: (.readBackMismatch, .transient, .failed, .knownState)
    case .foreignSettings: (.foreignSettings, .permanent, .actionRequired, .knownState)
    case .credentialsRefused: (.credentialsRefused, .permanent, .actionRequired, .knownState)
    case .securityTooLow: (.securityTooLow, .permanent, .actionRequired, .knownState)
    case .settingUnsupported: (.settingUnsupported, .permanent, .actionRequired, .knownState)
    case .networkNotReceived: (.networkNotReceived, .permanent, .actionRequired, .knownState)
    case .noSelfDisconnect: (.noSelfDisconnect, .transient, .unconfirmed, nil)
    case .notReceivedAfterSave: (.notReceivedAfterSave, .permanent, .unconfirmed, nil)
    case .receivedFromOtherAddress: (.receivedFromOtherAddress, .permanent, .unconfirmed, .knownState)
    case .beaconAsBefore: (.beaconAsBefore, .permanent, .unconfirmed, .endsInProvisioningMode)
    case .contradictorySightings(_, nil): (.contradictorySightings, .permanent, .ambiguous, nil)
    case .contradictorySightings: (.contradictorySightings, .permanent, .unconfirmed, nil)
    case .ambiguousFamily: (.ambiguousFamily, .permanent, .ambiguous, nil)
    case .configuredOtherwise: (.configuredOtherwise, .permanent, .actionRequired, .endsInProvisioningMode)
    case .identityOnAir: (.identityOnAir, .permanent, .actionRequired, .knownState)
    case .identityOnRecord: (.identityOnRecord, .permanent, .actionRequired, nil)
    case .settingsChanged: (.settingsChanged, .permanent, .actionRequired, .endsInProvisioningMode)
    case .settingsUnknown: (.settingsUnknown, .permanent, .actionRequired, .endsInProvisioningMode)
    case .authorizationRequired:
      (.authorizationRequired, .permanent, .actionRequired, .endsInProvisioningMode)
    case .localAdapterNeeded: (.localAdapterNeeded, .permanent, .actionRequired, .ofHost)
    case .planOutdated: (.planOutdated, .permanent, .pending, .ofHost)
    case .adapterClaimed: (.adapterClaimed, .permanent, .pending, .ofHost)
    case .hostPaused: (.hostPaused, .host, .failed, nil)
    case .tooManyCandidates: (.tooManyCandidates, .permanent, .ambiguous, .mayGetADevice)
    case .noCandidate: (.noCandidate, .missing, .pending, .mayGetADevice)
    case .addressNeeded: (.addressNeeded, .permanent, .ambiguous, nil)
    case .addressMissing: (.addressMissing, .permanent, .pending, nil)
    case .notClearlyNearest: (.notClearlyNearest, .permanent, .ambiguous, .mayGetADevice)
    case .notNear: (.notNear, .missing, .pending, .mayGetADevice)
    case .receivedTooBriefly: (.receivedTooBriefly, .missing, .pending, .mayGetADevice)
    case .adapterMissing: (.adapterMissing, .missing, .pending, .mayGetADevice)
    case .adapterShared: (.adapterShared, .permanent, .ambiguous, nil)
    case .notConfirmed: (.notConfirmed, .permanent, .pending, nil)
    case .tooManyFailures: (.tooManyFailures, .permanent, .pending, nil)
    case .canariesFailed: (.canariesFailed, .permanent, .pending, nil)
    case .canariesRefused: (.canariesRefused, .permanent, .pending, nil)
    case .adapterLost(.awaitingProof): (.adapterLost, .permanent, .unconfirmed, .ofHost)
    case .adapterLost: (.adapterLost, .host, .failed, .ofHost)
    case .stackLost(.awaitingProof): (.stackLost, .permanent, .unconfirmed, .ofHost)
    case .stackLost: (.stackLost, .host, .failed, .ofHost)
    case .outOfSlots: (.outOfSlots, .outOfSlots, .failed, .mayBeHostLoss)
    case .interrupted(.awaitingProof): (.interrupted, .cancelled, .unconfirmed, nil)
    case .interrupted: (.interrupted, .cancelled, .cancelled, nil)
    case .recordUnwritable(.awaitingProof): (.recordUnwritable, .permanent, .unconfirmed, .ofHost)
    case .recordUnwritable: (.recordUnwritable, .permanent, .pending, .ofHost)
    case .stackError: (.stackError, .transient, .failed, .mayBeHostLoss)
    }
  }

  /// What a failure shows of the settings that were sent, by the device's own evidence.
  package enum Content {
    /// The device kept nothing: it waits to be provisioned again.
    case nothing
    /// The device refused them, so what it holds is unknown.
    case refused
    /// The device holds other settings.
    case other

    package var deniesSave: Bool { self != .other }
  }

  /// What it shows of the device's settings; nil if it shows nothing. Nothing else decides whether a device may have kept
  /// what was sent.
  package var content: Content? {
    switch code {
    case .saveNotKept: .nothing
    case .wrongIdentity, .configuredOtherwise, .foreignSettings: .other
    default: trait == .refusal ? .refused : nil
    }
  }

  /// Whether the device answered a request with an ATT error, so it did not take what the request had.
  package var isATTError: Bool { code == .attributeRejected || code == .pairingRequired }

  /// The device shows that it tried to join its network, and waits again.
  package static let gaveUpJoining = Self.wifiRefused(
    .unknown, deviceText: "it tried to join, and gave up")

  package var code: Code { row.code }
  /// Its consequence for a retry.
  package var failureClass: FailureClass { row.failureClass }
  /// The outcome of a room that gets no further attempt in this run, by the reason of its last failure.
  package var outcome: Outcome { row.outcome }
  package var trait: Trait? { row.trait }
}
