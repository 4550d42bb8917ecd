import Bluetooth
import Engine
import EventLoop
import LowerBound
import Model
import Reporting
import Testing
import VirtualBuilding

/// Each step of the program and of bluetoothd takes longer on a busy computer. That alone is no reason to scan in
/// the middle of a run.
@Suite("a run on a slow host", .timeLimit(.minutes(60)))
struct SlowHostScenarios {
  private static let adapters = (0..<3).map {
    AdapterScenario(address: BluetoothAddress(rawValue: 0x001A_7DDA_7113 + UInt64($0)), name: "hci\($0)")
  }

  /// The radio as it appears on a host that takes this much longer for each step, and for each call so much more.
  private static func slowed(
    _ radio: RadioParameters, by delay: ClosedRange<Duration>, call: Duration = .zero
  ) -> RadioParameters {
    func later(_ range: ClosedRange<Duration>) -> ClosedRange<Duration> {
      (range.lowerBound + delay.lowerBound + call)...(range.upperBound + delay.upperBound + call)
    }
    var radio = radio
    let mean = (delay.lowerBound + delay.upperBound) / 2
    (radio.connect, radio.connectQueued) = (later(radio.connect), later(radio.connectQueued))
    (radio.resolve, radio.subscribe) = (later(radio.resolve), later(radio.subscribe))
    radio.roundTrip = later(radio.roundTrip)
    radio.discoveryStart += mean + call * 2
    radio.discoveryStop += mean + call
    return radio
  }

  @Test(
    "120 rooms over three adapters take at most 1.3 times the least time of that host, on average",
    arguments: [
      .zero ... .zero, .milliseconds(50)...(.milliseconds(200)), .milliseconds(50)...(.milliseconds(500)),
    ] as [ClosedRange<Duration>])
  func pace(delay: ClosedRange<Duration>) async throws {
    // Which device comes last, and how late, is chance: the mean counts.
    let seeds: ClosedRange<UInt64> = delay.upperBound == .zero ? 1...1 : 1...8
    var ratios: [Double] = []
    for seed in seeds {
      let (run, least) = try await Self.run(delay, seed)
      if seed == 1 { try expectFewWindows(run) }
      ratios.append(run.took / least)
    }
    #expect(ratios.reduce(0, +) / Double(ratios.count) <= 1.3, "\(ratios)")
  }

  /// A run on such a host, and the host's least time for it.
  private static func run(
    _ delay: ClosedRange<Duration>, _ seed: UInt64
  ) async throws -> (StackedRun, least: Duration) {
    let radio = slowed(RadioParameters(), by: delay)
    let random = Lock(SeededGenerator(seed: seed))
    let run = try await StackedRun.apply(
      (1...120).map { StackedRun.room($0, retries: 2) }, (1...120).map { StackedRun.sensor($0) },
      delay: { random.withLock { $0.duration(in: (delay.lowerBound / 4)...(delay.upperBound / 4)) } },
      scenario: { ($0.adapters, $0.radio) = (Self.adapters, radio) })
    #expect(run.result?.outcome == .complete, "\(run.summary)")
    // Each message takes an eighth of a step on average: half of `delay`'s fourth. A call is two messages.
    let seen = Self.slowed(
      RadioParameters(), by: delay, call: (delay.lowerBound + delay.upperBound) / 4)
    let bound = LowerBound(
      radio: seen, session: .roboSensor(in: seen),
      turns: .init(survey: .seconds(3), calling: .seconds(23), window: .milliseconds(1200)))
    return (run, bound.makespan(of: 120, on: 3))
  }

  private func expectFewWindows(_ run: StackedRun) throws {
    let connects = run.events.filter {
      if case .stageEnded(let fact) = $0.fact, fact.stage == .connect { true } else { false }
    }
    let last = try #require(connects.last?.elapsed)
    // Its sightings serve an adapter for 25 s, however long its connections take.
    var stopped: [AdapterID: Duration] = [:]
    for event in run.events where event.elapsed < last {
      switch event.fact {
      case .scanStarted(let fact):
        guard let earlier = stopped[fact.adapter] else { continue }
        #expect(event.elapsed - earlier > .seconds(10), "\(fact.adapter) scans again at \(event.elapsed)")
      case .scanStopped(let fact): stopped[fact.adapter] = event.elapsed
      default: continue
      }
    }
  }
}
