public import Bluetooth
public import VirtualTime

/// The software of a virtual sensor: a state machine that is told what happens and says what it does. It knows
/// nothing of hosts and adapters, and time only as the instants it is told.
public protocol Firmware: Sendable {
  /// What it advertises while nobody is connected; nil: nothing.
  var advertising: AdvertisingPayload? { get }
  /// From one advertisement to its next; nil: as most do (`RadioParameters.advertisingInterval`). The first one
  /// goes out as soon as there is something to advertise.
  var advertisingInterval: Duration? { get }
  /// Whether its requests are answered. One that hangs holds its link, and says nothing over it.
  var isAnswering: Bool { get }
  /// Its table of services.
  var services: [ServiceDefinition] { get }
  /// What it would still know after a power cut.
  var flash: Flash { get }

  /// Takes notice of something, and says what it does about it, in order.
  mutating func handle(
    _ event: FirmwareEvent, at instant: MonotonicInstant, generator: inout SeededGenerator
  ) -> [FirmwareEffect]
}

extension Firmware {
  /// As most do.
  public var advertisingInterval: Duration? { nil }
  /// Yes.
  public var isAnswering: Bool { true }
}

/// Which request an answer is for.
public typealias RequestID = UInt64

/// What a firmware is told.
public enum FirmwareEvent: Hashable, Sendable {
  /// It has started, for the first time or again.
  case started
  /// A central has connected; these faults strike until it has gone.
  case connected(faults: [Fault])
  /// The central is gone.
  case disconnected
  /// A read, to be answered.
  case read(RequestID, BluetoothUUID)
  /// A write; one with a request is to be answered.
  case write(RequestID?, BluetoothUUID, [UInt8])
  /// The central wants a characteristic's notifications, or no longer; to be answered.
  case subscribe(RequestID, BluetoothUUID, Bool)
  /// A timer that it has set has run out.
  case timer(FirmwareTimer)
  /// Somebody has pressed the button that puts it (back) into provisioning mode.
  case button
}

/// What a firmware does.
public enum FirmwareEffect: Hashable, Sendable {
  /// Answers a request; the value matters to a read only.
  case answer(RequestID, [UInt8])
  /// Answers a request with an ATT error.
  case refuse(RequestID, UInt8)
  /// Notifies whoever has subscribed.
  case notify(BluetoothUUID, [UInt8])
  /// Ends the link in order; `disconnected` follows.
  case disconnect
  /// Is off the link without a word; `disconnected` follows.
  case loseLink
  /// Restarts: off the link and off the air at once, timers forgotten; on air again after this
  /// time, or never.
  case restart(takes: Duration?)
  /// Wants to be told after a time.
  case setTimer(FirmwareTimer, Duration)
}

/// What a firmware set a timer for.
public struct FirmwareTimer: Hashable, Sendable {
  /// Its name, unique within the firmware.
  public var name: String

  /// A timer.
  public init(_ name: String) { self.name = name }
}

/// A service as a firmware defines it.
public struct ServiceDefinition: Hashable, Sendable {
  /// What it is.
  public var uuid: BluetoothUUID
  /// Its characteristics, in order.
  public var characteristics: [CharacteristicDefinition]

  /// A service.
  public init(_ uuid: BluetoothUUID, _ characteristics: [CharacteristicDefinition]) {
    self.uuid = uuid
    self.characteristics = characteristics
  }
}

/// A characteristic as a firmware defines it.
public struct CharacteristicDefinition: Hashable, Sendable {
  /// What it is.
  public var uuid: BluetoothUUID
  /// What can be done with it.
  public var properties: AttributeAccess

  /// A characteristic.
  public init(_ uuid: BluetoothUUID, _ properties: AttributeAccess) {
    self.uuid = uuid
    self.properties = properties
  }
}

/// What is on air while a device advertises: advertisement and scan response together.
public struct AdvertisingPayload: Hashable, Sendable {
  /// The address that it comes from, where that is not the device's own.
  public var address: BluetoothAddress?
  /// Whether it can be connected to.
  public var isConnectable: Bool
  /// The flags, AD type 0x01.
  public var flags: UInt8?
  /// Complete local name.
  public var localName: String?
  /// Services advertised.
  public var serviceUUIDs: [BluetoothUUID]
  /// Manufacturer data by company identifier, without that identifier.
  public var manufacturerData: [UInt16: [UInt8]]
  /// Service data by service.
  public var serviceData: [BluetoothUUID: [UInt8]]

  /// A payload; flags are "general discoverable, no BR/EDR" unless said otherwise.
  public init(
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
