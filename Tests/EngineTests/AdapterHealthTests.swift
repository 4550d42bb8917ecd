import Bluetooth
import Testing

@testable import Engine

/// When an adapter with which the stack refuses to scan is tried again, and when it is given up.
@Suite("An adapter that refuses to scan") struct AdapterHealthTests {
  @Test("is tried again after pauses that double up to a bound, and given up after ten refusals")
  func pauses() {
    var health = AdapterHealth()
    var now = MonotonicInstant(sinceZero: .zero)
    var pauses: [Duration] = []
    while !health.isGivenUp {
      let end = health.refused(at: now)
      pauses.append(now.duration(to: end))
      #expect(health.isHeld(at: now))
      now = end
      #expect(!health.isHeld(at: now))
    }
    #expect(pauses == [1, 2, 4, 5, 5, 5, 5, 5, 5, 5].map { .seconds($0) })
  }

  @Test("is given up after three requests in half a minute that the stack did not answer")
  func slow() {
    var health = AdapterHealth()
    var now = MonotonicInstant(sinceZero: .zero)
    var refusals = 0
    while !health.isGivenUp {
      health.refused(at: now, isSilent: true)
      refusals += 1
      now = now.advanced(by: .seconds(16))
    }
    #expect(refusals == 3)
  }

  @Test("is trusted again once it has scanned")
  func recovery() {
    var health = AdapterHealth()
    let now = MonotonicInstant(sinceZero: .zero)
    for _ in 0..<9 { health.refused(at: now) }
    health.scanned()
    #expect(!health.isHeld(at: now))
    #expect(now.duration(to: health.refused(at: now)) == .seconds(1))
    #expect(!health.isGivenUp)
  }
}
