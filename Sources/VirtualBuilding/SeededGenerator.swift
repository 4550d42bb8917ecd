import Synchronization

/// A small, fast random generator that is fully determined by its seed: SplitMix64 (Steele, Lea, Flood 2014).
/// Not suitable for secrets.
///
/// `split` gives each part of a simulation its own sequence, so that an additional draw in one part does not
/// change the draws of the others.
package struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
  /// The seed that determines the sequence.
  package let seed: UInt64
  private var state: UInt64

  /// Creates the generator of a seed. Equal seeds give equal sequences.
  package init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  /// Returns a generator for a part of the simulation. It depends only on this generator's seed and on the
  /// label, not on earlier draws.
  package func split(_ label: String) -> SeededGenerator {
    // FNV-1a, because Swift's own hashes differ between processes.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in label.utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
    return SeededGenerator(seed: Self.mix(seed ^ Self.mix(hash)))
  }

  /// Same as above, for a numbered part.
  package func split(_ number: UInt64) -> SeededGenerator {
    SeededGenerator(seed: Self.mix(seed ^ Self.mix(number &+ 0x9E37_79B9_7F4A_7C15)))
  }

  /// Bytes of this generator, one after the other, for keys that no one must guess only in reality.
  package func bytes() -> @Sendable (_ count: Int) -> [UInt8] {
    let generator = Mutex(self)
    return { count in
      generator.withLock { generator in (0..<count).map { _ in .random(in: 0...255, using: &generator) } }
    }
  }

  /// Draws a duration from a range, with nanosecond resolution.
  package mutating func duration(in range: ClosedRange<Duration>) -> Duration {
    let span = (range.upperBound - range.lowerBound) / .nanoseconds(1)
    return range.lowerBound + .nanoseconds(Int64.random(in: 0...Int64(span), using: &self))
  }

  /// Returns true with this probability, 0…1.
  package mutating func chance(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
