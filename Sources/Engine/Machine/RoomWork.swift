import Bluetooth
import Model

/// A room that has a device to write: its binding and the results of its attempts.
struct RoomWork: Hashable, Sendable {
  /// The room. Its timeouts may exceed those of the manifest if the device still advertises more rarely than
  /// it should.
  var room: Room
  let address: BluetoothAddress
  /// The basis of the binding.
  let basis: BindingBasis
  /// Whether the binding is on record.
  var isBound = false
  /// Whether an earlier run submitted a save whose result is unknown.
  var mayBeDone = false
  var began: MonotonicInstant?
  var attempts = 0
  /// Attempts that failed after something was sent to the device.
  var failedAttempts = 0
  /// What the failed attempts have used up.
  var budget = RetryBudget()
  var adapter: AdapterID?
  /// Failed attempts that were charged to the device, by adapter.
  var failures: [AdapterID: Int] = [:]
  /// The best RSSI of the device on any adapter before the last attempt, in dBm.
  var strongest: Int?
  /// Settings that the device confirmed in the last attempt.
  var written: Set<SettingName> = []
  /// Settings that a read showed the device to hold in the last attempt.
  var readBack: Set<SettingName> = []
  /// Whether a read showed that the device already held everything, so that it was not written.
  var isUnchanged = false
  /// Whether an attempt of this run may have changed the device.
  var wasTouched = false
  /// When the last save was submitted; nil without one.
  var submittedAt: MonotonicInstant?
  /// The device's own acknowledgement of its last save.
  var acknowledgement: Evidence?
  var lastFailure: FailureReason?

  init(room: Room, address: BluetoothAddress, basis: BindingBasis) {
    self.room = room
    self.address = address
    self.basis = basis
  }

  /// Takes over the results of an attempt.
  mutating func take(_ report: AttemptReport) {
    written = report.written
    readBack = report.readBack
    guard case .success(let submission) = report.result else {
      if report.wasSubmitted { wasTouched = true }
      return
    }
    isUnchanged = submission.isUnchanged && !wasTouched
    if report.wasSubmitted { wasTouched = true }
    acknowledgement = submission.acknowledgement.map { Evidence(grade: $0, address: address) }
    submittedAt = submission.at
  }
}
