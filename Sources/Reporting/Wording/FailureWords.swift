import Model

extension FailureReason.Code {
  /// The reason in a few words, for headings, lists and logs.
  var words: String {
    switch self {
    case .neverReceived: "not received"
    case .adapterDeaf: "adapter receives nothing"
    case .connectTimedOut: "connection timed out"
    case .connectFailed: "connection failed"
    case .contentHidden: "hidden by the Bluetooth service"
    case .unknownToStack: "removed by the Bluetooth service"
    case .linkLost: "link lost"
    case .stageTimedOut: "no answer in time"
    case .serviceMissing: "service missing"
    case .serviceAmbiguous: "service present twice"
    case .attributeRejected: "request rejected"
    case .refused: "settings refused"
    case .wifiRefused: "WiFi not joined"
    case .saveNotKept: "settings not kept"
    case .wrongIdentity: "wrong identity after the save"
    case .readBackMismatch: "other settings read back"
    case .foreignSettings: "unknown settings on the device"
    case .credentialsRefused: "credentials not accepted"
    case .securityTooLow: "security too low"
    case .settingUnsupported: "setting not supported"
    case .networkNotReceived: "WiFi network not received"
    case .noSelfDisconnect: "write not confirmed"
    case .notReceivedAfterSave: "not received after the save"
    case .receivedFromOtherAddress: "received from another address"
    case .beaconAsBefore: "beacon as before the save"
    case .contradictorySightings: "two devices with one address"
    case .configuredOtherwise: "configured otherwise"
    case .identityOnAir: "identity on air from another device"
    case .identityOnRecord: "identity on record for another device"
    case .settingsChanged: "settings changed in the manifest"
    case .settingsUnknown: "settings not on record"
    case .authorizationRequired: "button press required"
    case .planOutdated: "plan outdated"
    case .adapterClaimed: "adapter in use by another run"
    case .hostPaused: "computer suspended or stopped"
    case .tooManyCandidates: "too many devices"
    case .noCandidate: "no device left"
    case .ambiguousFamily: "several families match"
    case .addressNeeded: "address needed"
    case .addressMissing: "address missing"
    case .notClearlyNearest: "no device clearly nearest"
    case .notNear: "nearest device too far away"
    case .receivedTooBriefly: "not received long enough"
    case .adapterMissing: "adapter not found"
    case .adapterShared: "adapter near several rooms"
    case .notConfirmed: "not confirmed"
    case .tooManyFailures: "too many failures"
    case .canariesFailed: "first rooms failed"
    case .canariesRefused: "first rooms not approved"
    case .adapterLost: "adapter lost"
    case .stackLost: "Bluetooth service stopped"
    case .outOfSlots: "no free connection"
    case .interrupted: "interrupted"
    case .recordUnwritable: "record not writable"
    case .stackError: "error of the Bluetooth service"
    }
  }
}

extension RoomVerified.Finding {
  var words: String {
    switch self {
    case .onAir: "on air"
    case .otherIdentity: "another identity"
    case .otherDevice: "on air from another device"
    case .duplicate: "on air from several devices"
    case .waiting: "waits for provisioning"
    case .missing: "not received"
    case .notVerifiable: "sends no beacon"
    }
  }
}
