import Model

/// A time span to the millisecond, up to 49 days, in 4 bytes: reports hold hundreds of thousands of them.
package struct ShortDuration: Hashable, Sendable, Comparable {
  private let milliseconds: UInt32

  /// A time span, rounded. A negative value or NaN counts as zero.
  package init(seconds: Double) {
    let rounded = (seconds * 1000).rounded()
    milliseconds = rounded > 0 ? UInt32(exactly: min(rounded, Double(UInt32.max))) ?? 0 : 0
  }

  /// A time span, rounded. A negative value counts as zero.
  package init(_ duration: Duration) {
    self.init(seconds: duration.inSeconds)
  }

  package var seconds: Double { Double(milliseconds) / 1000 }

  /// The shorter one first.
  package static func < (a: Self, b: Self) -> Bool { a.milliseconds < b.milliseconds }
}

/// A value behind a reference: where it is seldom there, its absence takes 8 bytes and not its size.
indirect enum Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
  case value(Value)

  init(_ value: Value) { self = .value(value) }

  var value: Value {
    switch self {
    case .value(let value): value
    }
  }
}
