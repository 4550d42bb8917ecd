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

  /// All of it; what does not apply is left out.
  public init(
    room: RoomID, address: BluetoothAddress, cause: Cause, reason: String? = nil, silent: Bool? = nil
  ) {
    self.room = room
    self.address = address
    self.cause = cause
    self.reason = reason
    self.silent = silent
  }
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

/// A time in which this host did nothing.
public struct HostPause: Hashable, Sendable, Codable {
  /// What kept it. The names are frozen.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// It slept: a closed lid.
    case suspended
    /// The process, or the machine it runs in, was held.
    case stopped
    /// It did not pause: its wall clock was set, forward by so much.
    case clockSet = "clock_set"
  }

  /// What kept it.
  public var kind: Kind
  /// How long, in seconds; of a clock that was set, by how much, negative for backward.
  public var seconds: Double

  /// A pause.
  public init(_ kind: Kind, seconds: Double) {
    self.kind = kind
    self.seconds = seconds
  }
}

/// What a record was made by. The names are frozen.
public enum RecordedCommand: String, Hashable, Sendable, Codable, CaseIterable {
  /// A run that provisions.
  case apply
  /// A device was taken out of service.
  case replace
  /// A room was taken out of service.
  case retire
  /// A room was accepted as it is.
  case accept
}
