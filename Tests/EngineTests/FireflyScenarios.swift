import Bluetooth
import Engine
import Families
import Model
import Testing
import VirtualBuilding
import VirtualCentral
import VirtualTime
import Simulation

/// A Firefly has one session of 10 s for its search, connection and write.
@Suite("Fireflies") struct FireflyScenarios {
  private static func room(_ number: Int = 1, retries: Int = 0) -> Room {
    Sample.fireflyRoom(number, address: UInt64(number), retries: retries)
  }

  /// Runs with these devices, which are sensors 1, 2 and so on.
  private func run(
    _ devices: [SensorScenario], rooms: [Room] = [FireflyScenarios.room()],
    assignment: Building.Assignment = .address, runs: Int = 1, radio: RadioParameters = .init(),
    known: Known = Known(),
    action: @escaping @Sendable (VirtualClock) async -> MonotonicInstant? = { _ in nil }
  ) async throws -> Rehearsed {
    let run = try await rehearse(
      [], rooms: rooms, assignment: assignment, runs: runs,
      scenario: { scenario in
        scenario.sensors = devices
        scenario.radio = radio
      }, request: { $0.known = known }, action: action
    ).expectInvariants()
    return run
  }

  private static func firefly(
    _ number: UInt64 = 1, after: Duration = .zero, faults: [FamilyFault] = [], attempts: Int? = nil
  ) -> SensorScenario {
    SensorScenario(
      address: Sample.address(number), family: .firefly, appearsAfter: after,
      faults: faults.map { ScheduledFault(.own($0), attempts: attempts) })
  }

  private func elapsed(_ run: Rehearsed) -> ElapsedSent? {
    run.facts { if case .elapsedSent(let fact) = $0 { fact } else { nil } }.last?.1
  }

  @Test("a Firefly gets the time since its session began, and its disconnect is the evidence")
  func elapsedSent() async throws {
    let run = try await run([Self.firefly()])
    let room = try #require(run.outcome(1))
    #expect(room.outcome == .provisioned)
    #expect(room.evidence?.grade == .selfDisconnect)
    #expect(room.settings.allSatisfy { $0.state == .acknowledged }, "nothing on air shows the settings")
    let began = run.facts {
      if case .stageStarted(let fact) = $0, fact.stage == .search { fact } else { nil }
    }
    let write = try #require(run.writes.last)
    #expect(run.writes.count == 1 && write.kind == .withoutResponse)
    let sent = try #require(elapsed(run))
    #expect(sent.since == .session)
    #expect(write.value == [7, 3, sent.byte, 200])
    // The byte has the instant of the write: only the transmission lies between.
    let gone = try #require(began.first).0.elapsed + .seconds(sent.seconds)
    #expect(write.at.sinceZero - gone < .milliseconds(100) && sent.seconds > 0.5)
    #expect(Int(sent.byte) == Int(sent.seconds / 10 * 255))
    #expect(run.flashes[Sample.address(1)]?.values["elapsed"] == [sent.byte])
    #expect(run.openLinks == 0 && run.remembered.isEmpty)
  }

  @Test(
    "a Firefly gets 0 for an action more than 10 s ago, and the record has the real time",
    arguments: [4, 6, 12])
  func oldAction(secondsEarlier: Int) async throws {
    let run = try await run(
      [Self.firefly()], action: { $0.now.advanced(by: .seconds(-secondsEarlier)) })
    let sent = try #require(elapsed(run))
    #expect(sent.since == .key && sent.seconds > Double(secondsEarlier))
    #expect(Int(sent.byte) == (sent.seconds > 10 ? 0 : Int(sent.seconds / 10 * 255)))
    #expect(run.outcome(1)?.outcome == .provisioned)
  }

  @Test(
    "the elapsed byte is 255 at 10 s, and 0 beyond and for negative times",
    arguments: [
      (Duration.zero, 0), (.microseconds(39_215), 0), (.microseconds(39_216), 1), (.seconds(5), 127),
      (.microseconds(9_999_999), 254), (.seconds(10), 255), (.microseconds(10_000_001), 0),
      (.microseconds(-1), 0), (.seconds(-1), 0),
    ] as [(Duration, UInt8)])
  func elapsedByte(of elapsed: Duration, is byte: UInt8) {
    #expect(Firefly.byte(for: elapsed) == byte)
  }

  @Test("a keyboard with the same service is never taken for a Firefly")
  func keyboard() async throws {
    let keyboard = SensorScenario(address: Sample.address(1), family: .midiKeyboard)
    let named = try await run([keyboard])
    #expect(named.outcome(1)?.outcome == .unreachable)
    #expect(named.outcome(1)?.reason?.code == .notRecognised)
    var room = Self.room()
    room.address = nil
    let any = try await run([keyboard, Self.firefly(2)], rooms: [room], assignment: .any)
    #expect(any.outcome(1)?.reason?.addresses == [Sample.address(2)])
    for run in [named, any] {
      #expect(!run.writes.contains { $0.address == Sample.address(1) })
      #expect(run.flashes[Sample.address(1)]?.isSaved == false)
    }
  }

  @Test("a Firefly is never matched to a room that does not name it: its state is not on air")
  func unnamed() async throws {
    var rooms = [Self.room(1), Self.room(2)]
    rooms[0].address = nil
    try await succession([Self.firefly(1), Self.firefly(2)]) { [rooms] succession in
      let run = await succession.run(rooms, .any).expectInvariants()
      #expect(run.outcome(1)?.outcome == .ambiguous)
      #expect(run.outcome(1)?.reason?.code == .addressNeeded)
      #expect(run.outcome(1)?.reason?.addresses == [Sample.address(1)])
      #expect(run.outcome(2)?.outcome == .provisioned)
      #expect(run.connected.keys.sorted() == [Sample.address(2)])
      // Once named, it belongs to this room, and later by the record.
      var named = rooms
      named[0].address = Sample.address(1)
      let next = await succession.run(named, .any).expectInvariants()
      #expect(next.outcome(1)?.outcome == .provisioned)
      let last = await succession.run(rooms, .any)
      #expect(last.outcome(1)?.outcome == .alreadyProvisioned)
    }
  }

  @Test("a run with `match: any` does not wait for a Firefly that is not received")
  func unreceived() async throws {
    var room = Self.room()
    room.address = nil
    let run = try await run([], rooms: [room], assignment: .any)
    #expect(run.outcome(1)?.outcome == .pending)
    #expect(run.outcome(1)?.reason?.code == .addressNeeded)
  }

  @Test("an attempt at a Firefly that hangs after the connection ends in time and is retried")
  func hangs() async throws {
    let dead = try await run([Self.firefly(faults: [.diesWhenConnected])])
    #expect(dead.outcome(1)?.outcome == .failed)
    #expect(dead.outcome(1)?.reason?.stage == .discover)
    #expect(dead.endedAt.sinceZero < .seconds(25))
    let revived = try await run(
      [Self.firefly(faults: [.diesWhenConnected], attempts: 1)], rooms: [Self.room(retries: 1)])
    #expect(revived.outcome(1)?.outcome == .provisionedAfterRetry)
    #expect(revived.openLinks == 0)
  }

  @Test("a Firefly that does not disconnect is not provisioned")
  func staysConnected() async throws {
    let run = try await run([Self.firefly(faults: [.staysConnected])])
    #expect(run.outcome(1)?.outcome == .unconfirmed)
    #expect(run.outcome(1)?.reason?.code == .noSelfDisconnect)
    #expect(run.outcome(1)?.settings.allSatisfy { $0.state == .submitted } == true)
    #expect(run.openLinks == 0)
  }

  @Test(
    "a Firefly is written again when its link ends as late as a lost one, whether or not the write arrived",
    arguments: [Fault.DropStage.write(1), .confirm(1)])
  func lost(at point: Fault.DropStage) async throws {
    let fault = ScheduledFault(.drops(in: point), attempts: 1)
    var device = Self.firefly()
    device.faults = [fault]
    let run = try await run([device], rooms: [Self.room(retries: 1)])
    #expect(run.outcome(1)?.outcome == .provisionedAfterRetry)
    #expect(run.flashes[Sample.address(1)]?.isSaved == true)
    device.faults = [ScheduledFault(.drops(in: point))]
    let lost = try await self.run([device])
    #expect(lost.outcome(1)?.outcome == .unconfirmed)
    #expect(lost.outcome(1)?.reason?.code == .linkLost)
    #expect(lost.outcome(1)?.settings.allSatisfy { $0.state == .submitted } == true)
  }

  /// The Firefly appears later and later, in steps of 1 µs: around the end of the search, and around the end
  /// of the session during the connection. Either it was written and disconnected, or it received nothing.
  @Test(
    "a Firefly is either provisioned or not found, never both, at any instant of its appearance",
    arguments: ["search", "session"])
  func appearance(bound: String) async throws {
    var radio = RadioParameters()
    // At the last moment of the search there is enough time; on a slow radio there is not.
    let pace = Duration.milliseconds(bound == "search" ? 300 : 700)
    radio.connect = pace...pace
    radio.resolve = pace...pace
    radio.lateCharacteristics = 0
    func meet(after: Duration) async throws -> Rehearsed {
      try await run([Self.firefly(after: after)], radio: radio)
    }
    // The instant of the sighting if it appears at `base`; 1 µs later for each µs.
    let base = Duration.seconds(5)
    let probe = try await meet(after: base)
    let session = try #require(
      probe.facts { if case .stageStarted(let fact) = $0, fact.stage == .search { fact } else { nil } }.first)
    let sent = session.0.elapsed + .seconds(try #require(elapsed(probe)?.seconds))
    let sighted = probe.events.last { if case .deviceSighted = $0.fact { true } else { false } }?.elapsed
    let met = try #require(bound == "search" ? sighted : sent)
    let limit = session.0.elapsed + (bound == "search" ? .seconds(9) : .seconds(10))
    var outcomes: Set<Outcome> = []
    for step in -40...40 {
      let run = try await meet(after: base + (limit - met) + .microseconds(step))
      let finished = run.events.count { if case .roomFinished = $0.fact { true } else { false } }
      #expect(finished == 1)
      let room = try #require(run.outcome(1))
      let wasWritten = run.flashes[Sample.address(1)]?.isSaved == true
      #expect(room.outcome.isSuccess == wasWritten, "at \(step) µs: \(room.outcome), written: \(wasWritten)")
      #expect(run.openLinks == 0)
      outcomes.insert(room.outcome)
    }
    #expect(outcomes.contains(.provisioned) && outcomes.count == 2, "the sweep misses the edge: \(outcomes)")
  }

  @Test("without an adapter of this computer nothing is written: the network hides when the link ends")
  func remote() async throws {
    let rooms = [Self.room()]
    let host = HostName("floor-1")
    let run = try await rehearse(
      [], rooms: rooms,
      scenario: {
        $0.sensors = [Self.firefly()]
        for index in $0.adapters.indices { $0.adapters[index].host = host }
      },
      joining: { premises in
        CentralGroup([.init(host, await premises.central(of: host))])
      }
    ).expectInvariants()
    #expect(run.outcome(1)?.outcome == .actionRequired && run.outcome(1)?.reason == .localAdapterNeeded)
    #expect(run.writes.isEmpty)
  }

  @Test("an adapter of another host that receives it better leaves it to one of this computer")
  func weaker() async throws {
    let rooms = [Self.room()]
    let host = HostName("floor-1")
    let run = try await rehearse(
      [], rooms: rooms,
      scenario: {
        var firefly = Self.firefly()
        firefly.signal = SignalStrength(
          base: nil, perAdapter: [adapters[0].address: -75, adapters[1].address: -45])
        $0.sensors = [firefly]
        $0.adapters[1].host = host
      },
      joining: { premises in
        CentralGroup([
          .init(nil, await premises.central()),
          .init(host, await premises.central(of: host)),
        ])
      },
      during: { backstage, event in
        // The run must end by itself.
        if case .adapterSelected = event.fact { backstage.after(.seconds(300)) { backstage.interrupt() } }
      }
    ).expectInvariants()
    #expect(run.outcome(1)?.outcome == .provisioned, "\(String(describing: run.outcome(1)))")
  }

  @Test("beside adapters of other hosts, one of this computer writes it; without it the room ends")
  func beside() async throws {
    let rooms = [Self.room(retries: 2)]
    let host = HostName("floor-1")
    for losesLocal in [false, true] {
      let run = try await rehearse(
        [], rooms: rooms,
        scenario: {
          $0.sensors = [Self.firefly(after: .seconds(losesLocal ? 60 : 0))]
          $0.adapters[1].host = host
        },
        joining: { premises in
          CentralGroup([
            .init(nil, await premises.central()),
            .init(host, await premises.central(of: host)),
          ])
        },
        during: { backstage, event in
          guard losesLocal, case .attemptEnded = event.fact else { return }
          await backstage.world.setPresent(false, adapters[0].address)
        }
      ).expectInvariants()
      if losesLocal {
        #expect(run.outcome(1)?.reason == .localAdapterNeeded && run.writes.isEmpty)
      } else {
        #expect(run.outcome(1)?.outcome == .provisioned)
        let used = run.facts { if case .attemptStarted(let fact) = $0 { fact.adapter.host } else { nil } }
        #expect(used.isEmpty)
      }
    }
  }
}
