extension FailureReason {
  /// The closed set of reasons, without their context. The names are frozen.
  package enum Code: String, Hashable, Sendable, Codable, CaseIterable {
    case neverReceived = "never_received"
    case adapterDeaf = "adapter_deaf"
    case contentHidden = "content_hidden"
    case connectTimedOut = "connect_timed_out"
    case connectFailed = "connect_failed"
    case unknownToStack = "unknown_to_stack"
    case linkLost = "link_lost"
    case stageTimedOut = "stage_timed_out"
    case serviceMissing = "service_missing"
    case serviceAmbiguous = "service_ambiguous"
    case attributeRejected = "attribute_rejected"
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

  /// The reason without its context.
  package var code: Code {
    switch self {
    case .neverReceived: .neverReceived
    case .adapterDeaf: .adapterDeaf
    case .contentHidden: .contentHidden
    case .connectTimedOut: .connectTimedOut
    case .connectFailed: .connectFailed
    case .unknownToStack: .unknownToStack
    case .linkLost: .linkLost
    case .stageTimedOut: .stageTimedOut
    case .serviceMissing: .serviceMissing
    case .serviceAmbiguous: .serviceAmbiguous
    case .attributeRejected: .attributeRejected
    case .refused: .refused
    case .wifiRefused: .wifiRefused
    case .saveNotKept: .saveNotKept
    case .wrongIdentity: .wrongIdentity
    case .readBackMismatch: .readBackMismatch
    case .foreignSettings: .foreignSettings
    case .credentialsRefused: .credentialsRefused
    case .securityTooLow: .securityTooLow
    case .settingUnsupported: .settingUnsupported
    case .networkNotReceived: .networkNotReceived
    case .noSelfDisconnect: .noSelfDisconnect
    case .notReceivedAfterSave: .notReceivedAfterSave
    case .receivedFromOtherAddress: .receivedFromOtherAddress
    case .beaconAsBefore: .beaconAsBefore
    case .contradictorySightings: .contradictorySightings
    case .ambiguousFamily: .ambiguousFamily
    case .configuredOtherwise: .configuredOtherwise
    case .identityOnAir: .identityOnAir
    case .identityOnRecord: .identityOnRecord
    case .settingsChanged: .settingsChanged
    case .settingsUnknown: .settingsUnknown
    case .authorizationRequired: .authorizationRequired
    case .planOutdated: .planOutdated
    case .adapterClaimed: .adapterClaimed
    case .hostPaused: .hostPaused
    case .tooManyCandidates: .tooManyCandidates
    case .noCandidate: .noCandidate
    case .addressNeeded: .addressNeeded
    case .addressMissing: .addressMissing
    case .notClearlyNearest: .notClearlyNearest
    case .notNear: .notNear
    case .receivedTooBriefly: .receivedTooBriefly
    case .adapterMissing: .adapterMissing
    case .adapterShared: .adapterShared
    case .notConfirmed: .notConfirmed
    case .tooManyFailures: .tooManyFailures
    case .canariesFailed: .canariesFailed
    case .canariesRefused: .canariesRefused
    case .adapterLost: .adapterLost
    case .stackLost: .stackLost
    case .outOfSlots: .outOfSlots
    case .interrupted: .interrupted
    case .recordUnwritable: .recordUnwritable
    case .stackError: .stackError
    }
  }
}

extension FailureReason.Code {
  /// Whether the device itself reports that it did not take the settings.
  package var isRefusal: Bool { self == .refused || self == .wifiRefused }
}
