import Hex

/// The format of JSON output.
package enum JSONText {
  /// The same JSON with every scalar escaped that a terminal or an editor would interpret: JSON permits DEL,
  /// C1 controls, line separators and bidirectional marks in strings.
  /// - Parameter json: valid JSON in UTF-8.
  package static func escaped(_ json: [UInt8]) -> [UInt8] {
    guard json.contains(where: { $0 >= 0x7F }) else { return json }
    var result: [UInt8] = []
    result.reserveCapacity(json.count)
    for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
      // The syntax of JSON is ASCII, and so are the controls between values.
      if scalar.value >= 0x7F, scalar.isControlling {
        for unit in UTF16.encode(scalar) ?? .init() {
          result += Array("\\u\(unit.hex(digits: 4))".utf8)
        }
      } else {
        result += UTF8.encode(scalar) ?? .init()
      }
    }
    return result
  }
}
