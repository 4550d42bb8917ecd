/// How many values lie in each of a few ranges of the same width.
struct Histogram: Hashable, Sendable {
  /// A range, from `from` up to and without `to`, and how many values lie in it.
  struct Bin: Hashable, Sendable {
    let from: Double
    let to: Double
    var count = 0
  }

  /// The ranges, in order, also those without a value in between.
  private(set) var bins: [Bin] = []
  /// The smallest value, the middle one and the largest one; nil without values.
  let spread: Spread?

  /// The extremes of some values, and the one in the middle.
  struct Spread: Hashable, Sendable {
    let least: Double
    let median: Double
    let most: Double
  }

  /// The values in ranges that are `steps[…]` wide: the first that needs at most 12 of them.
  init(_ values: [Double], steps: [Double]) {
    let sorted = values.filter(\.isFinite).sorted()
    guard let least = sorted.first, let most = sorted.last else {
      spread = nil
      return
    }
    spread = Spread(least: least, median: sorted[sorted.count / 2], most: most)
    func first(_ step: Double) -> Double { (least / step).rounded(.down) * step }
    func count(_ step: Double) -> Int { Int(min(1e6, ((most - first(step)) / step).rounded(.down))) + 1 }
    let step = steps.first { count($0) <= 12 } ?? max(1, (most - least) / 10)
    let begin = first(step)
    bins = (0..<count(step)).map { Bin(from: begin + Double($0) * step, to: begin + Double($0 + 1) * step) }
    for value in sorted {
      let place = Int(((value - begin) / step).rounded(.down))
      bins[min(max(place, 0), bins.count - 1)].count += 1
    }
  }
}
