import Bluetooth

/// What a parser made of an input, in words that do not depend on the order of a dictionary.
enum Observation {
  /// Receives it; nil while nobody compares.
  @TaskLocal static var receiver: (@Sendable (String) -> Void)?

  static func take(_ value: @autoclosure () -> Any) {
    guard let receiver else { return }
    receiver(words(value()))
  }

  private static func words(_ value: Any) -> String {
    if let text = value as? String { return text }
    // It has a number that follows from the order of all tests.
    if let host = value as? HostName { return host.text }
    if let adapter = value as? AdapterID { return "\(adapter.address) \(adapter.host?.text ?? "")" }
    if let bytes = value as? [UInt8] { return bytes.description }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .dictionary, .set:
      return "{" + mirror.children.map { words($0.value) }.sorted().joined(separator: ",") + "}"
    case .collection, .tuple:
      return "[" + mirror.children.map { words($0.value) }.joined(separator: ",") + "]"
    case .optional: return mirror.children.first.map { words($0.value) } ?? "nil"
    case .enum where mirror.children.isEmpty: return "\(value)"
    case .struct, .class, .enum:
      let parts = mirror.children.map { "\($0.label ?? "")=\(words($0.value))" }
      // What describes itself may have an address of memory inside.
      return parts.isEmpty ? "\(value)" : "(" + parts.joined(separator: ",") + ")"
    default: return mirror.children.isEmpty ? scalar(value) : "?"
    }
  }

  /// A function has no words.
  private static func scalar(_ value: Any) -> String {
    let words = "\(value)"
    return words == "(Function)" ? "" : words
  }
}
