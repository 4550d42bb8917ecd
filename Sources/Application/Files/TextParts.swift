import Hex

extension StringProtocol {
  /// The text without white space and line ends at both ends.
  package var trimmed: String { trimming(\.isWhitespace) }

  /// The text without such characters at both ends.
  func trimming(_ isDropped: (Character) -> Bool) -> String {
    guard let first = firstIndex(where: { !isDropped($0) }), let last = lastIndex(where: { !isDropped($0) })
    else { return "" }
    return String(self[first...last])
  }

  /// A path in ASCII; other bytes than letters, digits and `-_./` are percent-encoded, as in a URI.
  var percentEncodedPath: String {
    utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
        UInt8(ascii: "/"):
        String(UnicodeScalar(byte))
      default: "%" + byte.hex(digits: 2, uppercase: true)
      }
    }.joined()
  }
}
