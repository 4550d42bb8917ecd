import LowerBound
import Testing
import VirtualBuilding

@Suite("The lower bound of a run")
struct LowerBoundTests {
  /// A bound with round numbers: a connection takes 0.2 s, a link 2 s, and a scan window costs 1.5 s of
  /// connecting.
  private static func bound(
    slots: Int = 5, link: Double = 2, restart: Double = 2, calling: Double = 10,
    radio change: (inout RadioParameters) -> Void = { _ in }
  ) -> LowerBound {
    var radio = RadioParameters()
    radio.connectQueued = .seconds(0.1)...(.seconds(0.3))
    radio.firstExchange = .seconds(0.1)...(.seconds(0.1))
    radio.resolve = .seconds(0.5)...(.seconds(0.7))
    radio.subscribe = .seconds(0.1)...(.seconds(0.1))
    radio.roundTrip = .seconds(0.1)...(.seconds(0.1))
    radio.terminate = .seconds(0.05)...(.seconds(0.05))
    (radio.discoveryStart, radio.discoveryStop) = (.milliseconds(200), .milliseconds(100))
    radio.advertisingInterval = .seconds(0.2)
    radio.slotsPerAdapter = slots
    return LowerBound(
      radio: radio,
      session: .init(
        subscriptions: 1, requests: 5, lingering: .seconds(link) - .milliseconds(1400),
        restart: .seconds(restart)),
      turns: .init(survey: .seconds(3), calling: .seconds(calling), window: .milliseconds(1200)))
  }

  /// The survey of 3 s with its overhead of 0.3 s, the restart of 2 s, and half an advertising interval.
  private static let around = 3.3 + 2 + 0.1

  @Test("the parts of the bound follow from the radio and the session")
  func parts() {
    let bound = Self.bound()
    #expect(bound.connecting == .milliseconds(200))
    #expect(bound.link == .seconds(2))
    #expect(bound.deafness == .milliseconds(1500))
    // 1.5 s without connections and 0.8 s until the last slot is filled again, minus the 2 s for which links
    // continue.
    #expect(bound.emptiness == .milliseconds(300))
    #expect(Self.bound(link: 3).emptiness == .zero, "a session longer than a scan window costs slot time")
  }

  @Test(
    "slots determine the bound if sessions are long, connections if they are short",
    arguments: [
      // No sensor; one sensor: a connection and a link.
      (5, 0, 1, nil), (5, 1, 1, 2.2), (5, 1, 8, 2.2),
      // Five at once: the fifth connection is the last.
      (5, 5, 1, 3.0),
      // 20 in 5 slots: 20 × 2.2 s / 5, and half of the 0.8 s for the first five.
      (5, 20, 1, 9.2), (5, 39, 2, 9.2), (5, 160, 8, 9.2),
      // 200: the slots are busy for 88.4 s, divided by 11.2 s gives 7 scan windows that leave them empty for
      // 0.3 s each.
      (5, 200, 1, 90.5),
      // With a slot for each sensor only connecting takes time: 200 × 0.2 s, four scan windows, and the last
      // session.
      (400, 200, 1, 40 + 4 * 1.5 + 2), (400, 200, 2, 20 + 2 * 1.5 + 2),
    ] as [(Int, Int, Int, Double?)])
  func makespan(_ slots: Int, _ sensors: Int, _ adapters: Int, _ expected: Double?) {
    let bound = Self.bound(slots: slots)
    let makespan = bound.makespan(of: sensors, on: adapters) / .seconds(1)
    let wanted = expected.map { $0 + Self.around } ?? 0
    #expect(abs(makespan - wanted) < 1e-6, "\(makespan) instead of \(wanted)")
  }

  @Test("the bound never falls with more sensors, and never rises with more adapters")
  func monotonic() {
    let bound = Self.bound()
    for adapters in 1...8 {
      var last = Duration.zero
      for sensors in 1...400 {
        let makespan = bound.makespan(of: sensors, on: adapters)
        #expect(makespan >= last)
        #expect(makespan <= bound.makespan(of: sensors, on: max(adapters - 1, 1)))
        last = makespan
      }
    }
  }

  @Test(
    "a Robo Sensor with the measured radio needs a link of 1.6 s, and an adapter connects to one per 0.38 s")
  func measured() {
    let radio = RadioParameters()
    let bound = LowerBound(
      radio: radio, session: .roboSensor(in: radio),
      turns: .init(survey: .seconds(3), calling: .seconds(10), window: .milliseconds(1200)))
    #expect((Duration.seconds(1.45)...(.seconds(1.65))).contains(bound.link), "\(bound.link)")
    let more = bound.makespan(of: 2000, on: 1) - bound.makespan(of: 1000, on: 1)
    #expect((Duration.seconds(365)...(.seconds(390))).contains(more), "\(more)")
  }
}
