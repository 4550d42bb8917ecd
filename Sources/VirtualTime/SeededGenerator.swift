/// A small, fast generator whose whole sequence follows from one number: SplitMix64 (Steele, Lea, Flood 2014).
/// Not for anything secret.
///
/// `split` gives every part of a simulation a sequence of its own, so that one more draw in one place
/// does not change what all the others draw.
public struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
  /// The number everything follows from.
  public let seed: UInt64
  private var state: UInt64

  /// The generator of a seed; equal seeds give equal sequences.
  public init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  /// A generator for a part of the whole. It depends on this one's seed and the label only, not on how
  /// much was drawn already.
  public func split(_ label: String) -> SeededGenerator {
    // FNV-1a: Swift's own hashes differ from process to process.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in label.utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
    return SeededGenerator(seed: Self.mix(seed ^ Self.mix(hash)))
  }

  /// The same for a part that has a number.
  public func split(_ number: UInt64) -> SeededGenerator {
    SeededGenerator(seed: Self.mix(seed ^ Self.mix(number &+ 0x9E37_79B9_7F4A_7C15)))
  }

  /// A duration within a range, to the nanosecond.
  public mutating func duration(in range: ClosedRange<Duration>) -> Duration {
    let span = (range.upperBound - range.lowerBound) / .nanoseconds(1)
    return range.lowerBound + .nanoseconds(Int64.random(in: 0...Int64(span), using: &self))
  }

  /// True with this probability, 0…1.
  public mutating func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
