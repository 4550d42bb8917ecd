/// The properties in a characteristic's declaration (Bluetooth Core, Vol 3 Part G 3.3.1.1).
package struct AttributeAccess: OptionSet, Hashable, Sendable {
  /// The bits of the declaration.
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let read = Self(rawValue: 0x02)
  package static let writeWithoutResponse = Self(rawValue: 0x04)
  package static let write = Self(rawValue: 0x08)
  package static let notify = Self(rawValue: 0x10)
  package static let indicate = Self(rawValue: 0x20)
}

/// A characteristic of a connected peripheral.
package struct RemoteCharacteristic: Hashable, Sendable {
  package var uuid: BluetoothUUID
  /// The operations that the declaration permits. A peripheral may still refuse them.
  package var access: AttributeAccess
  /// The handle by which the `Central` that created this value finds the characteristic again. Opaque to
  /// callers.
  package var handle: String

  package init(uuid: BluetoothUUID, access: AttributeAccess = [], handle: String) {
    self.uuid = uuid
    self.access = access
    self.handle = handle
  }
}

/// A service of a connected peripheral, with the characteristics that were found.
package struct RemoteService: Hashable, Sendable {
  package var uuid: BluetoothUUID
  /// In the order in which the stack lists them.
  package var characteristics: [RemoteCharacteristic]

  package init(uuid: BluetoothUUID, characteristics: [RemoteCharacteristic]) {
    self.uuid = uuid
    self.characteristics = characteristics
  }

  /// The first characteristic with this UUID, or nil.
  package subscript(uuid: BluetoothUUID) -> RemoteCharacteristic? {
    characteristics.first { $0.uuid == uuid }
  }
}

/// A notification or indication of a peripheral.
package struct CharacteristicNotification: Hashable, Sendable {
  package var value: [UInt8]
  /// The time of arrival.
  package var receivedAt: MonotonicInstant

  package init(value: [UInt8], receivedAt: MonotonicInstant) {
    self.value = value
    self.receivedAt = receivedAt
  }
}

/// How a link ended.
package struct Disconnection: Hashable, Sendable {
  /// Which side ended the link, as far as the stack reports it.
  package enum Cause: String, Hashable, Sendable, Codable, CaseIterable {
    /// The peripheral ended it or the radio lost it; the stack does not distinguish these.
    case remote
    /// This client ended it.
    case local
    /// The adapter was switched off or removed.
    case adapterLost = "adapter_lost"
    /// The stack or the bus terminated.
    case stackLost = "stack_lost"
  }

  package var cause: Cause
  /// When this client learned of it.
  package var at: MonotonicInstant

  package init(cause: Cause, at: MonotonicInstant) {
    self.cause = cause
    self.at = at
  }
}
