package import Bluetooth
package import Model

/// A violation of a rule.
package struct Violation: Hashable, Sendable, CustomStringConvertible {
  /// The rules for every run, with any faults. The names are frozen: programs read them.
  package enum Rule: String, Hashable, Sendable, Codable, CaseIterable {
    /// Every value that reaches a device is its own room's, and every written device is a room's.
    case ownSettings = "own_settings"
    /// A device that is configured, or holds all its room wants, is not written.
    case leftAlone = "left_alone"
    /// The run never connects to a device that was configured elsewhere.
    case registeredUntouched = "registered_untouched"
    /// No adapter holds more links than the manifest states, and all adapters no more than permitted.
    case slots
    /// Each selected room has exactly one outcome, apart from a success that a later sighting contradicted, and the
    /// result equals the record.
    case oneOutcome = "one_outcome"
    /// A success requires evidence, and the device's flash confirms it.
    case proof
    /// The reported state of a room is correct: a device that was changed does not count as unchanged.
    case truth
    /// A binding is on record before the first write, and `save_submitted` before each change.
    case intent
    /// The record reads back as the events that were written.
    case replay
    /// The record contains no secret.
    case secrecy
    /// The run gives no two devices the same identity.
    case identity
    /// A run leaves no link, no connection attempt, and no device on the stack's disk.
    case tidiness
    /// A healthy device gets its attempt within the bound.
    case wait
    /// A run ends.
    case ending
    /// Without faults, every room becomes done.
    case liveness
    /// With an unchanged manifest, the record contradicts neither the manifest nor itself.
    case record
  }

  package var rule: Rule
  /// The description.
  package var text: String
  /// The room; nil when none is concerned.
  package var room: RoomID?
  /// The device; nil when none is concerned.
  package var device: BluetoothAddress?
  /// The run, counted from 1; 0 outside a run.
  package var run = 0
  /// The number of the event at which it was found; 0 after the last one.
  package var event = 0

  package init(_ rule: Rule, _ text: String, room: RoomID? = nil, device: BluetoothAddress? = nil) {
    self.rule = rule
    self.text = text
    self.room = room
    self.device = device
  }

  /// One line.
  package var description: String {
    let place = [
      run > 0 ? "run \(run)" : nil, event > 0 ? "event \(event)" : nil, room.map { "room \($0)" },
      device.map { "device \($0)" },
    ].compactMap(\.self).joined(separator: ", ")
    return "\(rule.rawValue): \(text)" + (place.isEmpty ? "" : " (\(place))")
  }
}
