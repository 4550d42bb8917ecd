import Reporting
import YAML

/// The contents of a manifest without its layout, for random changes.
indirect enum MutableManifest: Hashable, Sendable {
  case scalar(String, isPlain: Bool)
  case list([MutableManifest])
  case mapping([Entry])

  struct Entry: Hashable, Sendable {
    var key: String
    var value: MutableManifest
  }

  init(_ node: YAMLNode) {
    switch node.content {
    case .scalar(let text, let isPlain): self = .scalar(text, isPlain: isPlain)
    case .sequence(let items): self = .list(items.map { MutableManifest($0) })
    case .mapping(let entries):
      self = .mapping(entries.map { Entry(key: $0.key, value: MutableManifest($0.value)) })
    }
  }

  /// The manifest as one line of YAML.
  var yaml: String {
    switch self {
    case .scalar(let text, let isPlain):
      isPlain && Self.isPlain(text) ? (text.isEmpty ? "~" : text) : Self.quoted(text)
    case .list(let items): "[" + items.map(\.yaml).joined(separator: ", ") + "]"
    case .mapping(let entries):
      "{" + entries.map { "\(Self.quoted($0.key)): \($0.value.yaml)" }.joined(separator: ", ") + "}"
    }
  }

  /// The manifest as a JSON Schema validator reads it: unquoted text is a number, a Boolean or null if it has
  /// that form. The first of duplicate keys counts.
  var json: JSONValue {
    switch self {
    case .scalar(let text, let isPlain): isPlain ? Self.value(of: text) : .string(text)
    case .list(let items): .array(items.map(\.json))
    case .mapping(let entries):
      .object(
        entries.enumerated().filter { index, entry in !entries[..<index].contains { $0.key == entry.key } }
          .map { JSONValue.Member($1.key, $1.value.json) })
    }
  }

  private static func value(of text: String) -> JSONValue {
    switch text {
    case "", "~", "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    default:
      // `-0` is text here; as a number it would become 0.
      let isDecimal = text != "-0" && text.wholeMatch(of: #/-?(0|[1-9][0-9]{0,17})/#) != nil
      return isDecimal ? Int(text).map { .integer($0) } ?? .string(text) : .string(text)
    }
  }

  /// Whether a text keeps its meaning without quotes, also within brackets.
  private static func isPlain(_ text: String) -> Bool {
    text.wholeMatch(of: #/(-?[A-Za-z0-9][A-Za-z0-9 ._+-]*)?|~/#) != nil && text.last != " "
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      let isLetter = (0x20..<0x7F).contains(scalar.value) && !"\"\\".unicodeScalars.contains(scalar)
      let digits = String(scalar.value, radix: 16)
      quoted += isLetter ? String(scalar) : "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
    }
    return quoted + "\""
  }
}

extension MutableManifest {
  /// The number of values in the tree, including this one.
  var count: Int {
    switch self {
    case .scalar: 1
    case .list(let items): items.reduce(1) { $0 + $1.count }
    case .mapping(let entries): entries.reduce(1) { $0 + $1.value.count }
    }
  }

  /// Each key with its value, at any depth.
  var entries: [Entry] {
    switch self {
    case .scalar: []
    case .list(let items): items.flatMap(\.entries)
    case .mapping(let entries): entries + entries.flatMap(\.value.entries)
    }
  }

  /// Changes the value with this number, in order of appearance.
  mutating func change(_ number: Int, _ body: (inout MutableManifest) -> Void) {
    var number = number
    change(&number, body)
  }

  /// - Parameter number: below 0 after the change.
  private mutating func change(_ number: inout Int, _ body: (inout MutableManifest) -> Void) {
    if number == 0 { body(&self) }
    number -= 1
    switch self {
    case .scalar: break
    case .list(var items):
      for index in items.indices where number >= 0 { items[index].change(&number, body) }
      self = .list(items)
    case .mapping(var entries):
      for index in entries.indices where number >= 0 { entries[index].value.change(&number, body) }
      self = .mapping(entries)
    }
  }
}
