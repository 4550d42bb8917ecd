import Bluetooth
package import Engine
import Model
import Session

/// Messages about labels.
package enum LabelWords {
  package static func sentence(_ problem: LabelProblem) -> String {
    switch problem {
    case .empty: "there is no address"
    case .tooLong: "this text is too long for a label: scan one label only"
    case .noAddress(let digits?): "an address has 12 hex digits; this text has \(digits)"
    case .noAddress(nil): "this text has no address: scan the label, or type its 12 hex digits"
    case .eui64(let address):
      "this text has an EUI-64, of 8 bytes: if it is the device with \(address), type that address"
    case .several(let addresses):
      "this text has \(addresses.count) addresses (\(addresses.map(\.description).joined(separator: ", "))): "
        + "type the address of the sensor"
    case .notADevice(let address): "\(address) cannot be the address of a device"
    case .barcode:
      "these 12 digits may be the barcode of an article: scan the label of the sensor, or, if they are its address, "
        + "type them with colons"
    case .wifi:
      "this is a code for a WiFi network, not for a device: scan the label of the sensor, or type its address"
    case .product(let problem): sentence(problem)
    case .otherFamily(let device): "this is the label of \(device), and the room has another kind of device"
    }
  }

  private static func sentence(_ problem: ProductLabelProblem) -> String {
    switch problem {
    case .damaged: "only a part of the code was read, or it is damaged: scan it again, from nearer by"
    case .missing(let key): "the code has no `\(key)`: it is damaged, or the label of another product"
    case .repeated(let key): "the code has `\(key)` more than once: scan one label only"
    case .invalid(let key): "the code's `\(key)` is not valid: scan it again"
    case .notOverBluetooth:
      "this device is set up over its own WiFi, not over Bluetooth: roboprov cannot provision it"
    case .notForWiFi: "this device joins Thread, not WiFi: roboprov cannot provision it"
    }
  }

  /// The warning about a device that a manifest cannot name by its address; empty for any other.
  package static func changingAddress(of sighting: AirLedger.Sighting) -> String {
    guard sighting.hasChangingAddress else { return "" }
    let name = sighting.name.flatMap { DeviceReference.violation(ofName: $0) == nil ? $0 : nil }
    return
      "\n  warning: its address is random and will change: name the device by its name instead of its address, "
      + "`device: \(name.map { "\"\($0)\"" } ?? "NAME")`"
  }
}
