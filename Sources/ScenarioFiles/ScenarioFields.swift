import Bluetooth
import Model
import VirtualBuilding
import YAML

/// The values of a mapping in a scenario file.
struct ScenarioFields: FaultOrder {
  /// The mapping itself.
  let node: YAMLNode

  private static let longest = Duration.seconds(86_400)

  private var entries: [YAMLNode.Entry] { node.entries ?? [] }
  /// The keys, in the order of the text.
  var keys: [String] { entries.map(\.key) }

  /// The value of a key; nil if the key is absent or has no value.
  subscript(key: String) -> YAMLNode? {
    guard let value = entries.first(where: { $0.key == key })?.value, !value.isNull else { return nil }
    return value
  }

  func text(_ key: String) throws(ScenarioProblem) -> String? {
    guard let value = entries.first(where: { $0.key == key })?.value else { return nil }
    guard let text = value.text else { throw ScenarioProblem(key, .structure, "text is expected here") }
    return text
  }

  /// The value of a text; nil if the key is absent.
  private func value<Value>(
    _ key: String, _ expected: String, _ kind: ScenarioProblem.Kind = .value, _ read: (String) -> Value?
  ) throws(ScenarioProblem) -> Value? {
    guard let text = try text(key) else { return nil }
    if let value = read(text) { return value }
    throw ScenarioProblem(key, kind, "\(expected) is expected here")
  }

  /// A whole number, decimal or `0x…`.
  func integer(_ key: String, in bounds: ClosedRange<Int>) throws(ScenarioProblem) -> Int? {
    try value(key, "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)", .range) { text in
      text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16, in: bounds) : Int(text, in: bounds)
    }
  }

  func number(_ key: String, in bounds: ClosedRange<Double>) throws(ScenarioProblem) -> Double? {
    try value(key, "a number from \(bounds.lowerBound) to \(bounds.upperBound)", .range) {
      Double($0, in: bounds)
    }
  }

  /// A coordinate of a place in metres, at most 10 km from the origin.
  func coordinate(_ key: String) throws(ScenarioProblem) -> Double? {
    try number(key, in: -10_000...10_000)
  }

  /// `5.66`.
  func bluez(_ key: String) throws(ScenarioProblem) -> BlueZVersion? {
    let versions = BlueZVersion.allCases.map(\.rawValue).joined(separator: " or ")
    return try value(key, "a version of BlueZ, \(versions),") { BlueZVersion(rawValue: $0) }
  }

  /// `true` or `false`.
  func flag(_ key: String) throws(ScenarioProblem) -> Bool? { try value(key, "true or false") { Bool($0) } }

  func address(_ key: String) throws(ScenarioProblem) -> BluetoothAddress? {
    try value(key, "a Bluetooth address such as C4:7C:8D:00:00:01") { BluetoothAddress($0) }
  }

  /// The UUID of a beacon. Short UUIDs belong to services; no beacon has one.
  func beaconUUID(_ key: String) throws(ScenarioProblem) -> BluetoothUUID? {
    try value(key, "a UUID of 32 hex digits") { $0.utf8.count == 36 ? BluetoothUUID($0) : nil }
  }

  /// A kernel name such as `hci0`, because it becomes a part of D-Bus object paths.
  func adapterName(_ key: String) throws(ScenarioProblem) -> String? {
    try value(key, "a name such as hci0") { name in
      let number = name.dropFirst(3)
      let isName =
        name.hasPrefix("hci") && (1...4).contains(number.utf8.count)
        && number.allSatisfy { $0.isASCII && $0.isNumber }
      return isName ? name : nil
    }
  }

  /// A duration of up to a day: `500ms`, `5s`, `2m`.
  func duration(_ key: String) throws(ScenarioProblem) -> Duration? {
    let duration = try value(key, "a time such as 500ms, 5s or 2m") { Duration(written: $0) }
    guard let duration, !(.zero...Self.longest).contains(duration) else { return duration }
    throw ScenarioProblem(key, .range, "a time from 0s to 1440m is expected here")
  }
}
