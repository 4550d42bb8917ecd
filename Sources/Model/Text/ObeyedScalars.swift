import Hex

extension Unicode.Scalar {
  /// Whether a terminal, an editor or a spreadsheet obeys it instead of showing it: control characters (C1 among them), line
  /// separators, and marks that reorder text.
  public var isObeyed: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    // Joiners (U+200C, U+200D) and the marks of flags hold letters and emoji together; the rest, above all
    // the bidirectional controls, can make a line read otherwise than it is.
    case .format: !(value == 0x200C || value == 0x200D || (0xE0020...0xE007F).contains(value))
    default: false
    }
  }
}

/// JSON as our files have it.
public enum JSONText {
  /// The same JSON with everything escaped that a terminal or an editor would obey: JSON lets DEL, C1 controls, line
  /// separators and bidirectional marks stand in a string as they are.
  /// - Parameter json: valid JSON in UTF-8.
  public static func escaped(_ json: [UInt8]) -> [UInt8] {
    guard json.contains(where: { $0 >= 0x7F }) else { return json }
    var result: [UInt8] = []
    result.reserveCapacity(json.count)
    for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
      // What has a meaning to JSON is ASCII, and so are the controls that stand between values.
      if scalar.value >= 0x7F, scalar.isObeyed {
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
