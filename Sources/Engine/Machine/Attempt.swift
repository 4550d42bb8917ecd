import Bluetooth
import Model

/// One attempt at the device of one room. A result that carries the id of an earlier attempt is never applied to a later
/// one.
struct AttemptID: Hashable, Sendable {
  /// The room.
  let room: RoomID
  /// 1 for the room's first attempt in this run.
  let number: Int
}

/// An attempt that is to be carried out, with all that this takes.
struct Attempt: Hashable, Sendable {
  /// Its identity.
  let id: AttemptID
  /// The session of the adapter that it uses.
  let session: RadioSession
  /// The room, with the timeouts of this attempt.
  let room: Room
  /// The device.
  let address: BluetoothAddress
  /// The moment of the action that the device is to learn the time of, if somebody marked it.
  let action: MonotonicInstant?
  /// What earlier attempts, of this or another run, gave to the device.
  let recorded: RecordedSettings?
  /// Whether the device may be written whatever it holds.
  let mayOverwrite: Bool
}

/// How the GATT session of an attempt ended.
struct AttemptReport: Hashable, Sendable {
  /// The submission, which still needs its proof, or why there is none.
  var result: Result<Submission, AttemptFailure>
  /// Settings that the device confirmed.
  var written: Set<SettingName> = []
  /// Settings that the device was read to hold.
  var readBack: Set<SettingName> = []
  /// Whether the device was asked to keep what was written: from then on it may have changed.
  var wasSubmitted = false
  /// Whether there is a link that has to be taken down.
  var hasLink = false
}

/// Why the GATT session of an attempt is ended before its time.
enum AttemptEnd: Hashable, Sendable {
  /// The run stops.
  case stopped
  /// This host was suspended or stopped meanwhile, and the device got no answer.
  case hostPaused
}
