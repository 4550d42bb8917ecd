extension StringProtocol {
  /// The text without white space and line ends at both ends.
  package var trimmed: String { trimming(\.isWhitespace) }

  /// The text without such characters at both ends.
  package func trimming(_ isDropped: (Character) -> Bool) -> String {
    guard let first = firstIndex(where: { !isDropped($0) }), let last = lastIndex(where: { !isDropped($0) })
    else { return "" }
    return String(self[first...last])
  }
}
