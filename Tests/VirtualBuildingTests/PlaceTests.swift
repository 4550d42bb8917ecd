import Bluetooth
import Testing
import VirtualBuilding
import VirtualTime

@Suite("Places in a virtual building")
struct PlaceTests {
  /// A radio in which nothing is left to chance.
  private static func plain(_ change: (inout RadioParameters) -> Void = { _ in }) -> RadioParameters {
    var radio = RadioParameters()
    (radio.shadowing, radio.fading) = (0, 0)
    (radio.pathLossExponent, radio.wallLoss, radio.floorLoss) = (2, 3, 18)
    change(&radio)
    return radio
  }

  private static func scenario(
    _ radio: RadioParameters = plain(), adapter: Place? = Place(x: 1, y: 1), sensors: [Place?],
    signal: Signal = Signal(base: -60), seed: UInt64 = 1
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
    "say how strongly a sensor is heard: by distance, walls and ceilings",
    arguments: [
      (Place(x: 2, y: 1), -59),
      // Ten times as far is 20 dB less; a hundred times, and never nearer than a hand's breadth.
      (Place(x: 1, y: 1), -39), (Place(x: 1.01, y: 1), -39),
      // A wall every 5 m: none up to 4.9, one from 5.1, two from 11 on.
      (Place(x: 4.9, y: 1), -71), (Place(x: 5.1, y: 1), -74), (Place(x: 11, y: 1), -85),
      // Across and along, and below the origin.
      (Place(x: 6, y: 6), -82), (Place(x: -1, y: 1), -68),
      // One storey up is 3 m of way and a ceiling; two are two.
      (Place(x: 1, y: 1, floor: 1), -87), (Place(x: 1, y: 1, floor: -2), -111),
    ])
  func strength(_ place: Place, _ expected: Int) {
    #expect(Self.rssi(Self.scenario(sensors: [place])) == expected)
  }

  @Test("leave alone what is said by number, and whom nobody has placed")
  func numbers() {
    let near = Place(x: 2, y: 1)
    let named = Signal(base: -60, perAdapter: [Building.adapter.address: -80])
    #expect(Self.rssi(Self.scenario(sensors: [near], signal: named)) == -80)
    #expect(Self.rssi(Self.scenario(adapter: nil, sensors: [near])) == -60)
    #expect(Self.rssi(Self.scenario(sensors: [nil])) == -60)
  }

  @Test("are each shadowed for good, by the seed and the two addresses alone")
  func shadowing() {
    let radio = Self.plain { $0.shadowing = 3 }
    let places = Array(repeating: Place?(Place(x: 2, y: 1)), count: 400)
    func strengths(_ count: Int, seed: UInt64) -> [Int] {
      let scenario = Self.scenario(radio, sensors: Array(places.prefix(count)), seed: seed)
      return (1...count).compactMap { Self.rssi(scenario, $0) }
    }
    let all = strengths(400, seed: 1)
    #expect(all == strengths(400, seed: 1))
    #expect(Array(all.prefix(3)) == strengths(3, seed: 1), "whoever else is in the building")
    #expect(all != strengths(400, seed: 2))
    let deviations = all.map { Double($0 + 59) }
    let mean = deviations.reduce(0, +) / 400
    let variance = deviations.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / 400
    #expect(abs(mean) < 0.6, "\(mean)")
    #expect((2.5...3.5).contains(variance.squareRoot()), "\(variance)")
  }

  @Test(
    "lose more and more advertisements near the sensitivity, and all below it",
    arguments: [(-89, 1.0...1.0), (-93, 0.3...0.7), (-96, 0.02...0.25), (-97, 0.0...0.0), (-120, 0.0...0.0)])
  func loss(_ rssi: Int, _ heard: ClosedRange<Double>) async throws {
    let share = try await Building.run(
      radio: Self.plain { $0.duplicates = .every(.milliseconds(100)) },
      change: { $0.sensors[0].signal = Signal(base: rssi) }
    ) { (building) async throws in
      try await building.reports(within: .seconds(21)) / 200
    }
    // An interval is 0.1 s and up to 10 ms more.
    #expect((heard.lowerBound * 0.95...heard.upperBound * 1.06).contains(share), "\(share)")
  }

  @Test("connect to nobody who is out of range, though a lucky advertisement may be heard")
  func range() async throws {
    try await Building.run(
      radio: Self.plain { $0.fading = 6 }, change: { $0.sensors[0].signal = Signal(base: -98) }
    ) { (building) async throws in
      try #require(try await building.hear() != nil)
      let link = try await building.within(.seconds(30)) {
        try await building.central.connect(to: Building.sensor(1), on: Building.adapter)
      }
      #expect(link == nil)
    }
  }

  @Test("let each adapter hear its own part of the building")
  func parts() async throws {
    let heard = try await Building.run([[], [], []], radio: Self.plain()) { scenario in
      scenario.adapters[0].place = Place(x: 2, y: 2)
      scenario.adapters[1].place = Place(x: 42, y: 2)
      for (index, x) in [4.0, 22, 40].enumerated() { scenario.sensors[index].place = Place(x: x, y: 2) }
    } _: { (building) async throws in
      var heard: [[Int]] = []
      for adapter in [Building.adapter, Building.secondAdapter] {
        var numbers: [Int] = []
        for number in 1...3 where try await building.hears(number, on: adapter) { numbers.append(number) }
        heard.append(numbers)
      }
      return heard
    }
    // The one in the middle is 20 m and four walls away: -97 dBm.
    #expect(heard == [[1], [3]])
  }
}

extension Building {
  /// How often the first sensor was reported in a time.
  fileprivate func reports(within time: Duration) async throws -> Double {
    let end = clock.now.advanced(by: time)
    var count = 0.0
    while try await hear(within: clock.now.duration(to: end)) != nil { count += 1 }
    return count
  }

  fileprivate func hears(_ number: Int, on adapter: AdapterID) async throws -> Bool {
    try await hear(Self.sensor(UInt64(number)), on: adapter, within: .seconds(3)) != nil
  }
}
