/// How long calls to another host take by the network alone, smoothed as TCP does it (RFC 6298).
struct RoundTrip: Hashable, Sendable {
  private var mean: Duration?
  private var deviation = Duration.zero

  /// A time that a call rarely exceeds; nil before the first call.
  var limit: Duration? { mean.map { $0 + deviation * 4 } }

  mutating func take(_ time: Duration) {
    guard let mean else { return (self.mean, deviation) = (time, time / 2) }
    deviation = deviation * 0.75 + max(mean - time, time - mean) * 0.25
    self.mean = mean * 0.875 + time * 0.125
  }
}
