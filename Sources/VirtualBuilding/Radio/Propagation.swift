import Glibc

/// Signal strength from positions: docs/internals/radio-model.md, "Strength, loss and range".
extension RadioParameters {
  /// The mean strength of a sensor in dBm: log-distance path loss, with each wall and ceiling counted.
  /// - Parameter shadow: The effect of other permanent obstacles in dB; positive is a gain.
  func meanRSSI(from place: Place, to other: Place, shadow: Double) -> Int {
    let metres = max(place.distance(to: other, storeyHeight: storeyHeight), 0.1)
    let loss =
      10 * pathLossExponent * log10(metres) + wallLoss * Double(place.walls(to: other, spacing: wallSpacing))
      + floorLoss * Double((place.floor - other.floor).magnitude)
    return Int((atOneMetre - loss + shadow).rounded())
  }

  /// The probability that a packet of this strength is lost: 0 from `marginal` dB above the sensitivity, 1
  /// below the sensitivity, linear in between.
  func loss(at rssi: Int) -> Double {
    min(max(Double(sensitivity + marginal - rssi) / Double(marginal), 0), 1)
  }

  /// Whether a link is possible at this mean strength.
  func isInRange(_ rssi: Int) -> Bool { rssi >= sensitivity }
}

extension SeededGenerator {
  /// Draws from the normal distribution with mean 0 and standard deviation 1 (Box and Muller 1958).
  mutating func normal() -> Double {
    let radius = (-2 * log(Double.random(in: Double.leastNonzeroMagnitude..<1, using: &self))).squareRoot()
    return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
  }
}
