import ArgumentParser

/// How many rooms may fail before no more are begun: so many, or so many in a hundred.
enum FailureAllowance: Hashable, Sendable, ExpressibleByArgument {
  case number(Int)
  case percent(Int)

  init?(argument: String) {
    let isPercent = argument.hasSuffix("%")
    guard let number = Int(isPercent ? argument.dropLast() : argument[...]), number >= 0 else { return nil }
    if isPercent, number > 100 { return nil }
    self = isPercent ? .percent(number) : .number(number)
  }

  /// How many of so many rooms.
  func limit(of rooms: Int) -> Int {
    switch self {
    case .number(let number): number
    case .percent(let percent): rooms * percent / 100
    }
  }
}
