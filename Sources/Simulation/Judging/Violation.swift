public import Bluetooth
public import Model

/// Something that must never be, and was.
public struct Violation: Hashable, Sendable, CustomStringConvertible {
  /// What must hold of every run, whatever goes wrong in it. The names are frozen: programs read them.
  public enum Rule: String, Hashable, Sendable, Codable, CaseIterable {
    /// Every value that reaches a device is its own room's, and every device that one reaches is a room's.
    case ownSettings = "own_settings"
    /// A device that is at work, or holds all its room wants, is not written.
    case leftAlone = "left_alone"
    /// Nobody dials what was configured elsewhere.
    case registeredUntouched = "registered_untouched"
    /// An adapter holds no more links than it is to, and all adapters no more than were allowed.
    case slots
    /// Exactly one outcome for each selected room, and told as recorded.
    case oneOutcome = "one_outcome"
    /// Success is claimed on evidence only, and the device agrees.
    case proof
    /// What is told of a room is so: who was changed is not passed off as untouched.
    case truth
    /// A binding is on record before the first write, and `save_submitted` before each change.
    case intent
    /// What is read back from the record is what happened.
    case replay
    /// Nothing secret is on record.
    case secrecy
    /// No two devices have one identity by our doing.
    case identity
    /// A run leaves no link, no attempt, and nothing on the stack's record.
    case tidiness
    /// A device that waits, ready, has its turn.
    case wait
    /// A run ends.
    case ending
    /// Once nothing is wrong any more, every room is done.
    case liveness
    /// The record of a building whose manifest nobody changed contradicts neither that nor itself.
    case record
  }

  /// What was violated.
  public var rule: Rule
  /// How, for people.
  public var text: String
  /// The room, if it is about one.
  public var room: RoomID?
  /// The device, if it is about one.
  public var device: BluetoothAddress?
  /// The run, counted from 1; 0 when it is about none.
  public var run = 0
  /// The number of the event at which it was found; 0 when it was found after the last.
  public var event = 0

  /// A violation.
  public init(_ rule: Rule, _ text: String, room: RoomID? = nil, device: BluetoothAddress? = nil) {
    self.rule = rule
    self.text = text
    self.room = room
    self.device = device
  }

  /// On one line.
  public var description: String {
    let place = [
      run > 0 ? "run \(run)" : nil, event > 0 ? "event \(event)" : nil, room.map { "room \($0)" },
      device.map { "device \($0)" },
    ].compactMap(\.self).joined(separator: ", ")
    return "\(rule.rawValue): \(text)" + (place.isEmpty ? "" : " (\(place))")
  }
}
