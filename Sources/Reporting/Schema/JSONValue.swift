import Hex
import Model

/// A JSON value that keeps the order of its keys: reports are read by people too, and compared by programs.
package enum JSONValue: Hashable, Sendable {
  package struct Member: Hashable, Sendable {
    package var key: String
    package var value: JSONValue

    package init(_ key: String, _ value: JSONValue) {
      (self.key, self.value) = (key, value)
    }
  }

  case null
  case bool(Bool)
  case integer(Int)
  /// A number, written to the thousandth; a number that JSON cannot write becomes null.
  case number(Double)
  case string(String)
  /// Values in order.
  case array([JSONValue])
  /// Members in the order in which they are to be written.
  case object([Member])

  /// The members of an object; none for another value.
  package var members: [Member] { if case .object(let members) = self { members } else { [] } }

  /// The members of two objects.
  package static func + (first: Self, second: Self) -> Self { .object(first.members + second.members) }

  /// Texts in order.
  package static func strings(_ texts: some Sequence<String>) -> Self { .array(texts.map { .string($0) }) }

  /// This value in JSON (RFC 8259), indented by two spaces, ending in a newline. Empty arrays and objects
  /// take one line. Characters that a terminal would interpret are escaped, so that the text can be looked at
  /// anywhere.
  package var pretty: String {
    var text = ""
    write(to: &text, depth: 0)
    text += "\n"
    return text
  }

  /// The same on one line, without a newline at its end.
  package var line: String {
    var text = ""
    write(to: &text, depth: nil)
    return text
  }

  /// - Parameter depth: How far it is indented; nil where it takes one line.
  private func write(to text: inout String, depth: Int?) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += String(value)
    case .number(let value): text += Decimal.short(value) ?? "null"
    case .string(let value): Self.quote(value, to: &text)
    case .array(let values):
      Self.list(values, in: ("[", "]"), to: &text, depth: depth) { value, text in
        value.write(to: &text, depth: depth.map { $0 + 1 })
      }
    case .object(let members):
      Self.list(members, in: ("{", "}"), to: &text, depth: depth) { member, text in
        Self.quote(member.key, to: &text)
        text += depth == nil ? ":" : ": "
        member.value.write(to: &text, depth: depth.map { $0 + 1 })
      }
    }
  }

  private static func list<Item>(
    _ items: [Item], in brackets: (String, String), to text: inout String, depth: Int?,
    _ write: (Item, inout String) -> Void
  ) {
    text += brackets.0
    let indent = depth.map { "\n" + String(repeating: "  ", count: $0 + 1) } ?? ""
    for (index, item) in items.enumerated() {
      if index > 0 { text += "," }
      text += indent
      write(item, &text)
    }
    if !items.isEmpty, let depth { text += "\n" + String(repeating: "  ", count: depth) }
    text += brackets.1
  }

  private static func quote(_ value: String, to text: inout String) {
    text += "\""
    defer { text += "\"" }
    // Nearly every text.
    if value.utf8.allSatisfy({
      (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }) {
      text += value
      return
    }
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      default:
        if scalar.isControlling {
          for unit in String(scalar).utf16 {
            text += "\\u" + unit.hex(digits: 4)
          }
        } else {
          text.unicodeScalars.append(scalar)
        }
      }
    }
  }
}

extension JSONValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral text: String) { self = .string(text) }
  package init(integerLiteral number: Int) { self = .integer(number) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(members.map { Member($0, $1) })
  }
}
