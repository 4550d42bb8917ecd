extension String {
  /// How much of a text from outside is kept.
  public static let mostBytesFromOutside = 4096

  /// This text, or where it is longer than that its beginning and its length: nothing that comes over the air or the bus decides
  /// how much is stored. There is no digest of the whole: a password that is taken out of what is kept could be found by it.
  /// - Parameter limit: how many bytes of UTF-8 are kept, at most 3 fewer where a character ends beyond them.
  public func bounded(to limit: Int = mostBytesFromOutside) -> String {
    let bytes = utf8
    guard bytes.count > limit else { return self }
    var end = bytes.index(bytes.startIndex, offsetBy: limit)
    while end.samePosition(in: unicodeScalars) == nil { end = bytes.index(before: end) }
    return "\(self[..<end])… [\(bytes.count) bytes]"
  }
}
