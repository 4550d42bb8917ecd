/// A valid D-Bus signature: the types of zero or more values, such as `a{sv}` or `oas`.
package struct DBusSignature: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  package let text: String

  /// Parses a signature.
  /// - Returns: Nil for an invalid signature: unknown type codes, unbalanced brackets, a dictionary entry
  ///   outside an array or with a container as its key, an empty structure, more than 255 bytes, or arrays or
  ///   structures nested deeper than 32.
  package init?(_ text: String) {
    guard SignatureGrammar.completeTypes(of: text) != nil else { return nil }
    self.text = text
  }

  /// Creates a signature from a literal. An invalid literal is a programming error and traps.
  package init(stringLiteral text: String) {
    guard let signature = DBusSignature(text) else { preconditionFailure("not a signature: \(text)") }
    self = signature
  }

  /// Creates a signature from text that consists of valid parts.
  init(unchecked text: String) {
    self.text = text
  }

  package var description: String { text }

  package var completeTypes: [DBusSignature] {
    (SignatureGrammar.completeTypes(of: text) ?? []).map(DBusSignature.init(unchecked:))
  }

  /// Whether it is exactly one complete type, as an array's element and a variant's content must be.
  package var isSingle: Bool { completeTypes.count == 1 }

  /// Whether it is exactly one basic type, as a dictionary's key must be.
  package var isBasic: Bool {
    guard let code = text.utf8.first, text.utf8.count == 1 else { return false }
    return SignatureGrammar.basic.contains(code)
  }
}

/// The grammar of signatures (D-Bus specification, "Type System").
enum SignatureGrammar {
  static let basic = Set("ybnqiuxtdsogh".utf8)
  static let longest = 255
  static let deepest = 32

  /// The complete types in the text; nil if it is not a signature.
  static func completeTypes(of text: String) -> [String]? {
    let bytes = Array(text.utf8)
    guard bytes.count <= longest else { return nil }
    var types: [String] = []
    var position = 0
    while position < bytes.count {
      guard let end = endOfType(bytes, at: position, arrays: 0, structures: 0) else { return nil }
      types.append(String(decoding: bytes[position..<end], as: UTF8.self))
      position = end
    }
    return types
  }

  /// The position after the complete type that starts at `start`; nil if there is none.
  private static func endOfType(_ bytes: [UInt8], at start: Int, arrays: Int, structures: Int) -> Int? {
    guard start < bytes.count, arrays <= deepest, structures <= deepest else { return nil }
    switch bytes[start] {
    case UInt8(ascii: "v"): return start + 1
    case let code where basic.contains(code): return start + 1
    case UInt8(ascii: "a"):
      if start + 1 < bytes.count, bytes[start + 1] == UInt8(ascii: "{") {
        return endOfEntry(bytes, at: start + 1, arrays: arrays + 1, structures: structures)
      }
      return endOfType(bytes, at: start + 1, arrays: arrays + 1, structures: structures)
    case UInt8(ascii: "("):
      var position = start + 1
      while position < bytes.count, bytes[position] != UInt8(ascii: ")") {
        guard
          let end = endOfType(bytes, at: position, arrays: arrays, structures: structures + 1)
        else { return nil }
        position = end
      }
      return position < bytes.count && position > start + 1 ? position + 1 : nil
    default: return nil
    }
  }

  /// A dictionary entry counts as a structure, as in libdbus.
  private static func endOfEntry(_ bytes: [UInt8], at start: Int, arrays: Int, structures: Int) -> Int? {
    guard start + 1 < bytes.count, basic.contains(bytes[start + 1]), arrays <= deepest,
      let end = endOfType(bytes, at: start + 2, arrays: arrays, structures: structures + 1),
      end < bytes.count, bytes[end] == UInt8(ascii: "}")
    else { return nil }
    return end + 1
  }
}
