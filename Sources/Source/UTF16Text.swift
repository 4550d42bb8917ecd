/// UTF-16 with a byte order mark, in which Excel writes “Unicode text”.
enum UTF16Text {
  /// The text in UTF-8, without the mark; nil if it is not valid.
  static func decoded(_ bytes: [UInt8], isBigEndian: Bool) -> [UInt8]? {
    guard bytes.count.isMultiple(of: 2) else { return nil }
    let units = stride(from: 2, to: bytes.count, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isBigEndian ? first << 8 | second : second << 8 | first
    }
    return String(validating: units, as: UTF16.self).map { Array($0.utf8) }
  }

  static func encoded(_ text: [UInt8], isBigEndian: Bool) -> [UInt8] {
    ([0xFEFF] + Array(String(decoding: text, as: UTF8.self).utf16)).flatMap { unit in
      let (high, low) = (UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit))
      return isBigEndian ? [high, low] : [low, high]
    }
  }
}
