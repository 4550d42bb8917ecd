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

  package var json: JSONValue {
    let advertisement = device.advertisement
    let state = device.recognition.map { DeviceState($0) }
    let found = services.map { service -> JSONValue in
      let characteristics = service.characteristics.map(\.json)
      return .values(["uuid": service.uuid, "name": service.name, "characteristics": characteristics])
    }
    return .values([
      "schema": "roboprov/inspection/1", "address": advertisement.address, "adapter": device.adapter.name,
      "name": advertisement.localName, "profile": device.family?.id, "state": state,
      "rssi": advertisement.rssi, "services": found,
    ])
  }
}

extension Inspection.Characteristic {
  fileprivate var json: JSONValue {
    var held: (hex: String?, settings: [HeldSetting], isSecret: Bool, error: String?) = (nil, [], false, nil)
    switch value {
    case .notReadable: break
    case .secret: held.isSecret = true
    case .failed(let error): held.error = "\(error.code)"
    case .bytes(let bytes, let settings): (held.hex, held.settings) = (bytes.hex(), settings)
    }
    let settings = held.settings.map { JSONValue.values(["name": $0.name, "value": $0.value]) }
    return .values([
      "uuid": uuid, "name": title, "access": access.names, "value": held.hex, "text": plainText,
      "settings": settings, "secret": held.isSecret, "error": held.error,
    ])
  }

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
