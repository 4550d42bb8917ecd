import Bluetooth
import Engine
import Model
import Testing
import VirtualBuilding

/// Several GATT sessions at once, over several adapters.
@Suite("parallel provisioning") struct ParallelScenarios {
  static let four = (1...4).map {
    AdapterScenario(address: BluetoothAddress(rawValue: 0x001A_7DDA_7100 + UInt64($0)), name: "hci\($0 - 1)")
  }

  private static func rooms(_ count: Int, retries: Int = 2) -> [Room] {
    (1...count).map { Sample.room($0, address: UInt64($0), retries: retries) }
  }

  /// The most GATT sessions at once, by adapter and in all.
  private func conversations(_ run: Rehearsed) -> (of: [AdapterID: Int], all: Int) {
    var open: [RoomID: AdapterID] = [:]
    var most: [AdapterID: Int] = [:]
    var all = 0
    for event in run.events {
      switch event.fact {
      case .attemptStarted(let fact): open[fact.room] = fact.adapter
      case .linkEnded(let fact): open[fact.room] = nil
      // A failed attempt is classified a little later.
      case .stageEnded(let fact) where fact.stage == .connect && fact.failure != nil: open[fact.room] = nil
      case .attemptEnded(let fact): open[fact.room] = nil
      default: continue
      }
      all = max(all, open.count)
      for (adapter, rooms) in Dictionary(grouping: open.keys, by: { open[$0] }) {
        if let adapter { most[adapter] = max(most[adapter] ?? 0, rooms.count) }
      }
    }
    return (most, all)
  }

  @Test("a large building with 10 % faulty sensors is provisioned on four adapters")
  func building() async throws {
    let broken: [Fault] = [
      .silent, .neverAnswers, .drops(in: .write(2)), .errorOnSave("flash"), .neverReturns,
    ]
    let sensors = (1...200).map { number in
      number % 10 == 0 ? [ScheduledFault(broken[number / 10 % broken.count])] : []
    }
    let rooms = Self.rooms(200)
    let run = try await rehearse(sensors, rooms: rooms, scenario: { $0.adapters = Self.four })
      .expectInvariants()
    for (index, room) in run.result.rooms.enumerated() {
      if sensors[index].isEmpty {
        #expect(room.outcome == .provisioned, "\(room.room)")
      } else {
        #expect(!room.outcome.isSuccess && room.reason != nil, "\(room.room)")
      }
    }
    let busy = conversations(run)
    // A sixth link is tried until the controller refuses it.
    #expect(busy.of.count == 4 && busy.of.values.allSatisfy { $0 <= 6 })
    // Healthy sensors are done early, whatever the others cost: 45 on each adapter, 3 s for each dead one, and a
    // scan window after two dead ones in a row.
    let done = run.facts {
      if case .roomFinished(let fact) = $0, fact.outcome == .provisioned { fact } else { nil }
    }
    let last = try #require(done.last)
    #expect(last.0.elapsed < .seconds(62))
  }

  @Test(
    "devices that lost their link are tried again before those that never accepted one", arguments: [1, 2])
  func lostLinksFirst(adapters: Int) async throws {
    // The dead ones come first in the manifest.
    let sensors: [[ScheduledFault]] = (1...24).map { number in
      if number <= 4 { return [ScheduledFault(.neverAnswers)] }
      return number.isMultiple(of: 4) ? [ScheduledFault(.drops(in: .write(2)), attempts: 1)] : []
    }
    let rooms = Self.rooms(24)
    let run = try await rehearse(
      sensors, rooms: rooms, scenario: { $0.adapters = Array(Self.four.prefix(adapters)) }
    ).expectInvariants()
    let repaired = run.facts {
      if case .roomFinished(let fact) = $0, fact.outcome == .provisionedAfterRetry { fact.room } else { nil }
    }
    #expect(repaired.count == 5)
    let last = try #require(repaired.last).0.elapsed
    #expect(last < .seconds(45), "\(last)")
  }

  @Test(
    "the discovery of a device that answers late is cut short until its last attempt, which provisions it")
  func lateDiscovery() async throws {
    // Its discovery takes 10 s.
    let sensors = Array(repeating: [], count: 11) + [[ScheduledFault(.slow)]]
    let rooms = Self.rooms(12)
    let run = try await rehearse(
      sensors, rooms: rooms, scenario: { $0.adapters = Array(Self.four.prefix(1)) }
    ).expectInvariants()
    let timeouts = run.facts { fact -> (room: RoomID, seconds: Double)? in
      if case .stageStarted(let fact) = fact, fact.stage == .discover {
        (fact.room, fact.timeout)
      } else {
        nil
      }
    }.map(\.1)
    // While no session shows how long one takes, and at the last attempt, the timeout is that of the room.
    #expect(timeouts.prefix(3).allSatisfy { $0.seconds == 20 })
    let late = timeouts.filter { $0.room == rooms[11].id }.map(\.seconds)
    #expect(late.count == 3 && (3...8).contains(late[0]) && late[1] > late[0] && late[2] == 20, "\(late)")
    #expect(run.result.rooms.last?.outcome == .provisionedAfterRetry)
  }

  @Test("a device whose connection failed at once is tried again before the last proofs", arguments: [1, 2])
  func quickFailure(adapters: Int) async throws {
    let rooms = Self.rooms(24)
    let run = try await rehearse(
      [[ScheduledFault(.drops(in: .connect), attempts: 1)]] + Array(repeating: [], count: 23), rooms: rooms,
      scenario: { $0.adapters = Array(Self.four.prefix(adapters)) }
    ).expectInvariants()
    let ends = run.facts {
      if case .roomFinished(let fact) = $0, fact.outcome.isSuccess { fact.room } else { nil }
    }
    let retried = try #require(ends.first { $0.1 == rooms[0].id }).0.elapsed
    let others = try #require(ends.last { $0.1 != rooms[0].id }).0.elapsed
    #expect(retried < others + .seconds(1), "\(retried), the others \(others)")
  }

  @Test("a run holds at most the permitted number of links", arguments: [1, 2, 7])
  func limited(parallel: Int) async throws {
    let rooms = Self.rooms(12)
    let run = try await rehearse(
      Array(repeating: [], count: 12), rooms: rooms, scenario: { $0.adapters = Array(Self.four.prefix(2)) },
      request: { $0.parallel = parallel }
    ).expectInvariants()
    #expect(run.result.outcome == .complete)
    #expect(conversations(run).all == parallel)
  }

  @Test("a run uses only the named adapters")
  func named() async throws {
    let rooms = Self.rooms(6)
    let run = try await rehearse(
      Array(repeating: [], count: 6), rooms: rooms, scenario: { $0.adapters = Self.four },
      request: { $0.adapters = ["hci1", AdapterReference(Self.four[3].address.description)] })
    #expect(run.result.outcome == .complete)
    #expect(
      Set(run.result.rooms.compactMap(\.adapter))
        .isSubset(of: [AdapterID(Self.four[1].address), AdapterID(Self.four[3].address)]))
  }

  @Test(
    "a run continues on the other adapters after a loss, and uses the lost one again when it returns",
    arguments: [2, 9])
  func unplugged(finished count: Int) async throws {
    let rooms = Self.rooms(30)
    let once = Once()
    let run = try await rehearse(
      Array(repeating: [], count: 30), rooms: rooms, scenario: { $0.adapters = Array(Self.four.prefix(3)) },
      during: { backstage, event in
        guard case .roomFinished = event.fact, event.sequence > count * 20, await once.isFirst() else {
          return
        }
        await backstage.world.setPresent(false, Self.four[0].address)
        backstage.after(.seconds(8)) {
          await backstage.world.setPresent(true, Self.four[0].address, name: "hci0")
        }
      }
    ).expectInvariants()
    #expect(run.result.outcome == .complete)
    let waits = run.events.contains { if case .adapterAwaited = $0.fact { true } else { false } }
    #expect(!waits, "other adapters were present")
  }

  @Test(
    "no further room begins after more failures than permitted, and rooms in flight end",
    arguments: [0, 2])
  func failureLimit(allowed: Int) async throws {
    // One after the other; the first six sensors lose their link.
    let sensors = (1...20).map { $0 <= 6 ? [ScheduledFault(.drops(in: .write(1)))] : [] }
    let rooms = Self.rooms(20, retries: 0)
    let run = try await rehearse(
      sensors, rooms: rooms,
      request: {
        $0.failureLimit = allowed
        $0.parallel = 1
      }
    ).expectInvariants()
    #expect(run.result.outcome == .incomplete)
    let failed = run.result.rooms.count { $0.outcome == .failed }
    // The next room may have begun before the last of them was known to have failed.
    #expect((allowed + 1...allowed + 2).contains(failed))
    let rest = run.result.rooms.filter { $0.outcome == .pending }
    #expect(rest.count == 20 - failed)
    #expect(rest.allSatisfy { $0.reason?.code == .tooManyFailures && $0.attempts == 0 })
  }
}
