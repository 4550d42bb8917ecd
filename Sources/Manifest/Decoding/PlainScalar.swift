import Model
import YAML

/// The meaning of unquoted text for other YAML readers.
enum PlainScalar {
  /// The type that other readers give to a text, such as `a number`; nil when all read it as text.
  ///
  /// YAML 1.1 (PyYAML, Ruby) and the core schema of YAML 1.2 count.
  static func otherMeaning(of text: String) -> String? {
    guard let first = text.utf8.first, text.utf8.count <= 64 else { return nil }
    switch first {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      if isNumber(text) { return "a number" }
      if isSexagesimal(text) { return "a number to base 60" }
      return isDate(text) ? "a date" : nil
    default: return truthValues.contains(text.lowercased()) ? "a Boolean" : nil
    }
  }

  private static let truthValues = ["y", "n", "yes", "no", "true", "false", "on", "off"]

  /// Whether a number survives a round trip through a YAML reader: `301` does, `007` and `1.10` do not.
  static func isPlainNumber(_ text: String) -> Bool {
    (1...15).contains(text.utf8.count) && text.utf8.allSatisfy(\.isDigit)
      && (text == "0" || text.utf8.first != UInt8(ascii: "0"))
  }

  private static func isNumber(_ text: String) -> Bool {
    var digits = Substring(text)
    if digits.first == "-" || digits.first == "+" { digits = digits.dropFirst() }
    let lowercase = digits.lowercased()
    if [".inf", ".nan"].contains(lowercase) { return true }
    for (prefix, allowed) in [("0x", "0123456789abcdef_"), ("0o", "01234567"), ("0b", "01_")]
    where lowercase.hasPrefix(prefix) && lowercase.count > 2 {
      return lowercase.dropFirst(2).allSatisfy { allowed.contains($0) }
    }
    // Decimal: digits and underscores, with an optional point and exponent.
    let parts = lowercase.split(separator: "e", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2 {
      var exponent = parts[1]
      if exponent.first == "-" || exponent.first == "+" { exponent = exponent.dropFirst() }
      guard !exponent.isEmpty, exponent.utf8.allSatisfy(\.isDigit) else { return false }
    }
    let mantissa = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let isMadeOfDigits = mantissa.allSatisfy { $0.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: "_") } }
    return isMadeOfDigits && mantissa.contains { $0.utf8.contains(where: \.isDigit) }
  }

  /// A number to base 60 in YAML 1.1: `190:20:30`. One without a colon is a number already.
  private static func isSexagesimal(_ text: String) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    return parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) }
      && parts.dropFirst().allSatisfy { $0.utf8.count <= 2 && Int($0, in: 0...59) != nil }
  }

  /// A date, with an optional time: `2026-11-22`.
  private static func isDate(_ text: String) -> Bool {
    let parts = text.prefix(10).split(separator: "-", omittingEmptySubsequences: false)
    let isDay =
      parts.count == 3 && parts[0].utf8.count == 4
      && parts.allSatisfy { $0.utf8.allSatisfy(\.isDigit) && !$0.isEmpty }
    let rest = text.dropFirst(10)
    return isDay && (rest.isEmpty || " Tt".contains(rest.first ?? "-"))
  }
}

extension ManifestDecoder {
  /// As `text`, with a warning when other readers do not read an unquoted text as text.
  mutating func plainText(_ node: YAMLNode, _ key: String) -> String? {
    guard let text = text(node, key) else { return nil }
    if !PlainScalar.isPlainNumber(text) { warnOfOtherMeaning(node, key) }
    return text
  }

  /// Warns about an unquoted text that other readers do not read as text.
  mutating func warnOfOtherMeaning(_ node: YAMLNode, _ key: String) {
    guard case .scalar(let text, isPlain: true) = node.content,
      let meaning = PlainScalar.otherMeaning(of: text)
    else { return }
    warning(
      .ambiguousText, "other YAML readers read this `\(key)` as \(meaning)", at: node.range,
      advice: "put it into quotes: then every YAML reader reads it as written",
      fix: texts.holds(text, at: node.range) ? .quote(node.range) : nil)
  }

  /// As above, for the key of an entry.
  mutating func warnOfOtherMeaning(key entry: YAMLNode.Entry) {
    guard texts.holds(entry.key, at: entry.keyRange), let meaning = PlainScalar.otherMeaning(of: entry.key)
    else { return }
    warning(
      .ambiguousText, "other YAML readers read this name as \(meaning)", at: entry.keyRange,
      advice: "put it into quotes, here and where it is used", fix: .quote(entry.keyRange))
  }
}
