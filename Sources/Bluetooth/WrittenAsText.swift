/// A value whose JSON is its written form, which is its description.
package protocol WrittenAsText: Codable, CustomStringConvertible {
  /// What a text that is not one fails to be, for an error: `an address`.
  static var nounForErrors: String { get }

  /// Parses a written form.
  init?(_ text: String)
}

extension WrittenAsText {
  /// Decodes a written form.
  /// - Throws: `DecodingError.dataCorrupted` for any other text.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = Self(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "not \(Self.nounForErrors): \(text)")
    }
    self = value
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
