import Bluetooth
import Model

extension Outcome {
  /// The outcome of a room that gets no further attempt in this run, by the reason of its last failure.
  init(after reason: FailureReason) {
    self =
      switch reason {
      case .neverReceived, .adapterDeaf, .contentHidden, .connectTimedOut, .connectFailed, .unknownToStack:
        .unreachable
      case .notReceivedAfterSave, .receivedFromOtherAddress, .beaconAsBefore, .noSelfDisconnect: .unconfirmed
      case .contradictorySightings(_, let response): response == nil ? .ambiguous : .unconfirmed
      // If the wait for the proof was cut short, the device may have changed. Before the wait it has not.
      case .interrupted(.awaitingProof), .recordUnwritable(.awaitingProof), .adapterLost(.awaitingProof),
        .stackLost(.awaitingProof):
        .unconfirmed
      case .linkLost(let step) where step.stage == .verify: .unconfirmed
      case .stageTimedOut(let step, _) where step.stage == .verify: .unconfirmed
      case .interrupted: .cancelled
      case .configuredOtherwise, .foreignSettings, .credentialsRefused, .securityTooLow, .settingUnsupported,
        .networkNotReceived, .identityOnAir, .identityOnRecord, .settingsChanged, .settingsUnknown,
        .authorizationRequired:
        .actionRequired
      case .tooManyCandidates, .notClearlyNearest, .adapterShared, .addressNeeded, .ambiguousFamily:
        .ambiguous
      case .noCandidate, .addressMissing, .notNear, .receivedTooBriefly, .adapterMissing, .notConfirmed,
        .recordUnwritable,
        .planOutdated, .adapterClaimed, .tooManyFailures,
        .canariesFailed, .canariesRefused:
        .pending
      case .linkLost, .stageTimedOut, .serviceMissing, .serviceAmbiguous, .attributeRejected, .refused,
        .wifiRefused,
        .saveNotKept,
        .readBackMismatch, .wrongIdentity, .adapterLost, .stackLost, .hostPaused, .outOfSlots, .stackError:
        .failed
      }
  }
}
