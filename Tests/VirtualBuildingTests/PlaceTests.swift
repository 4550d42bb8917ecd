import Bluetooth
import Testing
import VirtualBuilding
import VirtualTime

@Suite("Positions in a virtual building")
struct PlaceTests {
  /// A radio without random effects.
  private static func plain(_ change: (inout RadioParameters) -> Void = { _ in }) -> RadioParameters {
    var radio = RadioParameters()
    (radio.shadowing, radio.fading) = (0, 0)
    (radio.pathLossExponent, radio.wallLoss, radio.floorLoss) = (2, 3, 18)
    change(&radio)
    return radio
  }

  private static func scenario(
    _ radio: RadioParameters = plain(), adapter: Place? = Place(x: 1, y: 1), sensors: [Place?],
    signal: SignalStrength = SignalStrength(base: -60), seed: UInt64 = 1
  ) -> Scenario {
    Scenario(
      seed: seed, radio: radio,
      adapters: [AdapterScenario(address: Building.adapter.address, name: "hci0", place: adapter)],
      sensors: sensors.enumerated().map {
        SensorScenario(address: Building.sensor(UInt64($0.offset + 1)), signal: signal, place: $0.element)
      })
  }

  private static func rssi(_ scenario: Scenario, _ number: Int = 1) -> Int? {
    scenario.signal(of: scenario.sensors[number - 1]).rssi(on: Building.adapter.address)
  }

  @Test(
    "the strength of a sensor depends on distance, walls and ceilings",
    arguments: [
      (Place(x: 2, y: 1), -59),
      // Ten times the distance is 20 dB less. The minimum distance is 0.1 m.
      (Place(x: 1, y: 1), -39), (Place(x: 1.01, y: 1), -39),
      // One wall per 5 m: none up to 4.9 m, one from 5.1 m, two from 11 m.
      (Place(x: 4.9, y: 1), -71), (Place(x: 5.1, y: 1), -74), (Place(x: 11, y: 1), -85),
      // In both directions, and below the origin.
      (Place(x: 6, y: 6), -82), (Place(x: -1, y: 1), -68),
      // One storey up is 3 m and one ceiling; two storeys are twice that.
      (Place(x: 1, y: 1, floor: 1), -87), (Place(x: 1, y: 1, floor: -2), -111),
    ])
  func strength(_ place: Place, _ expected: Int) {
    #expect(Self.rssi(Self.scenario(sensors: [place])) == expected)
  }

  @Test("a position changes neither an explicit strength nor a device without a position")
  func numbers() {
    let near = Place(x: 2, y: 1)
    let named = SignalStrength(base: -60, perAdapter: [Building.adapter.address: -80])
    #expect(Self.rssi(Self.scenario(sensors: [near], signal: named)) == -80)
    #expect(Self.rssi(Self.scenario(adapter: nil, sensors: [near])) == -60)
    #expect(Self.rssi(Self.scenario(sensors: [nil])) == -60)
  }

  @Test("shadowing is constant and depends only on the seed and the two addresses")
  func shadowing() {
    let radio = Self.plain { $0.shadowing = 3 }
    let places = Array(repeating: Place?(Place(x: 2, y: 1)), count: 400)
    func strengths(_ count: Int, seed: UInt64) -> [Int] {
      let scenario = Self.scenario(radio, sensors: Array(places.prefix(count)), seed: seed)
      return (1...count).compactMap { Self.rssi(scenario, $0) }
    }
    let all = strengths(400, seed: 1)
    #expect(all == strengths(400, seed: 1))
    #expect(Array(all.prefix(3)) == strengths(3, seed: 1), "other sensors change the strengths")
    #expect(all != strengths(400, seed: 2))
    let deviations = all.map { Double($0 + 59) }
    let mean = deviations.reduce(0, +) / 400
    let variance = deviations.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / 400
    #expect(abs(mean) < 0.6, "\(mean)")
    #expect((2.5...3.5).contains(variance.squareRoot()), "\(variance)")
  }

  @Test(
    "packet loss grows near the sensitivity, and below it every advertisement is lost",
    arguments: [(-89, 1.0...1.0), (-93, 0.3...0.7), (-96, 0.02...0.25), (-97, 0.0...0.0), (-120, 0.0...0.0)])
  func loss(_ rssi: Int, _ received: ClosedRange<Double>) async throws {
    let share = try await Building.run(
      radio: Self.plain { $0.duplicates = .every(.milliseconds(100)) },
      change: { $0.sensors[0].signal = SignalStrength(base: rssi) }
    ) { (building) async throws in
      try await building.reports(within: .seconds(21)) / 200
    }
    // The interval is 0.1 s plus up to 10 ms.
    #expect((received.lowerBound * 0.95...received.upperBound * 1.06).contains(share), "\(share)")
  }

  @Test("a sensor out of range cannot be connected to, even if one advertisement is received")
  func range() async throws {
    try await Building.run(
      radio: Self.plain { $0.fading = 6 }, change: { $0.sensors[0].signal = SignalStrength(base: -98) }
    ) { (building) async throws in
      try #require(try await building.receive() != nil)
      let link = try await building.within(.seconds(30)) {
        try await building.central.connect(to: Building.sensor(1), on: Building.adapter)
      }
      #expect(link == nil)
    }
  }

  @Test("each adapter receives its own part of the building")
  func parts() async throws {
    let received = try await Building.run([[], [], []], radio: Self.plain()) { scenario in
      scenario.adapters[0].place = Place(x: 2, y: 2)
      scenario.adapters[1].place = Place(x: 42, y: 2)
      for (index, x) in [4.0, 22, 40].enumerated() { scenario.sensors[index].place = Place(x: x, y: 2) }
    } _: { (building) async throws in
      var received: [[Int]] = []
      for adapter in [Building.adapter, Building.secondAdapter] {
        var numbers: [Int] = []
        for number in 1...3 where try await building.receives(number, on: adapter) { numbers.append(number) }
        received.append(numbers)
      }
      return received
    }
    // The one in the middle is 20 m and four walls away: -97 dBm.
    #expect(received == [[1], [3]])
  }
}

extension Building {
  /// The number of reports of the first sensor within a time.
  fileprivate func reports(within time: Duration) async throws -> Double {
    let end = clock.now.advanced(by: time)
    var count = 0.0
    while try await receive(within: clock.now.duration(to: end)) != nil { count += 1 }
    return count
  }

  fileprivate func receives(_ number: Int, on adapter: AdapterID) async throws -> Bool {
    try await receive(Self.sensor(UInt64(number)), on: adapter, within: .seconds(3)) != nil
  }
}
