import Bluetooth
import Testing
import VirtualTime
import Waiting

/// What happens in the very instant in which the time is up.
@Suite("A race against the clock") struct RaceTests {
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
      await Waiting.race(.seconds(5), on: clock) { () throws(CentralError) in
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

  @Test("ends with its body when the calling task is cancelled, long before the time is up")
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

/// Work that may never end by itself, and what makes it pointless.
@Suite("A race against an obstacle") struct ObstacleTests {
  private func race(
    workTakes work: Duration, obstacleTakes obstacle: Duration, isOne: Bool = true
  ) async throws -> Result<MonotonicInstant, CentralError> {
    try await VirtualTime.run { clock in
      do throws(CentralError) {
        return .success(
          try await Waiting.race {
            () async throws(CentralError) in
            do { try await clock.sleep(for: work) } catch { throw CentralError(.cancelled) }
            return clock.now
          } against: {
            guard (try? await clock.sleep(for: obstacle)) != nil else { return nil }
            return isOne ? CentralError(.stackUnavailable) : nil
          })
      } catch {
        return .failure(error)
      }
    }
  }

  @Test("is won by what comes first")
  func outcomes() async throws {
    #expect(try await race(workTakes: .seconds(1), obstacleTakes: .seconds(2)).get().sinceZero == .seconds(1))
    let lost = try await race(workTakes: .seconds(2), obstacleTakes: .seconds(1))
    #expect(throws: CentralError(.stackUnavailable)) { try lost.get() }
  }

  @Test("goes on when the obstacle is none")
  func none() async throws {
    let won = try await race(workTakes: .seconds(2), obstacleTakes: .seconds(1), isOne: false)
    #expect(try won.get().sinceZero == .seconds(2))
  }
}
