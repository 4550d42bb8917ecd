/// What a failure means for trying again.
public enum FailureClass: String, Hashable, Sendable, Codable {
  /// Due to the radio: may well work next time.
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

/// The end of an attempt that did not succeed.
public struct AttemptFailure: Error, Hashable, Sendable {
  /// Why.
  public var reason: FailureReason

  /// A failed attempt.
  public init(_ reason: FailureReason) {
    self.reason = reason
  }

  /// What it means for trying again.
  public var failureClass: FailureClass { reason.failureClass }
}

extension FailureReason {
  /// What it means for trying again.
  public var failureClass: FailureClass {
    switch self {
    case .connectTimedOut, .connectFailed, .linkLost, .stageTimedOut, .serviceMissing, .serviceAmbiguous,
      .saveNotKept,
      .readBackMismatch, .noSelfDisconnect, .stackError:
      .transient
    // Lost while the proof was awaited: everything was written, and only hearing the device settles the rest.
    case .adapterLost(.awaitingProof), .stackLost(.awaitingProof): .permanent
    case .adapterLost, .stackLost, .hostPaused: .host
    case .unknownToStack: .forgotten
    case .neverHeard, .noCandidate, .notNear, .heardTooBriefly, .adapterMissing: .missing
    case .outOfSlots: .outOfSlots
    case .attributeRejected, .refused: .refused
    case .wrongIdentity, .notHeardAfterSave, .heardFromOtherAddress, .configuredOtherwise, .foreignSettings,
      .networkNotReceived, .minorOnAir, .minorOnRecord, .settingsChanged, .planOutdated, .adapterClaimed,
      .tooManyCandidates,
      .notClearlyNearest, .adapterShared, .addressNeeded, .addressMissing, .tooManyFailures, .canariesFailed,
      .canariesRefused,
      .notConfirmed, .recordUnwritable, .adapterDeaf:
      .permanent
    case .interrupted: .cancelled
    }
  }

  /// Whether the adapter or the stack going away looks like this at first.
  package var mayBeTheHosts: Bool { possibleHostLoss != nil }

  /// The loss of the adapter or the stack that this failure would be; nil when it cannot be due to one.
  package var possibleHostLoss: HostLoss? {
    switch self {
    case .connectFailed(let step), .linkLost(let step), .serviceMissing(let step),
      .serviceAmbiguous(let step),
      .stackError(let step):
      HostLoss(step)
    case .connectTimedOut(let seconds, let stackText):
      HostLoss(FailedStep(.connect, stackText: stackText), seconds: seconds)
    case .unknownToStack(let stackText): HostLoss(FailedStep(.connect, stackText: stackText))
    case .stageTimedOut(let step, let seconds): HostLoss(step, seconds: seconds)
    case .adapterLost(let loss), .stackLost(let loss): loss
    case .neverHeard, .adapterDeaf, .attributeRejected, .refused, .saveNotKept, .wrongIdentity,
      .readBackMismatch, .foreignSettings, .networkNotReceived, .noSelfDisconnect, .notHeardAfterSave,
      .heardFromOtherAddress,
      .configuredOtherwise, .minorOnAir, .minorOnRecord, .settingsChanged, .planOutdated, .adapterClaimed,
      .hostPaused, .tooManyCandidates, .noCandidate, .addressNeeded, .addressMissing, .notClearlyNearest,
      .notNear,
      .heardTooBriefly, .adapterMissing, .adapterShared, .notConfirmed, .tooManyFailures, .canariesFailed,
      .canariesRefused, .outOfSlots, .interrupted, .recordUnwritable:
      nil
    }
  }
}
