import Hex
import YAML

extension TextCollection {
  /// The content of all texts without secrets: that of the manifest, or a list of all texts in the order in
  /// which the manifest names them. A table is a list of rows, each a list of cells; below the header, the
  /// cells of a column that gives no key are empty.
  func content(without secretKeys: SecretKeys) -> [UInt8] {
    let contents = texts.map { ($0.content ?? $0.root)?.content(without: secretKeys) ?? [] }
    let list = Array(contents.joined(separator: ",".utf8))
    return contents.count > 1 ? Array("[".utf8) + list + Array("]".utf8) : list
  }
}

extension YAMLNode {
  /// The tree as compact JSON without secrets: scalars as strings, keys in the order of the text, aliases
  /// expanded, no comments, and null for each text that is secret. The source of a secret is not secret.
  func content(without secretKeys: SecretKeys) -> [UInt8] {
    var json: [UInt8] = []
    write(to: &json, secretKeys)
    return json
  }

  /// - Parameter isSecret: Whether the texts of its entries are secret.
  private func write(to json: inout [UInt8], _ secretKeys: SecretKeys, isSecret: Bool = false) {
    switch content {
    case .scalar(let text, _): Self.quote(text, to: &json)
    case .sequence(let items):
      json.append(UInt8(ascii: "["))
      for (index, item) in items.enumerated() {
        if index > 0 { json.append(UInt8(ascii: ",")) }
        item.write(to: &json, secretKeys)
      }
      json.append(UInt8(ascii: "]"))
    case .mapping(let entries):
      json.append(UInt8(ascii: "{"))
      for (index, entry) in entries.enumerated() {
        if index > 0 { json.append(UInt8(ascii: ",")) }
        Self.quote(entry.key, to: &json)
        json.append(UInt8(ascii: ":"))
        if entry.value.text != nil, isSecret || secretKeys.texts.contains(entry.key) {
          json += Array("null".utf8)
        } else {
          entry.value.write(to: &json, secretKeys, isSecret: secretKeys.mappings.contains(entry.key))
        }
      }
      json.append(UInt8(ascii: "}"))
    }
  }

  private static func quote(_ text: String, to json: inout [UInt8]) {
    json.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): json += [UInt8(ascii: "\\"), byte]
      case ..<0x20: json += Array("\\u\(byte.hex(digits: 4))".utf8)
      default: json.append(byte)
      }
    }
    json.append(UInt8(ascii: "\""))
  }
}
