import DBus
import FoundationEssentials
import Hex

/// Names for objects that are the same on every stack: `adapter`, `sensor 1`, `sensor 1 status`. Paths
/// differ, because they contain hciN and the handles of attributes.
struct Labels {
  /// The lab's first adapter, and the prefix of all sensors' addresses.
  static let adapterAddress = "00:1A:7D:DA:71:00"
  static func sensorAddress(_ number: Int) -> String {
    "7C:DF:A1:00:00:" + number.hex(digits: 2, uppercase: true)
  }

  private let sensors: Int
  private(set) var adapter: ObjectPath = "/org/bluez/hci0"
  private var attributes: [ObjectPath: String] = [:]

  init(sensors: Int) { self.sensors = sensors }

  private static let names = [
    "12345678-9abc-def0-1234-000000000001": "provisioning",
    "12345678-9abc-def0-1234-000000000002": "ssid", "12345678-9abc-def0-1234-000000000003": "password",
    "12345678-9abc-def0-1234-000000000004": "room", "12345678-9abc-def0-1234-000000000005": "minor",
    "12345678-9abc-def0-1234-000000000006": "command", "12345678-9abc-def0-1234-000000000007": "status",
    "12345678-9abc-def0-1234-000000000008": "wifi_scan",
    "00002902-0000-1000-8000-00805f9b34fb": "configuration",
  ]

  // MARK: Learning labels

  /// Learns the label of an object from its properties.
  mutating func learn(_ path: ObjectPath, _ interface: String, _ properties: [String: DBusValue]) {
    if interface == "org.bluez.Adapter1", properties["Address"]?.asString == Self.adapterAddress {
      adapter = path
    }
    guard interface.hasPrefix("org.bluez.Gatt"), let uuid = properties["UUID"]?.asString else { return }
    attributes[path] = Self.names[uuid] ?? uuid
  }

  // MARK: From path to label and back

  func label(of path: ObjectPath) -> String {
    if path == adapter { return "adapter" }
    guard path.isAtOrBelow(adapter) else { return path.text }
    for number in 1...max(1, sensors) {
      guard let device = device(number), path.isAtOrBelow(device) else { continue }
      return "sensor \(number)" + attributeLabel(of: path, below: device)
    }
    return path.text
  }

  /// Services and characteristics are named by their own kind, descriptors by both.
  private func attributeLabel(of path: ObjectPath, below device: ObjectPath) -> String {
    guard path != device else { return "" }
    let own = " " + (attributes[path] ?? "unknown")
    guard let parent = path.parent, path.text.contains("/desc") else { return own }
    return " " + (attributes[parent] ?? "unknown") + own
  }

  func path(of label: String) -> ObjectPath? {
    if label == "adapter" { return adapter }
    let words = label.split(separator: " ").map(String.init)
    guard words.count >= 2, words[0] == "sensor", let number = Int(words[1]), let device = device(number)
    else {
      return ObjectPath(label)
    }
    if words.count == 2 { return device }
    // An object that cannot exist.
    if words[2] == "ghost" { return ObjectPath(device.text + "/service00ff/char00ff") }
    return attributes.keys.filter { $0.isAtOrBelow(device) && self.label(of: $0) == label }.max()
  }

  private func device(_ number: Int) -> ObjectPath? {
    adapter.appending("dev_" + Self.sensorAddress(number).replacing(":", with: "_"))
  }
}
