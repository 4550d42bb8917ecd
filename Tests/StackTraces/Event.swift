import DBus
import Hex

/// An observation on the bus: a signal, or the reply to a call.
package struct Event: Codable, Hashable, Sendable {
  /// The time in seconds since the start of its phase.
  package var seconds: Double
  /// The kind of event: `+ sensor 1` (interfaces added), `- sensor 1` (removed), `sensor 1` (properties
  /// changed), `answer connect` (reply), `org.bluez` (its owner).
  package var what: String
  /// The details: `Device1.Connected` to `true`.
  package var values: [String: String]

  /// The single facts: `sensor 1 Device1.Connected = true`.
  package var facts: [String] { values.sorted { $0.key < $1.key }.map { "\(what) \($0.key) = \($0.value)" } }
}

/// Properties that depend on the machine or on chance; they are not recorded.
private let incidental: Set<String> = [
  "Adapter1.Name", "Adapter1.Alias", "Adapter1.Class", "Adapter1.Modalias", "Device1.RSSI",
]

extension Labels {
  /// The event of a signal; nil if the signal is not about BlueZ's objects.
  mutating func event(for signal: Signal, seconds: Double) -> Event? {
    var event = Event(seconds: seconds, what: "", values: [:])
    switch signal.member {
    case "InterfacesAdded":
      guard let path = signal.body.first?.asObjectPath, let interfaces = signal.body.last?.asEntries else {
        return nil
      }
      for interface in interfaces {
        learn(path, interface.key.asString ?? "", interface.value.asVardict ?? [:])
      }
      event.what = "+ " + label(of: path)
      for interface in interfaces {
        let name = Self.short(interface.key.asString ?? "")
        event.values[name] = "there"
        for (key, value) in interface.value.asVardict ?? [:] { event.values["\(name).\(key)"] = text(value) }
      }
    case "InterfacesRemoved":
      guard let path = signal.body.first?.asObjectPath, let interfaces = signal.body.last?.asStrings else {
        return nil
      }
      event.what = "- " + label(of: path)
      for interface in interfaces { event.values[Self.short(interface)] = "gone" }
    case "PropertiesChanged":
      guard signal.body.count == 3, let interface = signal.body[0].asString else { return nil }
      event.what = label(of: signal.path)
      let name = Self.short(interface)
      for (key, value) in signal.body[1].asVardict ?? [:] { event.values["\(name).\(key)"] = text(value) }
      for key in signal.body[2].asStrings ?? [] { event.values["\(name).\(key)"] = "gone" }
    case "NameOwnerChanged":
      guard signal.body.first?.asString == "org.bluez" else { return nil }
      event.what = "org.bluez"
      event.values["owner"] = signal.body.last?.asString == "" ? "gone" : "there"
    default:
      return nil
    }
    for key in event.values.keys where incidental.contains(key) && event.values[key] != "gone" {
      event.values[key] = "…"
    }
    return event
  }

  private static func short(_ interface: String) -> String {
    interface.hasPrefix("org.bluez.") ? String(interface.dropFirst("org.bluez.".count)) : interface
  }

  /// A value as text: bytes as hex digits, objects as labels.
  func text(_ value: DBusValue) -> String {
    switch value {
    case .variant(let content): text(content)
    case .bool(let value): "\(value)"
    case .byte(let value): "\(value)"
    case .int16(let value): "\(value)"
    case .uint16(let value): "\(value)"
    case .int32(let value): "\(value)"
    case .uint32(let value): "\(value)"
    case .int64(let value): "\(value)"
    case .uint64(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): value
    case .objectPath(let path): "<\(label(of: path))>"
    case .signature(let signature): signature.text
    case .descriptor: "<an open file>"
    case .bytes(let bytes): bytes.hex()
    case .array(_, let items): "[" + items.map(text).joined(separator: ", ") + "]"
    case .structure(let fields): "(" + fields.map(text).joined(separator: ", ") + ")"
    case .dictionary(_, _, let entries):
      "{" + entries.map { text($0.key) + ": " + text($0.value) }.sorted().joined(separator: ", ") + "}"
    }
  }
}
