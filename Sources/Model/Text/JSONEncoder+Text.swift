package import FoundationEssentials

extension JSONEncoder {
  /// A value as JSON, with terminal control characters escaped.
  package func text(of value: some Encodable) throws -> String {
    String(decoding: JSONText.escaped(Array(try encode(value))), as: UTF8.self)
  }
}
