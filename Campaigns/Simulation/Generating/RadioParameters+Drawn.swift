import VirtualBuilding

extension RadioParameters {
  /// A radio whose parameters are better or worse than the measured ones.
  static func drawn(_ generator: SeededGenerator) -> Self {
    var chance = generator
    func scaled(_ range: ClosedRange<Duration>, by factors: ClosedRange<Double>) -> ClosedRange<Duration> {
      let factor = Double.random(in: factors, using: &chance)
      return range.lowerBound * factor...range.upperBound * factor
    }
    var radio = RadioParameters()
    radio.advertisingInterval = .milliseconds(Int.random(in: 50...300, using: &chance))
    let interval = Duration.milliseconds(Int.random(in: 300...600, using: &chance))
    radio.duplicates = chance.chance(0.75) ? .oncePerScan : .every(interval)
    radio.fading = Int.random(in: 0...8, using: &chance)
    radio.connect = scaled(radio.connect, by: 0.5...3)
    radio.connectQueued = scaled(radio.connectQueued, by: 0.5...3)
    radio.resolve = scaled(radio.resolve, by: 0.5...3)
    radio.roundTrip = scaled(radio.roundTrip, by: 0.5...2)
    radio.subscribe = scaled(radio.subscribe, by: 0.5...2)
    radio.disconnect = scaled(radio.disconnect, by: 0.3...1.5)
    radio.restart = scaled(radio.restart, by: 0.5...2)
    radio.lateCharacteristics = Double.random(in: 0...1, using: &chance)
    // At least as many slots as the smallest common dongle.
    radio.slotsPerAdapter = Int.random(in: 3...9, using: &chance)
    radio.firstExchange = scaled(radio.firstExchange, by: 0.5...3)
    return radio
  }
}
