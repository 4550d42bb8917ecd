import Bluetooth
import Hex
import Model
import YAML

/// The values of a family file.
extension ManifestDecoder {
  mutating func truth(_ node: YAMLNode, _ key: String) -> Bool? {
    truth(node, key, "write `true` or `false`")
  }

  /// Decodes a sentence or a part of one.
  mutating func phrase(_ node: YAMLNode, _ key: String) -> String? {
    guard let text = text(node, key) else { return nil }
    return isText(text, key, of: 1...500, at: node.range) ? text : nil
  }

  mutating func uuid(_ node: YAMLNode, _ key: String) -> BluetoothUUID? {
    guard let text = text(node, key) else { return nil }
    if [4, 36].contains(text.utf8.count), let uuid = BluetoothUUID(text) { return uuid }
    return refused(
      .notAUUID, "`\(key)` is not a UUID", at: node.range,
      advice: "32 hex digits in groups of 8, 4, 4, 4 and 12, or the 4 of an assigned number")
  }

  mutating func company(_ node: YAMLNode) -> UInt16? {
    guard let text = text(node, "manufacturer") else { return nil }
    let digits = text.dropFirst(2)
    if text.hasPrefix("0x"), digits.allSatisfy(\.isHexDigit), let number = UInt16(digits, radix: 16) {
      return number
    }
    return refused(
      .notANumber, "`manufacturer` is not the number of a company", at: node.range,
      advice: "write it in hex digits, for example 0x004C")
  }

  /// Decodes bytes in hex digits.
  mutating func bytes(_ node: YAMLNode, _ key: String) -> [UInt8]? {
    guard let text = text(node, key) else { return nil }
    if let bytes = [UInt8](hex: text), (1...32).contains(bytes.count) { return bytes }
    return refused(
      .unknownValue, "`\(key)` is not bytes", at: node.range,
      advice: "write 1 to 32 bytes in hex digits, two each: 4C01")
  }

  /// Decodes the value of a characteristic: text, or `0x…` for bytes in hex digits.
  mutating func value(_ node: YAMLNode, _ key: String) -> [UInt8]? {
    guard let text = text(node, key) else { return nil }
    guard text.hasPrefix("0x") else {
      let bytes = Array(text.utf8)
      if (1...100).contains(bytes.count) { return bytes }
      return refused(.wrongLength, "`\(key)` has \(bytes.count) bytes; 1…100 are possible", at: node.range)
    }
    if let bytes = [UInt8](hex: text.dropFirst(2)), (1...100).contains(bytes.count) { return bytes }
    return refused(
      .unknownValue, "`\(key)` is neither text nor bytes", at: node.range,
      advice: "bytes are hex digits after 0x, two each: 0x0102")
  }

  /// Decodes a range of whole numbers: `0..65535`.
  mutating func bounds(_ node: YAMLNode, _ key: String, _ limits: ClosedRange<Int>) -> ClosedRange<Int>? {
    guard let text = text(node, key) else { return nil }
    let parts = text.components(around: "..").map { Written.integer($0) }
    guard parts.count == 2, let lower = parts[0], let upper = parts[1], lower <= upper else {
      return refused(
        .notANumber, "`\(key)` is not a range of whole numbers", at: node.range,
        advice: "write the least and the largest number: \(limits.lowerBound)..\(limits.upperBound)")
    }
    guard limits.contains(lower), limits.contains(upper) else {
      return refused(
        .outOfRange, "`\(key)` is outside of \(limits.lowerBound)…\(limits.upperBound)", at: node.range,
        advice: "no encoding holds more")
    }
    return lower...upper
  }

  mutating func value(_ node: YAMLNode, _ key: String, _ setting: SettingDescription) -> SettingValue? {
    guard let text = text(node, key) else { return nil }
    if let value = setting.value(text), !setting.isSecret,
      value == .uuid(.zero) || setting.violation(of: value) == nil
    {
      return value
    }
    return refused(
      .unknownValue, "`\(key)` is not a value of this setting", at: node.range,
      advice: setting.isSecret ? "a secret has none: leave it out" : "check its type and range")
  }
}

extension Vocabulary {
  /// Whether a name means something else in a manifest than a setting of a device.
  static func isReserved(_ name: String) -> Bool {
    (building + defaults + room + floor + group + network).contains(name)
  }
}

extension String {
  /// The parts before and after the only occurrence of a separator; otherwise the whole text.
  func components(around separator: String) -> [String] {
    let parts = split(separator: separator, omittingEmptySubsequences: false).map { String($0) }
    return parts.count == 2 ? parts : [self]
  }
}

extension Duration {
  /// As `init(written:)`, also in microseconds: `625us`.
  init?(fine text: String) {
    if text.hasSuffix("us"), let count = Written.integer(String(text.dropLast(2))),
      (1...1_000_000_000).contains(count)
    {
      self = .microseconds(count)
    } else {
      self.init(written: text)
    }
  }
}
