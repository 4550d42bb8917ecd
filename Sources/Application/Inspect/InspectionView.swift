import Bluetooth
import Hex
import Model
package import Reporting

// The text and the JSON of an inspection.
extension Inspection {
  /// The device, and a table of characteristics for each service.
  package var text: String {
    let address = device.advertisement.address
    let signal = device.advertisement.rssi.map { ", \($0) dBm" } ?? ""
    let state = device.recognition.map { ", " + $0.shortWords } ?? ""
    var text = "\(address): \(device.family?.title ?? "a device of no known family")\(state)\(signal)\n"
    if services.isEmpty { text += "It has no services.\n" }
    for service in services {
      text += "\nService \(service.uuid)\(service.name.map { " (\($0))" } ?? "")\n"
      guard !service.characteristics.isEmpty else { continue }
      text += Table.text(
        header: ["CHARACTERISTIC", "NAME", "ACCESS", "VALUE"],
        rows: service.characteristics.map {
          ["\($0.uuid)", $0.title ?? "-", $0.access.names.joined(separator: ", "), $0.words]
        })
    }
    return text
  }

  // MARK: For programs

  package var json: JSONValue { Self.form.value(self) }

  static let form = OutputForm<Inspection>(
    "inspection", "The services and characteristics of a device, and their values."
  ) {
    Field("schema", "Name and version of the format.", constant: schema)
    Field("address", "The device.") { $0.device.advertisement.address }
    Field("adapter", "The adapter that was connected to it: `hci0`.") { $0.device.adapter.name }
    Field("name", "The name that it advertises; null without one.") { $0.device.advertisement.localName }
    Field("profile", "Its family; null when it was not recognised.") { $0.device.family?.id }
    Field("state", "Whether it waits to be provisioned; null when it was not recognised.") {
      $0.device.recognition.map(DeviceState.init)
    }
    Field("rssi", "RSSI before the connection, in dBm.") { $0.device.advertisement.rssi }
    Field("services", "Its services, in the order in which the stack lists them.", each: serviceForm) {
      $0.services
    }
  }

  private static let serviceForm = OutputForm<Service>("device_service", "A service of a device.") {
    Field("uuid", "What it is.") { $0.uuid }
    Field("name", "Its name; null if it is not known.") { $0.name }
    Field("characteristics", "Its characteristics.", each: characteristicForm) { $0.characteristics }
  }

  private static let characteristicForm = OutputForm<Characteristic>(
    "device_characteristic", "A characteristic of a device."
  ) {
    Field("uuid", "What it is.") { $0.uuid }
    Field("name", "Its name; null if it is not known.") { $0.title }
    Field("access", "What it permits: read, write, write_without_response, notify, indicate.") {
      $0.access.names
    }
    Field("value", "Its value in hex; null when it cannot be read, was not, or is a secret.") {
      if case .bytes(let bytes, _) = $0.value { bytes.hex() } else { String?.none }
    }
    Field("text", "Its value as text; null if it is not text, or if it holds settings.") { $0.plainText }
    Field("settings", "The settings in it, as its family defines them.", each: settingForm) {
      if case .bytes(_, let settings) = $0.value { settings } else { [] }
    }
    Field("secret", "Whether its value is a secret, and was not read.") {
      if case .secret = $0.value { true } else { false }
    }
    Field("error", "Why it could not be read; null when it could.") {
      if case .failed(let error) = $0.value { "\(error.code)" } else { String?.none }
    }
  }

  private static let settingForm = OutputForm<HeldSetting>("device_setting", "A setting that a device holds.")
  {
    Field("name", "The setting.") { $0.name }
    Field("value", "Its value.") { $0.value }
  }
}

extension Inspection.Characteristic {
  /// The value as text for the table.
  fileprivate var words: String {
    switch value {
    case .notReadable: "-"
    case .secret: "(a secret; it was not read)"
    case .failed(let error): "(cannot be read: \(error.code))"
    case .bytes(let bytes, let settings):
      settings.isEmpty
        ? plainText.map { "“\($0.visible)”" } ?? (bytes.isEmpty ? "(empty)" : "0x\(bytes.hex())")
        : settings.map { "\($0.name) \($0.value.visible)" }.joined(separator: ", ")
    }
  }

  /// The value as text; nil unless every character is printable.
  fileprivate var plainText: String? {
    guard case .bytes(let bytes, let settings) = value, settings.isEmpty, !bytes.isEmpty,
      let text = String(validating: bytes, as: UTF8.self), text.visible == text
    else { return nil }
    return text
  }
}

extension AttributeAccess {
  /// The names of the operations, as in JSON.
  fileprivate var names: [String] {
    let all: [(access: AttributeAccess, name: String)] = [
      (.read, "read"), (.write, "write"), (.writeWithoutResponse, "write_without_response"),
      (.notify, "notify"), (.indicate, "indicate"),
    ]
    return all.filter { contains($0.access) }.map(\.name)
  }
}
