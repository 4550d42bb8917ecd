package import Bluetooth

/// Why a run does not work on a room of the manifest.
package struct Exclusion: Hashable, Sendable, Codable {
  /// The causes of an exclusion. The names are frozen.
  package enum Cause: String, Hashable, Sendable, Codable, CaseIterable {
    /// It was not selected for this run.
    case deselected
    /// A person accepted it as it is.
    case accepted
    /// It was taken out of service.
    case retired
  }

  package var cause: Cause
  /// The reason for an acceptance or retirement.
  package var reason: String?
  /// The name of the person who accepted it.
  package var by: String?

  package init(_ cause: Cause, reason: String? = nil, by: String? = nil) {
    self.cause = cause
    self.reason = reason
    self.by = by
  }
}

/// A room got a device.
package struct BindingCommitted: Hashable, Sendable, Codable {
  package var room: RoomID
  package var address: BluetoothAddress
  package var basis: BindingBasis
  /// How the operator permitted it; nil if the manifest or the record names the device.
  package var consent: Consent?

  package init(room: RoomID, address: BluetoothAddress, basis: BindingBasis, consent: Consent? = nil) {
    self.room = room
    self.address = address
    self.basis = basis
    self.consent = consent
  }
}

extension BindingCommitted: FactPayload {
  package static var durability: Durability { .synced }
  package var subject: FactSubject { FactSubject(room: room, address: address) }
}

/// The basis of a binding, strongest first. The names are frozen.
package enum BindingBasis: String, Hashable, Sendable, Codable, CaseIterable {
  /// The address in the manifest.
  case address
  /// A binding of an earlier run.
  case record
  /// It is clearly the nearest device to the adapter in the room.
  case nearest
  /// The manifest lets the room take any device.
  case any

  /// Whether the operator must permit it: what was received suggests the device, and nothing names it.
  package var needsConsent: Bool { self == .nearest || self == .any }
}

/// How the operator permitted bindings that were proposed. The names are frozen.
package enum Consent: String, Hashable, Sendable, Codable, CaseIterable {
  /// A person confirmed the list.
  case answer
  /// By `--yes`: nobody was asked.
  case option
}

/// A binding ended.
package struct BindingReleased: Hashable, Sendable, Codable {
  /// Why a binding ends. The names are frozen.
  package enum Cause: String, Hashable, Sendable, Codable, CaseIterable {
    /// The manifest names another device, and the operator permitted that (`rebind`).
    case rebound
    /// The device was replaced and taken out of service.
    case replaced
    /// The room was retired with its device.
    case retired
  }

  package var room: RoomID
  package var address: BluetoothAddress
  package var cause: Cause
  /// The reason that the operator gave.
  package var reason: String?
  /// Whether a scan confirmed that the device is not on air; nil without a scan.
  package var silent: Bool?
  /// The device that replaces it, if the operator named one.
  package var successor: BluetoothAddress?

  package init(
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
  package static var durability: Durability { .synced }
  package var subject: FactSubject { FactSubject(room: room, address: address) }
}

/// A room was taken out of service.
package struct RoomRetired: Hashable, Sendable, Codable {
  package var room: RoomID
  /// The reason that the operator gave.
  package var reason: String?

  package init(room: RoomID, reason: String? = nil) {
    self.room = room
    self.reason = reason
  }
}

extension RoomRetired: FactPayload {
  package static var durability: Durability { .synced }
  package var subject: FactSubject { FactSubject(room: room) }
}

/// A waiver: a person accepted a room as it is.
package struct RoomAccepted: Hashable, Sendable, Codable {
  package var room: RoomID
  package var reason: String
  /// The person responsible for the acceptance.
  package var by: String

  package init(room: RoomID, reason: String, by: String) {
    self.room = room
    self.reason = reason
    self.by = by
  }
}

extension RoomAccepted: FactPayload {
  package static var durability: Durability { .synced }
  package var subject: FactSubject { FactSubject(room: room) }
}
