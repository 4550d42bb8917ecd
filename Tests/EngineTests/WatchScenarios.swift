import Bluetooth
import Engine
import Model
import Synchronization
import Testing
import VirtualBuilding

/// Runs that continue until every room is done.
@Suite("watching runs") struct WatchScenarios {
  @Test("a watching run provisions sensors as they are switched on, and ends with the last one")
  func lateSensors() async throws {
    let run = try await rehearse(
      [[], [], []],
      scenario: {
        $0.sensors[1].appearsAfter = .seconds(45)
        $0.sensors[2].appearsAfter = .seconds(200)
      }, request: { $0.isWatching = true }
    ).expectInvariants((1...3).map { Sample.room($0, address: UInt64($0)) })
    #expect(run.result.outcome == .complete)
    #expect(run.result.rooms.allSatisfy { $0.outcome == .provisioned && $0.attempts == 1 })
    let last = try #require(run.events.last)
    #expect(last.elapsed > .seconds(200) && last.elapsed < .seconds(215))
  }

  @Test("an interrupted watching run leaves rooms without a sighting pending, not failed")
  func stopped() async throws {
    let once = Once()
    let run = try await rehearse(
      [[], [ScheduledFault(.silent)], [ScheduledFault(.neverAnswers)]], retries: 0,
      request: { $0.isWatching = true },
      during: { backstage, event in
        guard case .roomFinished = event.fact, await once.isFirst() else { return }
        backstage.after(.seconds(120)) { backstage.interrupt() }
      })
    #expect(run.result.outcome == .interrupted)
    #expect(run.outcome(1)?.outcome == .provisioned)
    #expect(run.outcome(2)?.outcome == .pending && run.outcome(2)?.reason?.code == .neverReceived)
    // Received all the time, and never responding: one attempt, and then none.
    #expect(run.outcome(3)?.outcome == .unreachable && run.outcome(3)?.attempts == 1)
    #expect(run.outcome(3)?.reason?.code == .connectTimedOut)
  }

  @Test("a device without retries gets new ones once it is clearly received again")
  func renewed() async throws {
    let once = Once()
    let run = try await rehearse(
      [[ScheduledFault(.drops(in: .write(1)), attempts: 1)]], retries: 0,
      request: { $0.isWatching = true },
      during: { backstage, event in
        guard case .attemptEnded(let fact) = event.fact, fact.failure != nil, await once.isFirst() else {
          return
        }
        // A person carries it away, and brings it back.
        backstage.after(.seconds(20)) { await backstage.world.setMuted(true, Sample.address(1)) }
        backstage.after(.seconds(60)) { await backstage.world.setMuted(false, Sample.address(1)) }
      })
    #expect(run.result.outcome == .complete)
    #expect(run.outcome(1)?.outcome == .provisionedAfterRetry && run.outcome(1)?.attempts == 2)
    let attempts = run.facts { if case .attemptStarted(let fact) = $0 { fact } else { nil } }
    #expect(attempts.count == 2 && attempts[1].0.elapsed > .seconds(60))
  }

  @Test("a watching run gives rooms that take any sensor those that appear, after a confirmation")
  func anySensor() async throws {
    let asked = Mutex<[[RoomID]]>([])
    let run = try await rehearse(
      [[], []], rooms: [Sample.room(1), Sample.room(2)], assignment: .any,
      confirm: { proposals in
        asked.withLock { $0.append(proposals.map(\.room.id)) }
        return .answer
      }, scenario: { $0.sensors[1].appearsAfter = .seconds(60) }, request: { $0.isWatching = true })
    #expect(run.result.outcome == .complete)
    #expect(asked.withLock { $0 } == [["room-1"], ["room-2"]])
    #expect(run.outcome(1)?.address == Sample.address(1) && run.outcome(2)?.address == Sample.address(2))
  }

  @Test("a watching run gives a room the sensor that is brought near its adapter")
  func nearest() async throws {
    var room = Sample.room(1)
    room.near = "hci0"
    let run = try await rehearse(
      [[]], rooms: [room],
      scenario: {
        $0.sensors[0].appearsAfter = .seconds(60)
        $0.sensors[0].signal = SignalStrength(base: -50)
      }, request: { $0.isWatching = true })
    #expect(run.result.outcome == .complete)
    #expect(run.outcome(1)?.address == Sample.address(1))
  }
}

/// A few rooms of each network go first.
@Suite("first rooms (canaries)") struct CanaryScenarios {
  /// Rooms 1 to 3 have one network, 4 to 6 another.
  private static let rooms = (1...6).map { number in
    var room = Sample.room(number, address: UInt64(number), retries: 0)
    room.settings[.wifiSSID] = .text(number <= 3 ? "Plant" : "Office")
    return room
  }

  /// The rooms whose first attempt began before the decision about the remaining rooms.
  private func first(_ run: Rehearsed) -> Set<RoomID> {
    let end = run.events.firstIndex { if case .canariesJudged = $0.fact { true } else { false } }
    return Set(
      run.events.prefix(end ?? run.events.count).compactMap {
        if case .attemptStarted(let fact) = $0.fact { fact.room } else { nil }
      })
  }

  @Test("one room of each network goes first, and the others follow after an approval")
  func approved() async throws {
    let shown = Mutex<[[RoomID]]>([])
    let run = try await rehearse(
      Array(repeating: [], count: 6), rooms: Self.rooms,
      judge: { rooms in
        shown.withLock { $0.append(rooms.map(\.room)) }
        return rooms.allSatisfy(\.outcome.isSuccess)
      }, request: { $0.canaries = 1 }
    ).expectInvariants()
    #expect(run.result.outcome == .complete)
    #expect(shown.withLock { $0 } == [["room-4", "room-1"]])
    #expect(first(run) == ["room-1", "room-4"])
  }

  @Test("the remaining rooms do not begin after a rejection")
  func rejected() async throws {
    let run = try await rehearse(
      Array(repeating: [], count: 6), rooms: Self.rooms, judge: { _ in false },
      request: { $0.canaries = 2 }
    ).expectInvariants()
    for number in [1, 2, 4, 5] { #expect(run.outcome(number)?.outcome == .provisioned) }
    for number in [3, 6] {
      #expect(run.outcome(number)?.outcome == .pending && run.outcome(number)?.attempts == 0)
      #expect(run.outcome(number)?.reason?.code == .canariesRefused)
    }
  }

  @Test("the remaining rooms of a network without any success end without a question")
  func failed() async throws {
    let shown = Mutex<[[RoomID]]>([])
    let sensors = (1...6).map { $0 == 1 ? [ScheduledFault(.errorOnSave("wifi"))] : [] }
    let run = try await rehearse(
      sensors, rooms: Self.rooms,
      judge: { rooms in
        shown.withLock { $0.append(rooms.map(\.room)) }
        return true
      }, request: { $0.canaries = 1 }
    ).expectInvariants()
    #expect(run.outcome(1)?.outcome == .failed)
    for number in [2, 3] { #expect(run.outcome(number)?.reason?.code == .canariesFailed) }
    for number in [4, 5, 6] { #expect(run.outcome(number)?.outcome == .provisioned) }
  }

  @Test("a rejection also applies to rooms whose sensor appears later")
  func late() async throws {
    var rooms = Self.rooms
    rooms[5].address = nil
    let run = try await rehearse(
      Array(repeating: [], count: 6), rooms: rooms, assignment: .any, judge: { _ in false },
      scenario: { $0.sensors[5].appearsAfter = .seconds(60) },
      request: {
        $0.canaries = 1
        $0.isWatching = true
      })
    #expect(run.outcome(6)?.outcome == .pending && run.outcome(6)?.attempts == 0)
    #expect(run.outcome(6)?.reason?.code == .canariesRefused)
  }

  @Test("a room without a sighting does not go first")
  func received() async throws {
    let run = try await rehearse(
      [[ScheduledFault(.silent)]] + Array(repeating: [], count: 5), rooms: Self.rooms,
      request: { $0.canaries = 1 })
    #expect(first(run) == ["room-2", "room-4"])
    #expect(run.outcome(1)?.outcome == .unreachable)
    #expect(run.result.rooms.count(where: \.outcome.isSuccess) == 5)
  }
}

/// Sensors that no room claims.
@Suite("sensors without a room") struct UnclaimedScenarios {
  @Test("unclaimed sensors are recorded, and not written")
  func unclaimed() async throws {
    let run = try await rehearse(
      [[], [], []], rooms: [Sample.room(1, address: 1), Sample.room(3, address: 3)])
    let unclaimed = run.facts { if case .deviceUnclaimed(let fact) = $0 { fact.address } else { nil } }
    #expect(unclaimed.map(\.1) == [Sample.address(2)])
    #expect(!run.writes.contains { $0.address == Sample.address(2) })
  }
}
