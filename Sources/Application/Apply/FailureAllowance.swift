/// The number of rooms that may fail before no further room begins: a number, or a percentage.
package enum FailureAllowance: Hashable, Sendable {
  case number(Int)
  case percent(Int)

  /// Reads `5` or `5%`; nil for another text.
  package init?(argument: String) {
    let isPercent = argument.hasSuffix("%")
    guard let number = Int(isPercent ? argument.dropLast() : argument[...]), number >= 0 else { return nil }
    if isPercent, number > 100 { return nil }
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
