import Bluetooth
import Testing
import VirtualTime

@testable import Session

/// What happens in the very instant in which the time is up.
@Suite("A race against the clock") struct RaceTests {
  private func race(
    bodyTakes duration: Duration, timeout: Duration = .seconds(5), fails: Bool = false
  ) async throws -> (Raced<Int>, MonotonicInstant) {
    try await VirtualTime.run { clock in
      let raced = await Session.race(timeout, on: clock) { () throws(CentralError) in
        do { try await clock.sleep(for: duration) } catch { throw CentralError(.cancelled) }
        if fails { throw CentralError(.disconnected) }
        return 1
      }
      return (raced, clock.now)
    }
  }

  @Test("is won by what comes in time, and lost by what does not")
  func outcomes() async throws {
    let (early, earlyEnd) = try await race(bodyTakes: .seconds(4))
    guard case .value(1) = early else {
      Issue.record("\(early)")
      return
    }
    #expect(earlyEnd == .init(sinceZero: .seconds(4)))
    let (late, lateEnd) = try await race(bodyTakes: .seconds(6))
    guard case .timedOut = late else {
      Issue.record("\(late)")
      return
    }
    #expect(lateEnd == .init(sinceZero: .seconds(5)))
    let (failed, _) = try await race(bodyTakes: .seconds(4), fails: true)
    guard case .failed(let error) = failed else {
      Issue.record("\(failed)")
      return
    }
    #expect(error.code == .disconnected)
  }

  /// A link that came up must not be lost with its value.
  @Test("counts a success that comes while what is late is being ended")
  func lateSuccess() async throws {
    let raced = try await VirtualTime.run { clock in
      await Session.race(.seconds(5), on: clock) { () throws(CentralError) in
        // Told to stop, and done before it could.
        try? await clock.sleep(for: .seconds(60))
        return clock.now
      }
    }
    guard case .value(let instant) = raced else {
      Issue.record("\(raced)")
      return
    }
    #expect(instant == .init(sinceZero: .seconds(5)))
  }

  @Test("has one result only when both end in the same instant", arguments: [true, false])
  func sameInstant(fails: Bool) async throws {
    let (raced, end) = try await race(bodyTakes: .seconds(5), fails: fails)
    #expect(end == .init(sinceZero: .seconds(5)))
    switch raced {
    case .value(let value): #expect(value == 1 && !fails)
    case .failed(let error): #expect(error.code == .disconnected && fails)
    case .timedOut: break
    }
  }
}
