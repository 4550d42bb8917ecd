import Bluetooth
import Engine
import Model
import Testing
import VirtualBuilding
import VirtualCentral
import VirtualTime

@Suite("radio faults of the host") struct RadioScenarios {
  static let rooms = [Sample.room(1, address: 1), Sample.room(2, address: 2), Sample.room(3, address: 3)]

  @Test("an adapter never connects to a device that only another adapter received")
  func anotherAdapter() async throws {
    let run = try await rehearse(
      [[], [], []], rooms: Self.rooms,
      during: { backstage, event in
        guard event.fact.label == "stage_started write", event.fact.room == "room-1" else { return }
        await backstage.world.setPresent(false, adapters[0].address)
      }
    ).expectInvariants()
    #expect(run.result.outcome == .complete)
    #expect(run.result.rooms.map(\.attempts) == [1, 1, 1])
    let exemptions = run.facts { if case .attemptEnded(let fact) = $0 { fact.notCounted } else { nil } }
    // The other adapter completes the survey meanwhile.
    #expect(!exemptions.isEmpty && exemptions.allSatisfy { $0.1 == .hostLost })
    #expect(Set(run.result.rooms.map(\.adapter?.address.rawValue)) == [0x001A_7DDA_7102])
  }

  @Test("a link whose end the stack never reports delays no other room")
  func endlessLink() async throws {
    let run = try await rehearse(
      [[], [ScheduledFault(.errorOnSave("flash"))]], retries: 0,
      through: { central, _ in EndlessLinks(base: central) })
    #expect(run.outcome(1)?.outcome == .provisioned)
    #expect(run.outcome(2)?.outcome == .failed)
    #expect(run.openLinks == 0, "forget ends the link")
  }

  @Test("the time without an adapter does not count for a proof")
  func awayDuringProof() async throws {
    let run = try await rehearse(
      [[]], timeout: .seconds(90),
      during: { backstage, event in
        if event.fact.label == "stage_started verify" { await backstage.switchOff(for: .seconds(60)) }
      })
    #expect(run.outcome(1)?.outcome == .provisioned)
  }

  @Test("the time without an adapter does not count for a search")
  func awayDuringSighting() async throws {
    let rooms = [Sample.room(1, address: 1)]
    let run = try await rehearse(
      [[]], rooms: rooms, scenario: { $0.sensors[0].appearsAfter = .seconds(45) },
      during: { backstage, event in
        guard case .scanStarted(let fact) = event.fact, fact.purpose == .sighting,
          backstage.clock.now < .init(sinceZero: .seconds(40))
        else { return }
        await backstage.switchOff(for: .seconds(5))
      }
    ).expectInvariants()
    #expect(run.outcome(1)?.outcome == .provisioned)
  }

  @Test("a loss of the adapter during the survey does not hide the minor of a foreign beacon")
  func awayDuringSurvey() async throws {
    let rooms = [Sample.room(1, address: 1)]
    let run = try await rehearse(
      [[], []], rooms: rooms, scenario: { $0.sensors[1].family = .robo(.isBeacon(minor: 1)) },
      during: { backstage, event in
        // Event 3 is the start of the first window.
        if event.sequence == 3 { await backstage.switchOff(for: .seconds(5)) }
      }
    ).expectInvariants()
    #expect(run.outcome(1)?.reason?.code == .identityOnAir)
  }

  @Test("a few refused scans only delay the run", arguments: [1, 5, 9])
  func fewRefusals(times: Int) async throws {
    let run = try await rehearse(
      [[], []], rooms: Array(Self.rooms.prefix(2)),
      through: { central, _ in Stumbling(central, times: times) }
    ).expectInvariants()
    #expect(run.result.outcome == .complete)
    #expect(run.result.rooms.allSatisfy { $0.attempts == 1 })
  }

  @Test("a stack that refuses every scan ends the run, and no sensor is blamed")
  func alwaysRefused() async throws {
    let run = try await rehearse(
      [[], []], rooms: Array(Self.rooms.prefix(2)),
      through: { central, _ in Stumbling(central, times: .max) }
    ).expectInvariants()
    #expect(run.result.outcome == .aborted)
    #expect(run.result.radioFailure?.code == .busy)
    for room in run.result.rooms {
      #expect(room.outcome == .pending)
      #expect(room.reason?.code == .stackLost)
      #expect(room.reason?.stackText == "Operation already in progress")
    }
  }

  @Test(
    "a loss of the radio during the wait for a proof is the reason why the room is unconfirmed",
    arguments: [FailureReason.Code.stackLost, .adapterLost])
  func lostBeforeProof(code: FailureReason.Code) async throws {
    let rooms = Array(Self.rooms.prefix(1))
    let run = try await rehearse(
      [[.init(.neverReturns)]], rooms: rooms, scenario: { $0.adapters = oneAdapter }, timeout: .seconds(5),
      during: { backstage, event in
        guard case .saveSubmitted = event.fact else { return }
        backstage.after(.seconds(4)) {
          if code == .stackLost {
            await backstage.world.stopStack()
          } else {
            await backstage.world.setPresent(false, adapters[0].address)
          }
        }
      })
    #expect(run.result.outcome == .aborted)
    let room = try #require(run.outcome(1))
    #expect(room.outcome == .unconfirmed)
    #expect(room.reason?.code == code)
    #expect(room.reason?.stage == .verify)
    #expect(room.evidence?.grade == .savedStatus)
    #expect(room.attempts == 1)
  }

  @Test(
    "a `saved` delivered after the end of the link counts as an acknowledgement",
    arguments: [0, 20, 150, 400])
  func mistimed(milliseconds: Int) async throws {
    let rooms = Array(Self.rooms.prefix(1))
    let run = try await rehearse(
      [[.init(.neverReturns)]], rooms: rooms,
      scenario: { $0.sensors[0].family = .robo(.saysOnSave("saved")) },
      through: { central, clock in
        Mistimed(base: central, clock: clock, delay: .milliseconds(milliseconds))
      }
    ).expectInvariants()
    #expect(run.outcome(1)?.outcome == .unconfirmed)
    #expect(run.outcome(1)?.evidence?.grade == .savedStatus)
  }

  @Test(
    "the end of a link delivered before `saved` does not lose the acknowledgement", arguments: [0, 20, 150])
  func linkEndFirst(milliseconds: Int) async throws {
    let rooms = Array(Self.rooms.prefix(1))
    let run = try await rehearse(
      [[]], rooms: rooms, scenario: { $0.sensors[0].family = .robo(.saysAndIsGone) },
      through: { central, clock in
        Mistimed(base: central, clock: clock, delay: .milliseconds(milliseconds))
      }
    ).expectInvariants()
    #expect(run.outcome(1)?.outcome == .unconfirmed)
    #expect(run.outcome(1)?.evidence?.grade == .savedStatus)
  }

  @Test(
    "the time per sensor is a connection when sessions overlap, and a session when they must not")
  func pace() async throws {
    let rooms = (1...40).map { Sample.room($0, address: UInt64($0)) }
    let one = try await rehearse(
      Array(repeating: [], count: 40), rooms: rooms, request: { $0.parallel = 1 })
    // Connection, discovery, four writes and SAVE until the disconnect: 0.4 + 0.8 + 1 + 0.3 s, and windows
    // between.
    #expect((one.endedAt.sinceZero - .seconds(10)) / 40 < .milliseconds(2900))
    let many = try await rehearse(Array(repeating: [], count: 40), rooms: rooms)
    #expect((many.endedAt.sinceZero - .seconds(10)) / 40 < .milliseconds(700))
    for run in [one, many] {
      run.expectInvariants(rooms)
      #expect(run.result.outcome == .complete)
    }
  }
}

/// A stack that refuses a number of scans because it already has one in progress.
private struct Stumbling: WrappingCentral {
  let base: VirtualCentral
  private let left: Countdown

  init(_ central: VirtualCentral, times: Int) {
    base = central
    left = Countdown(times)
  }

  func scan<Result: Sendable>(
    on adapter: AdapterID,
    _ body: @Sendable (AdvertisementStream) async throws(CentralError) -> Result
  ) async throws(CentralError) -> Result {
    if left.takeOne() { throw CentralError(.busy, stackText: "Operation already in progress") }
    return try await base.scan(on: adapter, body)
  }
}
