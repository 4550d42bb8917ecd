public import Bluetooth

/// Why a room of the manifest is not to be worked on.
public struct Exclusion: Hashable, Sendable, Codable {
  /// What excludes a room. The names are frozen.
  public enum Cause: String, Hashable, Sendable, Codable, CaseIterable {
    /// It was not selected for this run.
    case deselected
    /// Somebody accepted it as it is.
    case accepted
    /// It was taken out of service.
    case retired
  }

  /// What excludes it.
  public var cause: Cause
  /// Why somebody accepted or retired it.
  public var reason: String?
  /// Who accepted it.
  public var by: String?

  /// An exclusion; what does not apply is left out.
  public init(_ cause: Cause, reason: String? = nil, by: String? = nil) {
    self.cause = cause
    self.reason = reason
    self.by = by
  }
}

/// A room and the device it gets.
public struct BindingCommitted: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// The device.
  public var address: BluetoothAddress
  /// What joined them.
  public var basis: BindingBasis

  /// All of it.
  public init(room: RoomID, address: BluetoothAddress, basis: BindingBasis) {
    self.room = room
    self.address = address
    self.basis = basis
  }
}

extension BindingCommitted: FactPayload {
  /// It is on disk before anything else happens.
  public static var durability: Durability { .synced }
  /// What it is about.
  public var subject: FactSubject { FactSubject(room: room, address: address) }
}

/// What joined a room and a device, strongest first. The names are frozen.
public enum BindingBasis: String, Hashable, Sendable, Codable, CaseIterable {
  /// The manifest names the address.
  case address
  /// An earlier run joined them.
  case record
  /// It is the nearest to the adapter that stands in the room, clearly.
  case nearest
  /// The manifest lets the room take any device, and a person confirmed it.
  case any
}

/// A binding that no longer holds.
public struct BindingReleased: Hashable, Sendable, Codable {
  /// Why a binding ends. The names are frozen.
  public enum Cause: String, Hashable, Sendable, Codable, CaseIterable {
    /// The manifest names another device, and a person said that it is meant.
    case rebound
    /// The device was replaced: it is out of service.
    case replaced
    /// The room was retired, its device with it.
    case retired
  }

  /// The room.
  public var room: RoomID
  /// The device it had.
  public var address: BluetoothAddress
  /// Why.
  public var cause: Cause
  /// What a person gave as the reason.
  public var reason: String?
  /// Whether it was made sure that the device is not on air; nil when nobody listened.
  public var silent: Bool?
  /// The device that the room gets instead, where a person named it.
  public var successor: BluetoothAddress?

  /// All of it; what does not apply is left out.
  public init(
    room: RoomID, address: BluetoothAddress, cause: Cause, reason: String? = nil, silent: Bool? = nil,
    successor: BluetoothAddress? = nil
  ) {
    self.room = room
    self.address = address
    self.cause = cause
    self.reason = reason
    self.silent = silent
    self.successor = successor
  }
}

extension BindingReleased: FactPayload {
  /// It is on disk before anything else happens.
  public static var durability: Durability { .synced }
  /// What it is about.
  public var subject: FactSubject { FactSubject(room: room, address: address) }
}

/// A room that is out of service.
public struct RoomRetired: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// What a person gave as the reason.
  public var reason: String?

  /// All of it; what does not apply is left out.
  public init(room: RoomID, reason: String? = nil) {
    self.room = room
    self.reason = reason
  }
}

extension RoomRetired: FactPayload {
  /// It is on disk before anything else happens.
  public static var durability: Durability { .synced }
  /// What it is about.
  public var subject: FactSubject { FactSubject(room: room) }
}

/// A waiver: somebody takes a room as it is.
public struct RoomAccepted: Hashable, Sendable, Codable {
  /// The room.
  public var room: RoomID
  /// Why.
  public var reason: String
  /// Who answers for it.
  public var by: String

  /// All of it.
  public init(room: RoomID, reason: String, by: String) {
    self.room = room
    self.reason = reason
    self.by = by
  }
}

extension RoomAccepted: FactPayload {
  /// It is on disk before anything else happens.
  public static var durability: Durability { .synced }
  /// What it is about.
  public var subject: FactSubject { FactSubject(room: room) }
}
