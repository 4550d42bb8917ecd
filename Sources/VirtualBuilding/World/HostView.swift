public import Bluetooth

/// What a host sees of the radio: links, attributes, and events. A face (the in-process `Central`, `org.bluez`)
/// dresses this up in its own manners.

/// One link of one adapter; never given out twice.
public struct LinkID: Hashable, Comparable, Sendable {
  /// Its number, rising.
  public let rawValue: UInt64

  /// Earlier links before later ones.
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// Where an attribute stands in a sensor's table; the same as long as the firmware is.
public typealias AttributeHandle = UInt16

/// A sensor's table of services as one link resolved it.
public struct AttributeTable: Hashable, Sendable {
  /// A service.
  public struct Service: Hashable, Sendable {
    /// What it is.
    public var uuid: BluetoothUUID
    /// Handle of its declaration.
    public var handle: AttributeHandle
    /// Its characteristics, by rising handle.
    public var characteristics: [Characteristic]
  }

  /// A characteristic.
  public struct Characteristic: Hashable, Sendable {
    /// What it is.
    public var uuid: BluetoothUUID
    /// Handle of its value.
    public var handle: AttributeHandle
    /// What can be done with it.
    public var properties: AttributeAccess
    /// How long after "resolved" the stack shows it; mostly zero.
    public var lateBy: Duration
  }

  /// The services, by rising handle.
  public var services: [Service]
  /// When it was resolved.
  public var resolvedAt: MonotonicInstant

  /// The characteristic at a handle.
  public func characteristic(at handle: AttributeHandle) -> Characteristic? {
    for service in services {
      if let found = service.characteristics.first(where: { $0.handle == handle }) { return found }
    }
    return nil
  }
}

/// An advertisement as one adapter received it.
public struct AdvertisingReport: Hashable, Sendable {
  /// Which adapter received it.
  public var adapter: BluetoothAddress
  /// Who sent it.
  public var address: BluetoothAddress
  /// Its strength, dBm.
  public var rssi: Int
  /// Everything it said.
  public var payload: AdvertisingPayload
  /// When it was received.
  public var receivedAt: MonotonicInstant
}

/// An adapter as it is at this moment.
public struct VirtualAdapter: Hashable, Sendable {
  /// Its own address.
  public var address: BluetoothAddress
  /// What the host calls it.
  public var name: String
  /// Powered, and not blocked.
  public var isPowered: Bool
  /// Blocked by rfkill.
  public var isBlocked: Bool
  /// It discovers.
  public var isDiscovering: Bool
  /// Another program scans with it.
  public var isScannedByOthers = false
}

/// What happens at the host without having been asked for.
public enum HostEvent: Sendable {
  /// An adapter that discovers has received an advertisement.
  case advertisement(AdvertisingReport)
  /// A link is up.
  case linkUp(LinkID, adapter: BluetoothAddress, address: BluetoothAddress)
  /// A link is down.
  case linkDown(LinkID, Disconnection)
  /// A value that was subscribed to.
  case notification(LinkID, AttributeHandle, CharacteristicNotification)
  /// Adapters have come, gone, or changed; here are all of those plugged in, by address.
  case adapters([VirtualAdapter])
  /// The stack has been stopped or started; links and discovery do not survive it.
  case stack(isRunning: Bool)
}

/// Why something that a host asked for was not done.
public enum LinkError: Error, Hashable, Sendable {
  /// The stack is stopped, or the world has come to its end.
  case stackStopped
  /// The adapter is absent, off or blocked.
  case adapterUnavailable(CentralError.AdapterTrouble)
  /// The attempt failed at the link (HCI 0x3E, connection failed to be established).
  case connectFailed
  /// The kernel has given the attempt up: the peripheral was heard, but did not advertise again in time.
  case connectTimedOut
  /// It was called off: by `cancelConnect`, `forget`, or the caller's task.
  case cancelled
  /// The adapter holds as many links as it can.
  case outOfSlots
  /// There is an attempt at this peripheral already.
  case alreadyConnecting
  /// The link was lost while this was under way.
  case linkLost
  /// There is no such link (any more).
  case notConnected
  /// The same characteristic is being written or read already.
  case busy
  /// There is no such attribute.
  case unknownAttribute
  /// The peripheral's answer.
  case att(UInt8)
}
