package import Bluetooth

/// Why a run does not work on a room of the manifest.
package struct Exclusion: Hashable, Sendable, Codable {
  /// The causes of an exclusion. The names are frozen.
  package enum Cause: String, Hashable, Sendable, Codable, CaseIterable {
    case deselected
    case accepted
    case retired
  }

  package var cause: Cause
  package var reason: String?
  package var by: String?

  package init(_ cause: Cause, reason: String? = nil, by: String? = nil) {
    (self.cause, self.reason, self.by) = (cause, reason, by)
  }
}

/// A room got a device.
package struct BindingCommitted: FactPayload {
  package var room: RoomID
  package var address: BluetoothAddress
  package var basis: BindingBasis
  package var consent: Consent?
  package static var durability: Durability { .synced }
  package var subject: FactSubject { FactSubject(room: room, address: address) }

  package init(room: RoomID, address: BluetoothAddress, basis: BindingBasis, consent: Consent? = nil) {
    (self.room, self.address, self.basis, self.consent) = (room, address, basis, consent)
  }
}

/// The basis of a binding, strongest first. The names are frozen.
package enum BindingBasis: String, Hashable, Sendable, Codable, CaseIterable {
  case address
  case record
  case name
  case nearest
  case any

  /// Whether the operator must permit it: what was received suggests the device, and nothing names it.
  package var needsConsent: Bool { self == .nearest || self == .any }
}

/// How the operator permitted bindings that were proposed. The names are frozen.
package enum Consent: String, Hashable, Sendable, Codable, CaseIterable {
  case answer
  case option
}

/// A binding ended.
package struct BindingReleased: FactPayload {
  /// Why a binding ends. The names are frozen.
  package enum Cause: String, Hashable, Sendable, Codable, CaseIterable {
    case rebound
    case replaced
    case retired
  }
  package static var durability: Durability { .synced }
  package var subject: FactSubject { FactSubject(room: room, address: address) }

  package var room: RoomID
  package var address: BluetoothAddress
  package var cause: Cause
  package var reason: String?
  package var silent: Bool?
  package var adapters: [AdapterScan]?
  package var successor: BluetoothAddress?

  package init(
    room: RoomID, address: BluetoothAddress, cause: Cause, reason: String? = nil, silent: Bool? = nil,
    adapters: [AdapterScan]? = nil, successor: BluetoothAddress? = nil
  ) {
    (self.room, self.address, self.cause, self.reason) = (room, address, cause, reason)
    (self.silent, self.adapters, self.successor) = (silent, adapters, successor)
  }
}

/// A room was taken out of service.
package struct RoomRetired: RoomFact {
  package var room: RoomID
  package var reason: String?
  package static var durability: Durability { .synced }

  package init(room: RoomID, reason: String? = nil) {
    (self.room, self.reason) = (room, reason)
  }
}

/// A person accepted a room as it is.
package struct RoomAccepted: RoomFact {
  package var room: RoomID
  package var reason: String
  package var by: String
  package static var durability: Durability { .synced }

  package init(room: RoomID, reason: String, by: String) {
    (self.room, self.reason, self.by) = (room, reason, by)
  }
}
