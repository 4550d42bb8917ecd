import FoundationEssentials

/// A message of a device in JSON, as far as values are compared with it.
package enum JSONMessage: Hashable, Sendable, Decodable {
  case object([String: JSONMessage])
  /// A text, a number or a Boolean, as text.
  case scalar(String)
  case other

  /// Nil for bytes that are no object.
  package init?(_ bytes: [UInt8]) {
    guard let message = try? JSONDecoder().decode(Self.self, from: Data(bytes)), case .object = message else {
      return nil
    }
    self = message
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self =
      if let members = try? container.decode([String: JSONMessage].self) {
        .object(members)
      } else if let text = try? container.decode(String.self) {
        .scalar(text)
      } else if let truth = try? container.decode(Bool.self) {
        .scalar("\(truth)")
      } else if let number = try? container.decode(Int.self) {
        .scalar("\(number)")
      } else if let number = try? container.decode(Double.self) {
        .scalar("\(number)")
      } else {
        .other
      }
  }

  /// The value at the end of these names; nil without one.
  package func value(at path: [String]) -> String? {
    switch self {
    case .scalar(let text): path.isEmpty ? text : nil
    case .object(let members): path.first.flatMap { members[$0]?.value(at: Array(path.dropFirst())) }
    case .other: nil
    }
  }

  /// A text as JSON has it. Settings have no control characters.
  package static func quoted(_ text: String) -> [UInt8] {
    Array("\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"".utf8)
  }
}
