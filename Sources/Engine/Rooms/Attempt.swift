import Bluetooth
import Model

/// One attempt at the device of one room. The machine drops a result that carries the id of an earlier
/// attempt.
struct AttemptID: Hashable, Sendable {
  let room: RoomID
  /// 1 for the first attempt of the room in this run; attempts that are not counted have one, too.
  let serial: Int
}

/// An attempt to carry out, with everything that it needs.
struct Attempt: Hashable, Sendable {
  let id: AttemptID
  /// Its number on record: 1 more than the attempts before it that count.
  let number: Int
  /// The session of the adapter that the attempt uses.
  let session: RadioSession
  /// The room, with the timeouts of this attempt.
  let room: Room
  let address: BluetoothAddress
  /// The moment of the action whose time the device needs; nil when no person marks it.
  let action: MonotonicInstant?
  /// The settings that earlier attempts, of this or another run, wrote to the device.
  let recorded: RecordedSettings?
  /// The highest security that sessions with the device had; nil without one.
  let leastSecurity: Int?
  /// Whether the record has a bond with the device that the adapter's host keeps, and that a passkey protects.
  let hasProtectedBond: Bool
  /// Whether the attempt may write the device whatever it holds.
  let mayOverwrite: Bool
}

/// What the GATT session of an attempt saw.
struct AttemptResult: Hashable, Sendable {
  /// The submission, which still needs its proof, or the failure.
  var result: Result<Submission, AttemptFailure>
  /// Why the run ended it; nil if it did not.
  var end: AttemptEnd?
  /// Settings that were sent to the device, apart from those that it rejected.
  var sent: Set<SettingName> = []
  /// Settings that the device confirmed.
  var written: Set<SettingName> = []
  /// Settings that a read showed the device to hold.
  var readBack: Set<SettingName> = []
  /// Whether the device accepted the command of the attempt.
  var isAccepted = false
  /// The security of the session; nil if it has none of its own.
  var security: Int?
  /// Whether the attempt asked the device to keep the settings. From then on the device may have changed.
  var wasSubmitted = false
  /// Whether a link exists that the attempt must end.
  var hasLink = false
}

extension AttemptResult {
  /// The result, with the pause of the host or the loss of the adapter as its cause if the run ended the session for
  /// that. The result of an earlier save stays open.
  var judged: Result<Submission, AttemptFailure> {
    let cause: KeyPath<FailureReason, FailureReason>
    switch end {
    case .hostPaused: cause = \.causedByHostPause
    case .adapterLost: cause = \.causedByAdapterLoss
    case .stopped, nil: return result
    }
    switch result {
    case .success(var submission):
      if submission.problem?.code == .interrupted {
        submission.problem = submission.problem?[keyPath: cause]
      }
      return .success(submission)
    case .failure(let failure) where failure.reason.code == .recordUnwritable:
      return result
    case .failure(let failure):
      return .failure(AttemptFailure(failure.reason[keyPath: cause]))
    }
  }
}

/// Why an attempt ends before its GATT session is complete.
enum AttemptEnd: Hashable, Sendable {
  case stopped
  /// The host was suspended or stopped, and the device got no response in that time.
  case hostPaused
  /// The session of the adapter ended before a link was up.
  case adapterLost
}
