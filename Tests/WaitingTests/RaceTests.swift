import Bluetooth
import Testing
import VirtualTime
import Waiting

/// Both ends at the instant of the timeout.
@Suite("The race of a function against a timeout") struct RaceTests {
  private func race(
    bodyTakes duration: Duration, timeout: Duration = .seconds(5), fails: Bool = false
  ) async throws -> (Raced<Int, CentralError>, MonotonicInstant) {
    try await VirtualTime.run { clock in
      let raced = await Waiting.race(timeout, on: clock) { () throws(CentralError) in
        do { try await clock.sleep(for: duration) } catch { throw CentralError(.cancelled) }
        if fails { throw CentralError(.disconnected) }
        return 1
      }
      return (raced, clock.now)
    }
  }

  @Test("a function that ends in time gives its value or error, a late one gives timedOut")
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
  @Test("a value that is returned while a late function is being cancelled counts")
  func lateSuccess() async throws {
    let raced = try await VirtualTime.run { clock in
      await Waiting.race(.seconds(5), on: clock) { () throws(CentralError) in
        // Cancelled, but it succeeds before it can end.
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

  @Test(
    "a race has exactly one result if function and timeout end at the same instant", arguments: [true, false])
  func sameInstant(fails: Bool) async throws {
    let (raced, end) = try await race(bodyTakes: .seconds(5), fails: fails)
    #expect(end == .init(sinceZero: .seconds(5)))
    switch raced {
    case .value(let value): #expect(value == 1 && !fails)
    case .failed(let error): #expect(error.code == .disconnected && fails)
    case .timedOut: break
    }
  }

  @Test("a race ends with its body when the calling task is cancelled before the timeout")
  func cancelled() async throws {
    let (raced, end) = try await VirtualTime.run { clock in
      let raced = await withTaskGroup(of: Raced<Int, CentralError>.self) { group in
        group.addTask {
          await Waiting.race(.seconds(60), on: clock) { () throws(CentralError) in
            do { try await clock.sleep(for: .seconds(30)) } catch { throw CentralError(.cancelled) }
            return 1
          }
        }
        try? await clock.sleep(for: .seconds(1))
        group.cancelAll()
        return await group.next()
      }
      return (raced, clock.now)
    }
    #expect(end == .init(sinceZero: .seconds(1)))
    guard case .failed(let error)? = raced else {
      Issue.record("\(String(describing: raced))")
      return
    }
    #expect(error.code == .cancelled)
  }
}

/// A function that may never end by itself, and an event that makes it pointless.
@Suite("The race of a function against an interruption") struct InterruptionTests {
  private func race(
    workTakes work: Duration, interruptionTakes interruption: Duration, isOne: Bool = true
  ) async throws -> Result<MonotonicInstant, CentralError> {
    try await VirtualTime.run { clock in
      do throws(CentralError) {
        return .success(
          try await Waiting.race {
            () async throws(CentralError) in
            do { try await clock.sleep(for: work) } catch { throw CentralError(.cancelled) }
            return clock.now
          } against: {
            guard (try? await clock.sleep(for: interruption)) != nil else { return nil }
            return isOne ? CentralError(.stackUnavailable) : nil
          })
      } catch {
        return .failure(error)
      }
    }
  }

  @Test("the first of function and interruption to end decides the result")
  func outcomes() async throws {
    #expect(
      try await race(workTakes: .seconds(1), interruptionTakes: .seconds(2)).get().sinceZero == .seconds(1))
    let lost = try await race(workTakes: .seconds(2), interruptionTakes: .seconds(1))
    #expect(throws: CentralError(.stackUnavailable)) { try lost.get() }
  }

  @Test("the function continues if there is no interruption")
  func none() async throws {
    let won = try await race(workTakes: .seconds(2), interruptionTakes: .seconds(1), isOne: false)
    #expect(try won.get().sinceZero == .seconds(2))
  }
}
