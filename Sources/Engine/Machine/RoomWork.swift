import Bluetooth
import Model

/// What is known of a room that has a device to be written: its binding and what its attempts came to.
struct RoomWork: Hashable, Sendable {
  /// The room. Its timeouts may exceed the manifest's where the device advertises more rarely than it is to.
  var room: Room
  /// Its device.
  let address: BluetoothAddress
  /// What joined the two.
  let basis: BindingBasis
  /// Whether the binding is on record.
  var isBound = false
  /// Whether an earlier run submitted a save of which nobody knows the result.
  var mayBeDone = false
  /// When the first attempt began.
  var began: MonotonicInstant?
  /// Attempts begun.
  var attempts = 0
  /// Attempts that failed after something was sent to the device.
  var failedAttempts = 0
  /// What the attempts have used up.
  var budget = RetryBudget()
  /// The adapter last used.
  var adapter: AdapterID?
  /// Failed attempts that were charged to the device, by adapter.
  var failures: [AdapterID: Int] = [:]
  /// RSSI in dBm of the adapter that heard it best before the last attempt.
  var strongest: Int?
  /// Settings confirmed in the last attempt.
  var written: Set<SettingName> = []
  /// Settings that the device was read to hold in the last attempt.
  var readBack: Set<SettingName> = []
  /// Whether the device held everything already when it was read, and was left alone.
  var isUnchanged = false
  /// Whether an attempt of this run began to change the device.
  var wasTouched = false
  /// When the last save was submitted, if one was.
  var submittedAt: MonotonicInstant?
  /// The device's own acknowledgement of its last save.
  var acknowledgement: Evidence?
  /// Why the last attempt failed.
  var lastFailure: FailureReason?

  init(room: Room, address: BluetoothAddress, basis: BindingBasis) {
    self.room = room
    self.address = address
    self.basis = basis
  }

  /// Takes over what an attempt's GATT session achieved.
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
