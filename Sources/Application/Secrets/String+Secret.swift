extension String {
  /// Whether two texts are the same. It takes the same time for all texts of the same length, so that nobody finds a secret
  /// by the time that guesses take.
  func isSecret(_ other: String) -> Bool {
    utf8.count == other.utf8.count && zip(utf8, other.utf8).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
