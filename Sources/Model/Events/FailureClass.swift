/// The consequence of a failure for a retry.
package enum FailureClass: String, Hashable, Sendable, Codable {
  /// Caused by the radio: a retry may succeed.
  case transient
  /// The device was not received.
  case missing
  /// The adapter has no free slot.
  case outOfSlots = "out_of_slots"
  /// The adapter or the stack was lost; not charged to the device.
  case host
  /// The stack had forgotten the device, so nothing was sent: the device must be received again. Not charged
  /// to it.
  case forgotten
  /// The device refused.
  case refused
  /// A retry cannot succeed: something must change first.
  case permanent
  /// The run was asked to stop.
  case cancelled

  /// Why a failed attempt of this class is not counted; nil if it is charged to the device.
  package var exemption: AttemptExemption? {
    switch self {
    case .transient, .missing, .refused, .permanent, .cancelled: nil
    case .host: .hostLost
    case .outOfSlots: .adapterFull
    case .forgotten: .deviceForgotten
    }
  }
}

/// Why a failed attempt is not counted: the host caused it, not the device.
package enum AttemptExemption: String, Hashable, Sendable, Codable, CaseIterable {
  case adapterFull = "adapter_full"
  case hostLost = "host_lost"
  case deviceForgotten = "device_forgotten"
}

/// The failure of an attempt.
package struct AttemptFailure: Error, Hashable, Sendable {
  package var reason: FailureReason

  package init(_ reason: FailureReason) {
    self.reason = reason
  }
}

extension FailureReason {
  package var failureClass: FailureClass {
    switch self {
    case .connectTimedOut, .connectFailed, .linkLost, .stageTimedOut, .serviceMissing, .serviceAmbiguous,
      .saveNotKept,
      .readBackMismatch, .noSelfDisconnect, .stackError:
      .transient
    // A loss during the wait for the proof: everything was written, and only receiving the device decides.
    case .adapterLost(.awaitingProof), .stackLost(.awaitingProof): .permanent
    case .adapterLost, .stackLost, .hostPaused: .host
    case .unknownToStack: .forgotten
    case .neverReceived, .contentHidden, .noCandidate, .notNear, .receivedTooBriefly, .adapterMissing:
      .missing
    case .outOfSlots: .outOfSlots
    case .attributeRejected, .refused, .wifiRefused: .refused
    case .wrongIdentity, .notReceivedAfterSave, .receivedFromOtherAddress, .beaconAsBefore,
      .contradictorySightings, .ambiguousFamily, .configuredOtherwise, .settingsUnknown,
      .authorizationRequired,
      .foreignSettings,
      .credentialsRefused, .securityTooLow, .settingUnsupported, .networkNotReceived, .identityOnAir,
      .identityOnRecord, .settingsChanged, .planOutdated,
      .adapterClaimed,
      .tooManyCandidates,
      .notClearlyNearest, .adapterShared, .addressNeeded, .addressMissing, .tooManyFailures, .canariesFailed,
      .canariesRefused,
      .notConfirmed, .recordUnwritable, .adapterDeaf:
      .permanent
    case .interrupted: .cancelled
    }
  }

  /// The host loss that may have caused this failure; nil when none can.
  package var possibleHostLoss: HostLoss? {
    switch self {
    case .adapterLost(let loss), .stackLost(let loss): loss
    case .connectFailed, .connectTimedOut, .unknownToStack, .outOfSlots, .linkLost, .stageTimedOut,
      .serviceMissing, .serviceAmbiguous, .stackError:
      hostLoss
    default: nil
    }
  }
}
