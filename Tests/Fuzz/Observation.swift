import ValueWords

/// What a parser made of an input, in words that do not depend on the order of a dictionary.
enum Observation {
  /// Receives it; nil while nobody compares.
  @TaskLocal static var receiver: (@Sendable (String) -> Void)?

  static func take(_ value: @autoclosure () -> Any) {
    guard let receiver else { return }
    receiver(words(of: value()))
  }
}
