package import Model

/// The words for each reason that do not depend on its context.
extension FailureReason.Code: OutputNames {
  package static let definition = "failure_code"
  package static let about = "Why something did not succeed."
  package var documentation: String {
    switch self {
    case .neverReceived:
      "No adapter received it. `seconds` is there if an attempt searched for it."
    case .adapterDeaf: "No adapter reported any device at all, not even others."
    case .connectTimedOut:
      "It was received, but did not accept a connection within the timeout: `seconds` if it was roboprov's, else the stack's."
    case .connectFailed: "The connection attempt failed."
    case .contentHidden:
      "It was received, but the stack showed old data instead of what it sends."
    case .notRecognised: "It was received, but what it sent is not that of any family."
    case .unknownToStack:
      "It was received, but the stack forgot it before each connection, as it does with a device that takes none: nothing was sent."
    case .linkLost: "The link was lost."
    case .stageTimedOut:
      "The stage took longer than its timeout: `seconds` if it was roboprov's, else the stack's."
    case .serviceMissing: "It does not have the service or characteristic that its family has."
    case .serviceAmbiguous:
      "It has the service, or a required characteristic, more than once: nothing was written."
    case .attributeRejected:
      "It responded to a write or read with an ATT error, or does not permit it. The stack reports 8 also for a service that it keeps for itself."
    case .pairingRequired:
      "It demands an encrypted link for a write or read, which takes pairing, and the manifest does not want that."
    case .pairingRefused:
      "It does not pair, or not now, or not with this host: nothing was written. The stack reports most refusals alike."
    case .passkeyRefused:
      "It asked for the passkey of the room and then refused to pair: nothing was written. `source` says where the passkey comes from, unless it is in the manifest itself."
    case .passkeyUnused:
      "It paired without the passkey of the room, or may have, because there is a bond of unknown origin. So nothing shows that it is the device with the label: nothing was written."
    case .pairingUnsuitable:
      "It demands another way to pair than that of the room, such as a comparison of numbers: nothing was written."
    case .pairingLost: "The link was lost while it was being paired, or it did not answer."
    case .refused: "The device refused; `device_text` is its error message, without secrets."
    case .wifiRefused:
      "It could not join the WiFi network, as it reports itself; `cause` is why, as far as it reports that, and `device_text` is its message, without secrets."
    case .saveNotKept: "It returned waiting to be provisioned: it did not keep what was written."
    case .wrongIdentity: "It returned with another identity than the written one."
    case .readBackMismatch: "It was read back, and does not hold what was written."
    case .foreignSettings:
      "It holds settings that are neither the factory's nor this room's, and --overwrite does not name the room."
    case .otherDevice:
      "It says that it is another device (`held`) than the room's: nothing was written."
    case .credentialsRefused:
      "It did not accept the credentials of the room: it answered with an ATT error, or the link ended at that moment. Nothing was written. `source` says where they come from, unless they are in the manifest itself."
    case .securityTooLow:
      "Its sessions have less security (`held`) than the manifest demands or than an earlier one had, or one that it does not name: nothing was written."
    case .notForWiFi: "It joins Thread networks only: nothing was written."
    case .settingUnsupported:
      "It does not take `setting`, which the manifest gives for the room: nothing was written."
    case .networkNotReceived:
      "It does not receive the WiFi network that it is to join: nothing was written."
    case .deviceRestarts:
      "It restarts so that its settings take effect; the next attempt asks it for the proof."
    case .noSelfDisconnect:
      "It was written, but did not end the link as it does when it has accepted the write."
    case .notReceivedAfterSave:
      "Written and submitted, and not received afterwards. `stage` is absent if an earlier run sent the save."
    case .receivedFromOtherAddress:
      "Written and submitted; afterwards its identity was received from other addresses only, which proves nothing."
    case .beaconAsBefore:
      "It did not acknowledge the save, and its beacon is the one that it may have had before: it may have kept its earlier settings. `stage` is absent if an earlier run sent the save."
    case .contradictorySightings:
      "One address sent what one device cannot send: it alternately waits for provisioning and sends a beacon, or it sends two identities. `stage` is there if this was found after the save."
    case .configuredOtherwise:
      "It is on air, configured with another identity: a person must put it into provisioning mode."
    case .identityOnAir: "The room's identity is on air from another address."
    case .identityOnRecord:
      "The room's identity is on record for another address, and that address was not received with another identity."
    case .settingsChanged:
      "Its device is at work with the settings of an earlier run, and cannot be rewritten in place. `identity` is absent for families without one, `changes` if `--force` asks for the same settings again."
    case .settingsUnknown:
      "Its device is at work with the room's identity, and nothing on record shows its other settings. `identity` is absent for families without one."
    case .authorizationRequired: "A person must press its button before it accepts settings."
    case .localAdapterNeeded:
      "Its only acknowledgement is the moment at which it ends the link, which the network to an adapter of another host hides."
    case .planOutdated: "The run would not follow the plan."
    case .adapterClaimed: "Another run works with the adapter: the adapter, and the run that holds it."
    case .hostPaused: "The host slept or was suspended during the stage."
    case .tooManyCandidates:
      "More devices were received than rooms are left that take any device. With `identity`: several devices have the identity of a room whose device was configured elsewhere."
    case .noCandidate: "No device was left for this room, or none was received near its adapter."
    case .ambiguousFamily:
      "The device matches several families, so roboprov cannot know which settings it takes. It is never written."
    case .addressNeeded:
      "Devices of the room's family send no identity on air: the room must name its own."
    case .addressMissing: "The manifest does not name the room's device yet: its label must be read."
    case .notClearlyNearest: "None of the devices near the room's adapter is clearly the nearest."
    case .notNear: "The nearest device is too far from the room's adapter to be in the room."
    case .receivedTooBriefly: "The nearest device was not received long or often enough to be sure."
    case .adapterMissing: "The adapter that the room is near is not there."
    case .adapterShared: "Several rooms are near the same adapter."
    case .notConfirmed: "The proposed assignment was not confirmed."
    case .tooManyFailures: "More rooms failed than allowed, so no more were started."
    case .canariesFailed: "None of the first rooms of its network was done, so it was not started."
    case .canariesRefused: "The first rooms were done, but not approved."
    case .adapterLost: "The adapter was switched off or unplugged."
    case .stackLost: "The Bluetooth stack or the bus was lost."
    case .outOfSlots: "The adapter has no free connection."
    case .interrupted: "The run was interrupted."
    case .recordUnwritable: "The record could not be written, so nothing more was done."
    case .stackError: "The stack reported another error, which its text describes."
    }
  }

  /// The reason in a few words, for headings, lists and logs.
  var words: String {
    switch self {
    case .neverReceived: "not received"
    case .adapterDeaf: "adapter receives nothing"
    case .connectTimedOut: "connection timed out"
    case .connectFailed: "connection failed"
    case .contentHidden: "hidden by the Bluetooth service"
    case .notRecognised: "not recognised"
    case .unknownToStack: "removed by the Bluetooth service"
    case .linkLost: "link lost"
    case .stageTimedOut: "no answer in time"
    case .serviceMissing: "service missing"
    case .serviceAmbiguous: "service present twice"
    case .attributeRejected: "request rejected"
    case .pairingRequired: "pairing required"
    case .pairingRefused: "pairing refused"
    case .passkeyRefused: "passkey not accepted"
    case .passkeyUnused: "passkey not used"
    case .pairingUnsuitable: "another pairing demanded"
    case .pairingLost: "lost while pairing"
    case .refused: "settings refused"
    case .wifiRefused: "WiFi not joined"
    case .saveNotKept: "settings not kept"
    case .wrongIdentity: "wrong identity after the save"
    case .readBackMismatch: "other settings read back"
    case .foreignSettings: "unknown settings on the device"
    case .otherDevice: "another device"
    case .credentialsRefused: "credentials not accepted"
    case .securityTooLow: "security too low"
    case .notForWiFi: "not a WiFi device"
    case .settingUnsupported: "setting not supported"
    case .networkNotReceived: "WiFi network not received"
    case .deviceRestarts: "restarts"
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
    case .localAdapterNeeded: "adapter of this computer needed"
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
    case .stackLost: "Bluetooth service lost"
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
    case .notSearched: "not searched"
    case .notVerifiable: "sends no beacon"
    }
  }
}
