import Hex
import Model

/// A JSON value that keeps the order of its keys: reports are read by people too, and compared by programs.
package enum JSONValue: Hashable, Sendable {
  /// A member of an object.
  package struct Member: Hashable, Sendable {
    /// Its key, in snake_case.
    package var key: String
    /// Its value.
    package var value: JSONValue

    /// A key with a value.
    package init(_ key: String, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// No known value, or nothing to show.
  case null
  /// A truth value.
  case bool(Bool)
  /// A whole number.
  case integer(Int)
  /// A number, written to the thousandth; a number that JSON cannot write becomes null.
  case number(Double)
  /// Text.
  case string(String)
  /// Values in order.
  case array([JSONValue])
  /// Members in the order in which they are to be written.
  case object([Member])

  /// An object with these members, in this order.
  package static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(members.map { Member($0.key, $0.value) })
  }

  /// Text, or null.
  package static func optional(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
  /// A whole number, or null.
  package static func optional(_ number: Int?) -> JSONValue { number.map(JSONValue.integer) ?? .null }
  /// A number, or null.
  package static func optional(_ number: Double?) -> JSONValue { number.map(JSONValue.number) ?? .null }

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
    for (index, item) in items.enumerated() {
      if index > 0 { text += "," }
      if let depth { text += "\n" + String(repeating: "  ", count: depth + 1) }
      write(item, &text)
    }
    if !items.isEmpty, let depth { text += "\n" + String(repeating: "  ", count: depth) }
    text += brackets.1
  }

  private static func quote(_ value: String, to text: inout String) {
    text += "\""
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
    text += "\""
  }
}
