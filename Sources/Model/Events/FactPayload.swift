package import Bluetooth

/// The payload of one kind of fact. It contains no secret, and all context that a reader needs. Its keys are explained in
/// `Application/Schemas/record.schema.json`.
package protocol FactPayload: Hashable, Sendable, Codable {
  /// When a fact of this kind must be on disk.
  static var durability: Durability { get }
  var subject: FactSubject { get }
}

extension FactPayload {
  /// Written soon, in order, by default.
  package static var durability: Durability { .written }
  /// The run as a whole, by default.
  package var subject: FactSubject { FactSubject() }
}

/// A fact about a room.
package protocol RoomFact: FactPayload {
  var room: RoomID { get }
}

extension RoomFact {
  package var subject: FactSubject { FactSubject(room: room) }
}

/// A fact about an attempt, by its number.
package protocol AttemptFact: RoomFact {
  var attempt: Int { get }
}

extension AttemptFact {
  package var subject: FactSubject { FactSubject(room: room, attempt: attempt) }
}

package struct FactSubject: Hashable, Sendable {
  /// The room; nil for a fact about the run.
  package var room: RoomID?
  /// The device; nil for a fact without one.
  package var address: BluetoothAddress?
  /// The number of the attempt, from 1; nil outside an attempt, or in a record that does not have it.
  package var attempt: Int?

  /// The run as a whole without arguments.
  package init(room: RoomID? = nil, address: BluetoothAddress? = nil, attempt: Int? = nil) {
    (self.room, self.address, self.attempt) = (room, address, attempt)
  }
}

/// When an event must be on disk.
package enum Durability: Hashable, Sendable {
  /// Synced before the run continues.
  case synced
  /// Written soon, in order.
  case written
}
