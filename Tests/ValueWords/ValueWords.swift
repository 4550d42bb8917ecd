import Bluetooth

/// A value in words that depend neither on the order of a dictionary nor on other tests.
package func words(of value: Any) -> String {
  if let text = value as? String { return text }
  // It has a number that follows from the order of all tests.
  if let host = value as? HostName { return host.text }
  if let adapter = value as? AdapterID { return "\(adapter.address) \(adapter.host?.text ?? "")" }
  if let bytes = value as? [UInt8] { return bytes.description }
  let mirror = Mirror(reflecting: value)
  switch mirror.displayStyle {
  case .dictionary, .set:
    return "{" + mirror.children.map { words(of: $0.value) }.sorted().joined(separator: ",") + "}"
  case .collection, .tuple:
    return "[" + mirror.children.map { words(of: $0.value) }.joined(separator: ",") + "]"
  case .optional: return mirror.children.first.map { words(of: $0.value) } ?? "nil"
  case .enum where mirror.children.isEmpty: return "\(value)"
  case .struct, .class, .enum:
    let parts = mirror.children.map { "\($0.label ?? "")=\(words(of: $0.value))" }
    // What describes itself may have an address of memory inside.
    return parts.isEmpty ? "\(value)" : "(" + parts.joined(separator: ",") + ")"
  default: return mirror.children.isEmpty ? scalar(value) : "?"
  }
}

/// A function has no words.
private func scalar(_ value: Any) -> String {
  let words = "\(value)"
  return words == "(Function)" ? "" : words
}
