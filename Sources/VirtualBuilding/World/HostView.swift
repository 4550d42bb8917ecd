package import Bluetooth

/// A host's view of the radio: links, attributes and events. The in-process `Central` and `org.bluez` are
/// built on it.

/// Identifies a link of an adapter; never reused.
package struct LinkID: Hashable, Comparable, Sendable {
  /// The sequence number.
  package let rawValue: UInt64

  package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// The handle of an attribute in a sensor's table; constant for a firmware.
package typealias AttributeHandle = UInt16

/// A sensor's services, as resolved on one link.
package struct AttributeTable: Hashable, Sendable {
  package struct Service: Hashable, Sendable {
    package var uuid: BluetoothUUID
    /// The handle of the declaration.
    package var handle: AttributeHandle
    /// Its characteristics, by rising handle.
    package var characteristics: [Characteristic]
  }

  package struct Characteristic: Hashable, Sendable {
    package var uuid: BluetoothUUID
    /// The handle of the value.
    package var handle: AttributeHandle
    /// The permitted operations.
    package var properties: AttributeAccess
    /// How long after "resolved" the stack shows it; usually 0.
    package var lateBy: Duration
    /// Its description (0x2901); nil without one.
    package var description: String?
    /// Whether writes are encrypted.
    var isEncrypted = false
    /// The security of the link that it demands.
    var security = LinkSecurity.plain

    /// The handle of the descriptor that enables notifications (0x2902). It follows the value.
    package var configuration: AttributeHandle? { properties.contains(.notify) ? handle + 1 : nil }
    /// The handle of the description.
    package var descriptionHandle: AttributeHandle? {
      description == nil ? nil : (configuration ?? handle) + 1
    }
    /// The handle of its last attribute.
    package var lastHandle: AttributeHandle { descriptionHandle ?? configuration ?? handle }
  }

  /// The services, by rising handle.
  package var services: [Service]
  package var resolvedAt: MonotonicInstant

  package func characteristic(at handle: AttributeHandle) -> Characteristic? {
    for service in services {
      if let found = service.characteristics.first(where: { $0.handle == handle }) { return found }
    }
    return nil
  }
}

/// An advertisement as one adapter received it.
package struct AdvertisingReport: Hashable, Sendable {
  /// The adapter that received it.
  package var adapter: BluetoothAddress
  /// The sender's address.
  package var address: BluetoothAddress
  /// The strength in dBm.
  package var rssi: Int
  /// The complete content.
  package var payload: AdvertisingPayload
  /// The time of reception.
  package var receivedAt: MonotonicInstant
}

/// The current state of an adapter.
package struct VirtualAdapter: Hashable, Sendable {
  /// Its own address.
  package var address: BluetoothAddress
  package var name: String
  /// Whether it is powered and not blocked.
  package var isPowered: Bool
  package var isBlocked: Bool
  package var isDiscovering: Bool
  /// Whether another program scans with it.
  package var isScannedByOthers = false
}

package enum HostEvent: Sendable {
  /// A discovering adapter has received an advertisement.
  case advertisement(AdvertisingReport)
  case linkUp(LinkID, adapter: BluetoothAddress, address: BluetoothAddress)
  case linkDown(LinkID, Disconnection)
  /// A value of a subscribed characteristic.
  case notification(LinkID, AttributeHandle, CharacteristicNotification)
  /// The adapters have changed; the list contains all that are plugged in, ordered by address.
  case adapters([VirtualAdapter])
  /// The stack was stopped or started. A stop ends all links and discoveries.
  case stack(isRunning: Bool)
}

/// Why a request of a host failed.
package enum LinkError: Error, Hashable, Sendable {
  /// The stack is stopped, or the world has ended.
  case stackStopped
  /// The adapter is absent, off or blocked.
  case adapterUnavailable(CentralError.AdapterProblem)
  /// The attempt failed in the link layer (HCI error 0x3E, connection failed to be established).
  case connectFailed
  /// The kernel ended the attempt: the peripheral was received but did not advertise again in time.
  case connectTimedOut
  /// The attempt was cancelled by `cancelConnect`, `forget`, or the caller's task.
  case cancelled
  /// The adapter has reached its maximum number of links.
  case outOfSlots
  /// Another attempt to connect to this peripheral is in progress.
  case alreadyConnecting
  /// The link was lost during the operation.
  case linkLost
  /// The link does not exist (any more).
  case notConnected
  /// Another read or write of the characteristic is in progress.
  case busy
  /// The attribute does not exist.
  case unknownAttribute
  /// The peripheral responded with this ATT error.
  case att(UInt8)
  /// One of the two sides refused to pair, or the passkey was wrong.
  case pairingFailed
}
