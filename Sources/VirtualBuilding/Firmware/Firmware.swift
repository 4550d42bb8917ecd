package import Bluetooth

/// The software of a virtual sensor: a state machine from events to effects. It knows nothing about hosts and
/// adapters, and it gets the time only with the events.
package protocol Firmware: Sendable {
  /// The advertisement while no central is connected; nil if it does not advertise.
  var advertising: AdvertisingPayload? { get }
  /// The advertising interval; nil for the default (`RadioParameters.advertisingInterval`). The first
  /// advertisement is sent as soon as there is one.
  var advertisingInterval: Duration? { get }
  /// Whether it responds to requests. A firmware that hangs keeps its link.
  var isAnswering: Bool { get }
  var services: [ServiceDefinition] { get }
  /// How it pairs; nil if it cannot.
  var pairing: PairingRules? { get }
  /// The content of the persistent memory.
  var flash: Flash { get }

  /// Handles an event. Returns the effects in order.
  mutating func handle(
    _ event: FirmwareEvent, at instant: MonotonicInstant, generator: inout SeededGenerator
  ) -> [FirmwareEffect]
}

extension Firmware {
  package var advertisingInterval: Duration? { nil }
  package var isAnswering: Bool { true }
  package var pairing: PairingRules? { nil }
}

package typealias RequestID = UInt64

/// An input of a firmware.
package enum FirmwareEvent: Hashable, Sendable {
  /// It starts or restarts.
  case started
  /// A central has connected. These faults apply until it disconnects.
  case connected(faults: [Fault])
  case disconnected
  /// A read that needs a response.
  case read(RequestID, BluetoothUUID)
  /// A write; one with a request needs a response.
  case write(RequestID?, BluetoothUUID, [UInt8])
  /// The central subscribes to a characteristic or unsubscribes; needs a response.
  case subscribe(RequestID, BluetoothUUID, Bool)
  case timer(FirmwareTimer)
  /// The button for provisioning mode was pressed.
  case button
}

/// An output of a firmware.
package enum FirmwareEffect: Hashable, Sendable {
  /// Responds to a request. Only a read uses the value.
  case answer(RequestID, [UInt8])
  /// Responds to a request with an ATT error.
  case refuse(RequestID, UInt8)
  /// Records what an encrypted write says: a characteristic of the family's description, and the value in the clear.
  case took(BluetoothUUID, [UInt8])
  /// Sends a notification to subscribers.
  case notify(BluetoothUUID, [UInt8])
  /// Ends the link normally; `disconnected` follows.
  case disconnect
  /// Loses the link without a disconnect packet; `disconnected` follows.
  case loseLink
  /// Restarts: loses the link, stops advertising and discards all timers at once. It advertises again after
  /// this time, or never.
  case restart(takes: Duration?)
  case setTimer(FirmwareTimer, Duration)
}

package struct FirmwareTimer: Hashable, Sendable {
  /// The name, unique within the firmware.
  package var name: String

  package init(_ name: String) { self.name = name }
}

package struct ServiceDefinition: Hashable, Sendable {
  package var uuid: BluetoothUUID
  /// Its characteristics, in order.
  package var characteristics: [CharacteristicDefinition]

  package init(_ uuid: BluetoothUUID, _ characteristics: [CharacteristicDefinition]) {
    self.uuid = uuid
    self.characteristics = characteristics
  }
}

package struct CharacteristicDefinition: Hashable, Sendable {
  package var uuid: BluetoothUUID
  /// The permitted operations.
  package var properties: AttributeAccess
  /// Its description for people (0x2901); nil without one.
  package var description: String?
  /// Whether writes are encrypted, so that their bytes are not recorded (`FirmwareEffect.took`).
  package var isEncrypted: Bool
  /// The security of the link that reading, writing and subscribing demand.
  package var security: LinkSecurity

  package init(
    _ uuid: BluetoothUUID, _ properties: AttributeAccess, description: String? = nil,
    isEncrypted: Bool = false, security: LinkSecurity = .plain
  ) {
    self.uuid = uuid
    self.properties = properties
    self.description = description
    self.isEncrypted = isEncrypted
    self.security = security
  }
}

/// The content of advertisement and scan response together.
package struct AdvertisingPayload: Hashable, Sendable {
  /// The sender's address, if it is not the device's own.
  package var address: BluetoothAddress?
  /// Whether it can be connected to.
  package var isConnectable: Bool
  /// The flags (AD type 0x01).
  package var flags: UInt8?
  /// Complete local name.
  package var localName: String?
  package var serviceUUIDs: [BluetoothUUID]
  /// Manufacturer data by company identifier. The data does not include the identifier.
  package var manufacturerData: [UInt16: [UInt8]]
  package var serviceData: [BluetoothUUID: [UInt8]]

  /// Creates a payload; the default flags are "general discoverable, BR/EDR not supported".
  package init(
    isConnectable: Bool, flags: UInt8? = 0x06, localName: String? = nil, serviceUUIDs: [BluetoothUUID] = [],
    manufacturerData: [UInt16: [UInt8]] = [:], serviceData: [BluetoothUUID: [UInt8]] = [:]
  ) {
    self.isConnectable = isConnectable
    self.flags = flags
    self.localName = localName
    self.serviceUUIDs = serviceUUIDs
    self.manufacturerData = manufacturerData
    self.serviceData = serviceData
  }
}
