import Bluetooth
import DBus
import Waiting

/// bluetoothd's state of one adapter.
struct AdapterRecord {
  /// The adapter as the kernel last reported it.
  var adapter: VirtualAdapter
  var sessions = DiscoverySessions()
  /// Whether it has signalled that it is discovering.
  var discovering = false
  /// Set while it is being switched on or off; fulfilled when the change has been signalled.
  var switching: OneShot<Void>?
  var isSwitching: Bool { switching != nil }

  mutating func beginSwitching() {
    if switching == nil { switching = OneShot() }
  }

  mutating func endSwitching() {
    switching?.fulfill()
    switching = nil
  }
  var devices: [BluetoothAddress: DeviceRecord] = [:]

  var path: ObjectPath { ObjectPath("/org/bluez/" + adapter.name) ?? "/org/bluez" }
}

/// A device on an adapter. docs/internals/bluez.md, "Connecting": each adapter has its own object for a device.
struct DeviceID: Hashable, Sendable, Comparable {
  var adapter: BluetoothAddress
  var address: BluetoothAddress

  static func < (a: Self, b: Self) -> Bool { (a.adapter, a.address) < (b.adapter, b.address) }
}

/// bluetoothd's state of one device on one adapter.
struct DeviceRecord {
  var path: ObjectPath
  /// docs/internals/bluez.md, "Connecting": `Connect` makes a device permanent; then it stays until it is removed.
  var temporary = true
  /// When it is removed, while it is temporary.
  var expires: MonotonicInstant
  /// Whether its last advertisement permits connections.
  var isConnectable = true
  /// The last signalled RSSI, to which new values are compared.
  var announcedRSSI: Int?
  /// Whether a client has set an alias that differs from the name.
  var aliasIsOwn = false
  /// Whether bluetoothd has a key of it.
  var hasBond = false
  /// The client that pairs with it now.
  var pairsFor: BusName?
  var link = LinkState.down
  /// The clients that are subscribed, by characteristic.
  var notifying: [ObjectPath: Set<BusName>] = [:]

  enum LinkState {
    case down
    /// A `Connect` is in progress; fulfilled when it got its reply, or never will.
    case connecting(OneShot<Void>)
    case up(UpLink)
  }

  /// A link that is up, and the attributes that were resolved on it.
  struct UpLink {
    var id: LinkID
    var attributes: AttributeTable?
  }

  var upLink: UpLink? { if case .up(let link) = link { link } else { nil } }
}

/// The data in `/var/lib/bluetooth` about a permanent device.
struct StoredDevice: Sendable {
  var uuids: [String]
  var name: String?
  var alias: String?
  var hasBond: Bool
}
