extension String {
  /// The limit for text from outside, in bytes of UTF-8, less up to 3 if a character crosses it.
  package static let mostBytesFromOutside = 4096

  /// The text, or, if it is longer than the limit, its beginning and its length. Data from the air or the bus
  /// must not decide how much is stored. There is no digest of the full text, because a digest would help to
  /// guess a password that is later removed from the stored text.
  package func bounded() -> String {
    let bytes = utf8
    guard bytes.count > Self.mostBytesFromOutside else { return self }
    var end = bytes.index(bytes.startIndex, offsetBy: Self.mostBytesFromOutside)
    while end.samePosition(in: unicodeScalars) == nil { end = bytes.index(before: end) }
    return "\(self[..<end])… [\(bytes.count) bytes]"
  }
}
