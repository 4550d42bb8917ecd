import Model
import Reporting
import Source
import YAML

extension JSONValue {
  /// The JSON in a file of the program.
  init(embedded file: [UInt8]) {
    guard let node = try? YAMLParser.read(SourceText(file)).root else {
      preconditionFailure("an embedded file is not JSON")
    }
    self.init(node)
  }

  /// The parser of YAML reads JSON, too.
  private init(_ node: YAMLNode) {
    switch node.content {
    case .mapping(let entries): self = .object(entries.map { Member($0.key, JSONValue($0.value)) })
    case .sequence(let items): self = .array(items.map { JSONValue($0) })
    case .scalar(let text, isPlain: false): self = .string(text)
    case .scalar("true", isPlain: true): self = true
    case .scalar("false", isPlain: true): self = false
    case .scalar(let text, isPlain: true):
      guard let number = Int(text, in: RecordedNumbers.integers) else {
        preconditionFailure("\(text) is not in these files")
      }
      self = .integer(number)
    }
  }

  /// The value of a key that an object has; empty for another key.
  subscript(key: String) -> JSONValue {
    get { members.first { $0.key == key }?.value ?? [:] }
    set { self = .object(members.map { $0.key == key ? Member(key, newValue) : $0 }) }
  }

  var text: String? { if case .string(let text) = self { text } else { nil } }
  var wholeNumber: Int? { if case .integer(let number) = self { number } else { nil } }
  /// The elements of a list; none for another value.
  var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
  var texts: [String] { elements.compactMap(\.text) }
}
