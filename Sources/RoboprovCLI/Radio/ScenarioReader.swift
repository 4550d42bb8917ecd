import Bluetooth
import Manifest
import Model
import VirtualBuilding
import Source
import YAML

/// A mapping in a scenario file. Errors name file, line and column.
struct ScenarioReader: FaultOrder {
  private let node: YAMLNode
  private let file: String
  private let entries: [String: YAMLNode]

  /// A mapping that may have only these keys.
  init(_ node: YAMLNode, file: String, keys: [String]) throws {
    guard case .mapping(let entries) = node.content else {
      throw Self.failure("keys and values are expected here", at: node.range.start, in: file)
    }
    for entry in entries where !keys.contains(entry.key) {
      throw Self.failure(
        "unknown key \(entry.key)" + (keys.isEmpty ? "" : "; the keys: \(keys.joined(separator: ", "))"),
        at: entry.keyRange.start, in: file)
    }
    self.node = node
    self.file = file
    self.entries = Dictionary(entries.map { ($0.key, $0.value) }) { first, _ in first }
  }

  private init(item node: YAMLNode, file: String) {
    self.node = node
    self.file = file
    entries = [:]
  }

  /// This list item as a mapping.
  func mapping(_ keys: [String]) throws -> ScenarioReader {
    try ScenarioReader(node, file: file, keys: keys)
  }

  /// This list item as a mapping in which the value of one key determines the other keys.
  func mapping(knowing key: String, _ keys: (ScenarioReader) throws -> [String]) throws -> ScenarioReader {
    guard case .mapping(let entries) = node.content else {
      throw Self.failure("keys and values are expected here", at: node.range.start, in: file)
    }
    let first = try ScenarioReader(node, file: file, keys: entries.map(\.key))
    return try mapping([key] + keys(first))
  }

  /// The mapping under a key, or nil.
  func mapping(_ keys: [String], under key: String) throws -> ScenarioReader? {
    guard let value = entries[key], !value.isNull else { return nil }
    return try ScenarioReader(value, file: file, keys: keys)
  }

  /// The keys, sorted.
  var keys: [String] { entries.keys.sorted() }

  func list(_ key: String) throws -> [ScenarioReader] {
    guard let value = entries[key], !value.isNull else { return [] }
    guard case .sequence(let items) = value.content else { throw failure("a list is expected here", at: key) }
    return items.map { ScenarioReader(item: $0, file: file) }
  }

  /// A required value.
  func required<Value>(_ key: String, _ read: (String) throws -> Value?) throws -> Value {
    if let value = try read(key) { return value }
    throw Self.failure("\(key) is missing here", at: node.range.start, in: file)
  }

  func text(_ key: String) throws -> String? {
    guard let value = entries[key] else { return nil }
    guard case .scalar(let text, _) = value.content else { throw failure("text is expected here", at: key) }
    return text
  }

  /// A whole number, decimal or `0x…`.
  func integer(_ key: String, in bounds: ClosedRange<Int>) throws -> Int? {
    guard let text = try text(key) else { return nil }
    let number = text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
    guard let number, bounds.contains(number) else {
      throw failure(
        "a whole number from \(bounds.lowerBound) to \(bounds.upperBound) is expected here", at: key)
    }
    return number
  }

  func number(_ key: String, in bounds: ClosedRange<Double>) throws -> Double? {
    guard let text = try text(key) else { return nil }
    guard let number = Double(text), bounds.contains(number) else {
      throw failure("a number from \(bounds.lowerBound) to \(bounds.upperBound) is expected here", at: key)
    }
    return number
  }

  /// `true` or `false`.
  func flag(_ key: String) throws -> Bool? {
    guard let text = try text(key) else { return nil }
    guard let flag = Bool(text) else { throw failure("true or false is expected here", at: key) }
    return flag
  }

  func address(_ key: String) throws -> BluetoothAddress? {
    guard let text = try text(key) else { return nil }
    guard let address = BluetoothAddress(text) else {
      throw failure("a Bluetooth address such as C4:7C:8D:00:00:01 is expected here", at: key)
    }
    return address
  }

  /// A duration: `500ms`, `5s`, `2m`.
  func duration(_ key: String) throws -> Duration? {
    guard let text = try text(key) else { return nil }
    guard let duration = Duration(written: text) else {
      throw failure("a time such as 500ms, 5s or 2m is expected here", at: key)
    }
    return duration
  }

  func wrong(_ reason: String, at key: String) -> any Error { failure(reason, at: key) }

  func failure(_ message: String, at key: String) -> CommandFailure {
    Self.failure(message, at: (entries[key] ?? node).range.start, in: file)
  }

  static func failure(_ message: String, at mark: Mark, in file: String) -> CommandFailure {
    CommandFailure(.manifest, "\(file):\(mark.line):\(mark.column): \(message)")
  }
}
