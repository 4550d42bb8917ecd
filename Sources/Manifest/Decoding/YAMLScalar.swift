import Hex

/// Writes texts as YAML scalars.
package enum YAMLScalar {
  /// A scalar that every YAML reader reads as this text, also in flow collections. Unquoted if that is safe.
  package static func text(_ text: String) -> String {
    isCertain(text) ? text : quoted(text)
  }

  package static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\u{0}"..<"\u{20}", "\u{7F}"..<"\u{A0}": result += "\\x" + UInt8(scalar.value).hex(digits: 2)
      case "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{FFFE}", "\u{FFFF}":
        result += "\\u" + UInt16(scalar.value).hex(digits: 4)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// Whether it needs no quotes: words of letters and digits that every reader reads as text.
  private static func isCertain(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, first.properties.isAlphabetic, text.last != " ",
      text.lowercased() != "null", PlainScalar.otherMeaning(of: text) == nil
    else { return PlainScalar.isPlainNumber(text) }
    return text.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || ("0"..."9").contains($0) || " ._-".unicodeScalars.contains($0)
    }
  }
}
