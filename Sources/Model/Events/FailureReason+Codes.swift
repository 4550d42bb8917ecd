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
    case pairingRefused = "pairing_refused"
    case passkeyRefused = "passkey_refused"
    case passkeyUnused = "passkey_unused"
    case pairingUnsuitable = "pairing_unsuitable"
    case pairingLost = "pairing_lost"
    case refused
    case wifiRefused = "wifi_refused"
    case saveNotKept = "save_not_kept"
    case wrongIdentity = "wrong_identity"
    case readBackMismatch = "read_back_mismatch"
    case foreignSettings = "foreign_settings"
    case otherDevice = "other_device"
    case credentialsRefused = "credentials_refused"
    case securityTooLow = "security_too_low"
    case notForWiFi = "not_for_wifi"
    case settingUnsupported = "setting_unsupported"
    case networkNotReceived = "network_not_received"
    case deviceRestarts = "device_restarts"
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
}

extension FailureReason.Code {
  package typealias Key = FailureContext.CodingKeys

  /// The parts that its context always has. Others are optional parameters of the function that makes the reason.
  package var keys: [Key] { row.keys }

  /// The table of reasons. The stage is the only one in which a reason is possible; nil if there are several, or none.
  var row:
    (
      failureClass: FailureClass, outcome: Outcome, trait: FailureReason.Trait?, keys: [Key], stage: Stage?
    )
  {
    switch self {
    case .neverReceived: (.missing, .unreachable, nil, [], .search)
    case .adapterDeaf: (.permanent, .unreachable, .ofHost, [], nil)
    case .contentHidden: (.missing, .unreachable, nil, [.stackText], nil)
    case .notRecognised: (.missing, .unreachable, nil, [], nil)
    case .connectTimedOut: (.transient, .unreachable, .mayBeHostLoss, [.stage], .connect)
    case .connectFailed: (.transient, .unreachable, .mayBeHostLoss, [.stage], nil)
    case .unknownToStack: (.forgotten, .unreachable, .mayBeHostLoss, [.stage], .connect)
    case .linkLost: (.transient, .failed, .mayBeHostLoss, [.stage], nil)
    case .stageTimedOut: (.transient, .failed, .mayBeHostLoss, [.stage], nil)
    case .serviceMissing: (.transient, .failed, .mayBeHostLoss, [.stage], nil)
    case .serviceAmbiguous: (.transient, .failed, .mayBeHostLoss, [.stage], nil)
    case .attributeRejected: (.refused, .failed, nil, [.stage], nil)
    case .pairingRequired: (.permanent, .failed, nil, [.stage], nil)
    case .pairingRefused: (.permanent, .actionRequired, .knownState, [.stage], nil)
    case .passkeyRefused: (.permanent, .actionRequired, .knownState, [.stage], nil)
    case .passkeyUnused: (.permanent, .actionRequired, .knownState, [.stage], nil)
    case .pairingUnsuitable: (.permanent, .actionRequired, .knownState, [.stage], nil)
    case .pairingLost: (.transient, .failed, .mayBeHostLoss, [.stage], nil)
    case .refused: (.refused, .failed, .refusal, [.stage, .deviceText], nil)
    case .wifiRefused: (.refused, .failed, .refusal, [.stage, .cause, .deviceText], .save)
    case .saveNotKept: (.transient, .failed, .knownState, [.stage], .verify)
    case .wrongIdentity: (.permanent, .failed, .knownState, [.stage, .identity], .verify)
    case .readBackMismatch: (.transient, .failed, .knownState, [.stage, .setting, .held], .read)
    case .foreignSettings: (.permanent, .actionRequired, .knownState, [.held], .read)
    case .otherDevice: (.permanent, .actionRequired, .knownState, [.stage, .held], .ready)
    case .credentialsRefused: (.permanent, .actionRequired, .knownState, [.stage], nil)
    case .securityTooLow: (.permanent, .actionRequired, .knownState, [.stage, .held], .ready)
    case .notForWiFi: (.permanent, .actionRequired, .knownState, [.stage], .ready)
    case .settingUnsupported: (.permanent, .actionRequired, .knownState, [.stage, .setting], .discover)
    case .networkNotReceived: (.permanent, .actionRequired, .knownState, [.stage, .ssid, .networks], .read)
    case .deviceRestarts: (.restarting, .unconfirmed, nil, [.stage], .save)
    case .noSelfDisconnect: (.transient, .unconfirmed, nil, [.stage], .save)
    case .notReceivedAfterSave: (.permanent, .unconfirmed, nil, [], .verify)
    case .receivedFromOtherAddress:
      (.permanent, .unconfirmed, .knownState, [.stage, .identity, .addresses, .candidates], .verify)
    case .beaconAsBefore: (.permanent, .unconfirmed, .endsInProvisioningMode, [.identity], .verify)
    case .contradictorySightings: (.permanent, .ambiguous, nil, [.addresses, .sightings], .verify)
    case .ambiguousFamily: (.permanent, .ambiguous, nil, [.families], nil)
    case .configuredOtherwise: (.permanent, .actionRequired, .endsInProvisioningMode, [.identity], nil)
    case .identityOnAir: (.permanent, .actionRequired, .knownState, [.identity, .addresses], nil)
    case .identityOnRecord: (.permanent, .actionRequired, nil, [.identity, .addresses], nil)
    case .settingsChanged: (.permanent, .actionRequired, .endsInProvisioningMode, [], nil)
    case .settingsUnknown: (.permanent, .actionRequired, .endsInProvisioningMode, [], nil)
    case .authorizationRequired: (.permanent, .actionRequired, .endsInProvisioningMode, [], nil)
    case .localAdapterNeeded: (.permanent, .actionRequired, .ofHost, [], nil)
    case .planOutdated: (.permanent, .pending, .ofHost, [], nil)
    case .adapterClaimed: (.permanent, .pending, .ofHost, [.stackText], nil)
    case .hostPaused: (.host, .failed, nil, [.stage], nil)
    case .tooManyCandidates: (.permanent, .ambiguous, .mayGetADevice, [.addresses], nil)
    case .noCandidate: (.missing, .pending, .mayGetADevice, [], nil)
    case .addressNeeded: (.permanent, .ambiguous, nil, [], nil)
    case .addressMissing: (.permanent, .pending, nil, [], nil)
    case .notClearlyNearest: (.permanent, .ambiguous, .mayGetADevice, [.near, .candidates], nil)
    case .notNear: (.missing, .pending, .mayGetADevice, [.near, .candidates], nil)
    case .receivedTooBriefly: (.missing, .pending, .mayGetADevice, [.near, .candidates], nil)
    case .adapterMissing: (.missing, .pending, .mayGetADevice, [.near], nil)
    case .adapterShared: (.permanent, .ambiguous, nil, [.near], nil)
    case .notConfirmed: (.permanent, .pending, nil, [], nil)
    case .tooManyFailures: (.permanent, .pending, nil, [], nil)
    case .canariesFailed: (.permanent, .pending, nil, [], nil)
    case .canariesRefused: (.permanent, .pending, nil, [], nil)
    case .adapterLost: (.host, .failed, .ofHost, [], nil)
    case .stackLost: (.host, .failed, .ofHost, [], nil)
    case .outOfSlots: (.outOfSlots, .failed, .mayBeHostLoss, [.stage], nil)
    case .interrupted: (.cancelled, .cancelled, nil, [], nil)
    case .recordUnwritable: (.permanent, .pending, .ofHost, [], nil)
    case .stackError: (.transient, .failed, .mayBeHostLoss, [.stage], nil)
    }
  }
}
