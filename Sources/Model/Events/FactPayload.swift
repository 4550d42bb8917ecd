public import Bluetooth

/// What is recorded of one kind of fact. It cannot carry a secret, and suffices by itself.
public protocol FactPayload: Hashable, Sendable, Codable {
  /// How surely it must be on disk before the run goes on.
  static var durability: Durability { get }
  /// What it is about.
  var subject: FactSubject { get }
}

extension FactPayload {
  /// Soon, in order.
  public static var durability: Durability { .written }
  /// The run as a whole.
  public var subject: FactSubject { FactSubject() }
}

/// What a fact is about.
public struct FactSubject: Hashable, Sendable {
  /// The room, or nil when it is about the run.
  public var room: RoomID?
  /// The device, or nil when it names none.
  public var address: BluetoothAddress?
  /// The number of the attempt that it belongs to, from 1; nil when it belongs to none, or the record does not say.
  public var attempt: Int?

  /// A subject; the run as a whole unless something is given.
  public init(room: RoomID? = nil, address: BluetoothAddress? = nil, attempt: Int? = nil) {
    self.room = room
    self.address = address
    self.attempt = attempt
  }
}

/// How surely an event must be on disk before the run goes on.
public enum Durability: Hashable, Sendable {
  /// Synced before anything else happens.
  case synced
  /// Written soon, in order.
  case written
}
