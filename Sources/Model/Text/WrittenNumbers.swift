extension FixedWidthInteger {
  /// Reads a number that was written elsewhere; nil for another text, and outside of `bounds`. Whoever reads it states
  /// there what later arithmetic can hold: `make lint` refuses other ways to read a number.
  package init?(_ text: some StringProtocol, radix: Int = 10, in bounds: ClosedRange<Self>) {
    guard let number = Self(text, radix: radix), bounds.contains(number) else { return nil }
    self = number
  }
}

extension Double {
  /// Reads a number that was written elsewhere; nil for another text, and outside of `bounds`.
  package init?(_ text: some StringProtocol, in bounds: ClosedRange<Double>) {
    guard let number = Double(text), bounds.contains(number) else { return nil }
    self = number
  }
}
