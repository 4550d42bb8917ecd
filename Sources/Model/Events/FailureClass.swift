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
  /// The device restarts so that its settings take effect. Not charged to it.
  case restarting
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
    case .restarting: .deviceRestarts
    }
  }
}

/// Why an attempt without a result is not counted: no failure of the device caused that.
package enum AttemptExemption: String, Hashable, Sendable, Codable, CaseIterable {
  case adapterFull = "adapter_full"
  case hostLost = "host_lost"
  case deviceForgotten = "device_forgotten"
  case deviceRestarts = "device_restarts"
}

package struct AttemptFailure: Error, Hashable, Sendable {
  package var reason: FailureReason

  package init(_ reason: FailureReason) {
    self.reason = reason
  }
}
