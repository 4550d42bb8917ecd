package import Bluetooth

/// The payload of one kind of fact. It contains no secret, and all context that a reader needs.
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

/// The subject of a fact.
package struct FactSubject: Hashable, Sendable {
  /// The room; nil for a fact about the run.
  package var room: RoomID?
  /// The device; nil for a fact without one.
  package var address: BluetoothAddress?
  /// The number of the attempt, from 1; nil outside an attempt, or in a record that does not have it.
  package var attempt: Int?

  /// The run as a whole without arguments.
  package init(room: RoomID? = nil, address: BluetoothAddress? = nil, attempt: Int? = nil) {
    self.room = room
    self.address = address
    self.attempt = attempt
  }
}

/// When an event must be on disk.
package enum Durability: Hashable, Sendable {
  /// Synced before the run continues.
  case synced
  /// Written soon, in order.
  case written
}
