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

  /// A whole number, decimal or `0x…`.
  func integer(_ key: String, in bounds: ClosedRange<Int>) throws(ScenarioProblem) -> Int? {
    guard let text = try text(key) else { return nil }
    let number =
      text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16, in: bounds) : Int(text, in: bounds)
    guard let number else {
      throw ScenarioProblem(
        key, .range, "a whole number from \(bounds.lowerBound) to \(bounds.upperBound) is expected here")
    }
    return number
  }

  func number(_ key: String, in bounds: ClosedRange<Double>) throws(ScenarioProblem) -> Double? {
    guard let text = try text(key) else { return nil }
    guard let number = Double(text, in: bounds) else {
      throw ScenarioProblem(
        key, .range, "a number from \(bounds.lowerBound) to \(bounds.upperBound) is expected here")
    }
    return number
  }

  /// A coordinate of a place in metres, at most 10 km from the origin.
  func coordinate(_ key: String) throws(ScenarioProblem) -> Double? {
    try number(key, in: -10_000...10_000)
  }

  /// `true` or `false`.
  func flag(_ key: String) throws(ScenarioProblem) -> Bool? {
    guard let text = try text(key) else { return nil }
    guard let flag = Bool(text) else { throw ScenarioProblem(key, .value, "true or false is expected here") }
    return flag
  }

  func address(_ key: String) throws(ScenarioProblem) -> BluetoothAddress? {
    guard let text = try text(key) else { return nil }
    guard let address = BluetoothAddress(text) else {
      throw ScenarioProblem(key, .value, "a Bluetooth address such as C4:7C:8D:00:00:01 is expected here")
    }
    return address
  }

  /// The UUID of a beacon. Short UUIDs belong to services; no beacon has one.
  func beaconUUID(_ key: String) throws(ScenarioProblem) -> BluetoothUUID? {
    guard let text = try text(key) else { return nil }
    guard text.utf8.count == 36, let uuid = BluetoothUUID(text) else {
      throw ScenarioProblem(key, .value, "a UUID of 32 hex digits is expected here")
    }
    return uuid
  }

  /// A kernel name such as `hci0`, because it becomes a part of D-Bus object paths.
  func adapterName(_ key: String) throws(ScenarioProblem) -> String? {
    guard let name = try text(key) else { return nil }
    let number = name.dropFirst(3)
    guard name.hasPrefix("hci"), (1...4).contains(number.utf8.count),
      number.allSatisfy({ $0.isASCII && $0.isNumber })
    else { throw ScenarioProblem(key, .value, "a name such as hci0 is expected here") }
    return name
  }

  /// A duration of up to a day: `500ms`, `5s`, `2m`.
  func duration(_ key: String) throws(ScenarioProblem) -> Duration? {
    guard let text = try text(key) else { return nil }
    guard let duration = Duration(written: text) else {
      throw ScenarioProblem(key, .value, "a time such as 500ms, 5s or 2m is expected here")
    }
    guard (.zero...Self.longest).contains(duration) else {
      throw ScenarioProblem(key, .range, "a time from 0s to 1440m is expected here")
    }
    return duration
  }
}
