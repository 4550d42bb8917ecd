import Bluetooth
import Model

extension Outcome {
  /// The outcome of a room that will not be tried again in this run, by why its last attempt failed.
  init(after reason: FailureReason) {
    self =
      switch reason {
      case .neverHeard, .adapterDeaf, .connectTimedOut, .connectFailed, .unknownToStack: .unreachable
      case .notHeardAfterSave, .heardFromOtherAddress, .noSelfDisconnect: .unconfirmed
      // When the wait for the proof was cut short, the device may well be changed; before, it is not.
      case .interrupted(.awaitingProof), .recordUnwritable(.awaitingProof), .adapterLost(.awaitingProof),
        .stackLost(.awaitingProof):
        .unconfirmed
      case .linkLost(let step) where step.stage == .verify: .unconfirmed
      case .interrupted: .cancelled
      case .configuredOtherwise, .foreignSettings, .networkNotReceived, .minorOnAir, .minorOnRecord,
        .settingsChanged:
        .needsHands
      case .tooManyCandidates, .notClearlyNearest, .adapterShared, .addressNeeded: .ambiguous
      case .noCandidate, .addressMissing, .notNear, .heardTooBriefly, .adapterMissing, .notConfirmed,
        .recordUnwritable,
        .planOutdated, .adapterClaimed, .tooManyFailures,
        .canariesFailed, .canariesRefused:
        .pending
      case .linkLost, .stageTimedOut, .serviceMissing, .serviceAmbiguous, .attributeRejected, .refused,
        .saveNotKept,
        .readBackMismatch, .wrongIdentity, .adapterLost, .stackLost, .hostPaused, .outOfSlots, .stackError:
        .failed
      }
  }
}
