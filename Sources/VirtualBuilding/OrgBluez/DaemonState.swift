import Bluetooth
import DBus
import Waiting

/// What bluetoothd keeps of one adapter.
struct AdapterRecord {
  /// As the kernel showed it last.
  var adapter: VirtualAdapter
  var sessions = DiscoverySessions()
  /// Whether it has told that it discovers.
  var discovering = false
  /// It is being switched on or off, which is told when it is done; fulfilled when it has been told.
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

/// One device on one adapter: docs/bluez.md, "Connecting", a different object on each.
struct DeviceID: Hashable, Sendable, Comparable {
  var adapter: BluetoothAddress
  var address: BluetoothAddress

  static func < (a: Self, b: Self) -> Bool { (a.adapter, a.address) < (b.adapter, b.address) }
}

/// What bluetoothd keeps of one device on one adapter.
struct DeviceRecord {
  var path: ObjectPath
  /// docs/bluez.md, "Connecting": `Connect` makes a device non-temporary, and then it stays until it is removed.
  var temporary = true
  /// When it vanishes, while it is temporary.
  var expires: MonotonicInstant
  /// The RSSI that was told last; what is heard is compared with this one.
  var toldRSSI: Int?
  /// Whether someone gave it another alias than its name.
  var aliasIsOwn = false
  var link = LinkState.down
  /// Who wants notifications of which characteristic.
  var notifying: [ObjectPath: Set<BusName>] = [:]

  enum LinkState {
    case down
    /// A `Connect` is under way; fulfilled when it has been answered, or never will be.
    case connecting(OneShot<Void>)
    case up(UpLink)
  }

  /// A link that stands, and the attributes that were resolved on it.
  struct UpLink {
    var id: LinkID
    var attributes: AttributeTable?
  }

  var upLink: UpLink? { if case .up(let link) = link { link } else { nil } }
}

/// What is in `/var/lib/bluetooth` about a device that is not temporary.
struct StoredDevice: Sendable {
  var uuids: [String]
  var name: String?
  var alias: String?
}
