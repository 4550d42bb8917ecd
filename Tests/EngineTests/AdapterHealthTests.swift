import Bluetooth
import Testing

@testable import Engine

/// When a run uses an adapter again after refused scans, and when it gives the adapter up.
@Suite("adapter health") struct AdapterHealthTests {
  @Test("an adapter that refuses to scan gets doubling cool-downs, and is given up after ten refusals")
  func pauses() {
    var health = AdapterHealth()
    var now = MonotonicInstant(sinceZero: .zero)
    var pauses: [Duration] = []
    while !health.isGivenUp {
      let end = health.refused(at: now)
      pauses.append(now.duration(to: end))
      #expect(health.isCoolingDown(at: now))
      now = end
      #expect(!health.isCoolingDown(at: now))
    }
    #expect(pauses == [1, 2, 4, 5, 5, 5, 5, 5, 5, 5].map { .seconds($0) })
  }

  @Test(
    "an adapter is given up once three scan requests or more, over 30 s, had no response",
    arguments: [(16, 3), (15, 3), (14, 4), (31, 3)])
  func slow(interval: Int, expected: Int) {
    var health = AdapterHealth()
    var now = MonotonicInstant(sinceZero: .zero)
    var refusals = 0
    while !health.isGivenUp {
      health.refused(at: now, isSilent: true)
      refusals += 1
      now = now.advanced(by: .seconds(interval))
    }
    #expect(refusals == expected)
  }

  @Test("an adapter that comes and goes gets cool-downs, and is given up")
  func flapping() {
    var health = AdapterHealth()
    var now = MonotonicInstant(sinceZero: .zero)
    var pauses: [Duration?] = []
    while !health.isGivenUp {
      health.began(at: now)
      now = now.advanced(by: .milliseconds(100))
      health.lost(at: now)
      health.expire(at: now)
      pauses.append(health.coolDownEnd.map { now.duration(to: $0) })
      now = health.coolDownEnd ?? now
      health.expire(at: now)
      #expect(health.coolDownEnd == nil)
    }
    let seconds: [Int?] = [nil, nil, nil, 1, 2, 4, 5, 5, 5, 5, 5, 5]
    #expect(pauses == seconds.map { $0.map { Duration.seconds($0) } })
    #expect(health.comesAndGoes)
  }

  @Test("an adapter that was in use for long is lost without consequence")
  func steady() {
    var health = AdapterHealth()
    var now = MonotonicInstant(sinceZero: .zero)
    for number in 0..<100 {
      health.began(at: now)
      now = now.advanced(by: .seconds(number % 12 == 0 ? 30 : 1))
      health.lost(at: now)
      #expect(!health.isGivenUp)
    }
  }

  @Test("the last eight connect times and session times of an adapter are kept")
  func connectTimes() {
    var history = AdapterHistory()
    for second in 1...9 {
      history.connected(after: .seconds(second))
      history.saved(after: .seconds(10 + second))
    }
    #expect(history.connectTimes == (2...9).map { .seconds($0) })
    #expect(history.sessionTimes == (12...19).map { .seconds($0) })
  }

  @Test("an adapter that has scanned starts again without refusals")
  func recovery() {
    var health = AdapterHealth()
    let now = MonotonicInstant(sinceZero: .zero)
    for _ in 0..<9 { health.refused(at: now) }
    health.scanned()
    #expect(!health.isCoolingDown(at: now))
    #expect(now.duration(to: health.refused(at: now)) == .seconds(1))
    #expect(!health.isGivenUp)
  }
}
