import Model

/// The number of rooms that may fail before no further room begins: a number, or a percentage.
package enum FailureAllowance: Hashable, Sendable {
  case number(Int)
  case percent(Int)

  /// Reads `5` or `5%`; nil for another text.
  package init?(argument: String) {
    let isPercent = argument.hasSuffix("%")
    let number = isPercent ? Int(argument.dropLast(), in: 0...100) : Int(argument, in: 0...1_000_000)
    guard let number else { return nil }
    self = isPercent ? .percent(number) : .number(number)
  }

  /// The number for a total number of rooms.
  func limit(of rooms: Int) -> Int {
    switch self {
    case .number(let number): number
    case .percent(let percent): rooms * percent / 100
    }
  }
}
