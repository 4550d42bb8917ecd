import Bluetooth
import Model

extension Outcome {
  /// The outcome of a room that will not be tried again in this run, by why its last attempt failed.
  init(after reason: FailureReason) {
    let isAfterSave = reason.stage == .verify
    self =
      switch reason.code {
      case .neverHeard, .adapterDeaf, .connectTimedOut, .connectFailed, .unknownToStack: .unreachable
      case .notHeardAfterSave, .heardFromOtherAddress, .noSelfDisconnect: .unconfirmed
      // When the wait for the proof was cut short, the device may well be changed; before, it is not.
      case .interrupted where isAfterSave, .adapterLost where isAfterSave, .stackLost where isAfterSave,
        .linkLost where isAfterSave,
        .recordUnwritable where isAfterSave:
        .unconfirmed
      case .interrupted: .cancelled
      case .configuredOtherwise, .foreignSettings, .minorOnAir, .minorOnRecord, .settingsChanged: .needsHands
      case .tooManyCandidates, .notClearlyNearest, .adapterShared, .addressNeeded: .ambiguous
      case .noCandidate, .notNear, .heardTooBriefly, .adapterMissing, .notConfirmed, .recordUnwritable,
        .planOutdated, .adapterClaimed, .tooManyFailures,
        .canariesFailed, .canariesRefused:
        .pending
      case .linkLost, .stageTimedOut, .serviceMissing, .attributeRejected, .refused, .saveNotKept,
        .readBackMismatch, .wrongIdentity, .adapterLost, .stackLost, .hostPaused, .outOfSlots, .stackError:
        .failed
      }
  }
}
