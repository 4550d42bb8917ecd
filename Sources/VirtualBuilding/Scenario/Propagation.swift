import Bluetooth
import Foundation
import VirtualTime

/// From places to strengths: docs/radio-model.md, "Strength, loss and range".
extension Scenario {
  /// How strongly the adapters hear a sensor, before fading. What `SensorScenario.signal` says of an adapter by name
  /// counts first; then what follows from the places of both, where both have one; then its `base`.
  ///
  /// Follows from the seed and the two addresses alone: who else is in the building changes nothing.
  public func signal(of sensor: SensorScenario) -> Signal {
    guard let place = sensor.place else { return sensor.signal }
    var signal = sensor.signal
    let chance = SeededGenerator(seed: seed).split("shadowing").split(sensor.address.rawValue)
    for adapter in adapters {
      guard let end = adapter.place, signal.perAdapter[adapter.address] == nil else { continue }
      var shadow = chance.split(adapter.address.rawValue)
      signal.perAdapter[adapter.address] = radio.meanRSSI(
        from: place, to: end, shadow: shadow.normal() * radio.shadowing)
    }
    return signal
  }
}

extension RadioParameters {
  /// The mean strength of a sensor over time, dBm: log-distance path loss, with walls and ceilings counted one by one.
  /// - Parameter shadow: what else lies between the two for good, dB; positive is a gain.
  func meanRSSI(from place: Place, to other: Place, shadow: Double) -> Int {
    let metres = max(place.distance(to: other, storeyHeight: storeyHeight), 0.1)
    let loss =
      10 * pathLossExponent * log10(metres) + wallLoss * Double(place.walls(to: other, spacing: wallSpacing))
      + floorLoss * Double(abs(place.floor - other.floor))
    return Int((atOneMetre - loss + shadow).rounded())
  }

  /// How probable it is that a packet of this strength is not received: nothing is lost up to `marginal` dB above the
  /// sensitivity, everything is below it, evenly more in between.
  func loss(at rssi: Int) -> Double {
    min(max(Double(sensitivity + marginal - rssi) / Double(marginal), 0), 1)
  }

  /// Whether a link can be made to what is heard this strongly on average.
  func isInRange(_ rssi: Int) -> Bool { rssi >= sensitivity }
}

extension SeededGenerator {
  /// A draw from the normal distribution with mean 0 and deviation 1 (Box and Muller 1958).
  fileprivate mutating func normal() -> Double {
    let radius = (-2 * log(Double.random(in: Double.leastNonzeroMagnitude..<1, using: &self))).squareRoot()
    return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
  }
}
