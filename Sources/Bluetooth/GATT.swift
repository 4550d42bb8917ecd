/// What can be done with a characteristic, as its declaration says (Bluetooth Core, Vol 3 Part G 3.3.1.1).
public struct AttributeAccess: OptionSet, Hashable, Sendable {
  /// The bits of the declaration.
  public let rawValue: UInt8

  /// What these bits say.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// It can be read.
  public static let read = Self(rawValue: 0x02)
  /// It can be written without response.
  public static let writeWithoutResponse = Self(rawValue: 0x04)
  /// It can be written with response.
  public static let write = Self(rawValue: 0x08)
  /// It notifies.
  public static let notify = Self(rawValue: 0x10)
  /// It indicates.
  public static let indicate = Self(rawValue: 0x20)
}

/// A characteristic of a connected peripheral.
public struct RemoteCharacteristic: Hashable, Sendable {
  /// What it is.
  public var uuid: BluetoothUUID
  /// What its declaration says can be done with it; a peripheral may refuse it all the same.
  public var access: AttributeAccess
  /// How the `Central` that gave it out finds it again; opaque to everybody else.
  public var handle: String

  /// A characteristic as a `Central` found it.
  public init(uuid: BluetoothUUID, access: AttributeAccess = [], handle: String) {
    self.uuid = uuid
    self.access = access
    self.handle = handle
  }
}

/// A service of a connected peripheral with the characteristics that were found.
public struct RemoteService: Hashable, Sendable {
  /// What it is.
  public var uuid: BluetoothUUID
  /// Its characteristics, in the order the stack lists them.
  public var characteristics: [RemoteCharacteristic]

  /// A service with its characteristics.
  public init(uuid: BluetoothUUID, characteristics: [RemoteCharacteristic]) {
    self.uuid = uuid
    self.characteristics = characteristics
  }

  /// The first characteristic with this UUID, or nil.
  public subscript(uuid: BluetoothUUID) -> RemoteCharacteristic? {
    characteristics.first { $0.uuid == uuid }
  }
}

/// A value that a peripheral sent of its own accord.
public struct CharacteristicNotification: Hashable, Sendable {
  /// The value.
  public var value: [UInt8]
  /// When it arrived.
  public var receivedAt: MonotonicInstant

  /// A value that arrived at an instant.
  public init(value: [UInt8], receivedAt: MonotonicInstant) {
    self.value = value
    self.receivedAt = receivedAt
  }
}

/// How a link ended.
public struct Disconnection: Hashable, Sendable {
  /// Who ended it, as far as the stack tells.
  public enum Cause: String, Hashable, Sendable, Codable, CaseIterable {
    /// The peripheral, or the radio: the stack does not tell these apart.
    case remote
    /// We asked for it.
    case local
    /// The adapter went off or away.
    case adapterLost = "adapter_lost"
    /// The stack or the bus went away.
    case stackLost = "stack_lost"
  }

  /// Who ended it.
  public var cause: Cause
  /// When we learnt of it.
  public var at: MonotonicInstant

  /// A link's end.
  public init(cause: Cause, at: MonotonicInstant) {
    self.cause = cause
    self.at = at
  }
}
