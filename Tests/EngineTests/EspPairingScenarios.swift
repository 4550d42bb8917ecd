import Bluetooth
import Engine
import Families
import Foundation
import Model
import Testing
import VirtualBuilding

/// ESP-IDF devices whose firmware demands an encrypted link.
@Suite("devices that are paired", .timeLimit(.minutes(60))) struct EspPairingScenarios {
  private static func room(_ number: Int = 1, pairing: PairingDemand) -> Room {
    var room = EspScenarios.room(number)
    room.access[.pairing] = .text(pairing.rawValue)
    return room
  }

  private func run(
    _ rooms: [Room], _ kinds: [Fault], faults: [ScheduledFault] = [],
    request: @escaping @Sendable (inout ApplyRequest) -> Void = { _ in },
    during: @escaping @Sendable (Backstage, RunEvent) async -> Void = { _, _ in }
  ) async throws -> Rehearsed {
    let run = try await rehearse(
      [], rooms: rooms,
      scenario: { scenario in
        scenario.sensors = rooms.indices.map {
          SensorScenario(
            address: Sample.address(UInt64($0 + 1)), family: .espIDF,
            faults: kinds.map { ScheduledFault($0) } + faults)
        }
      }, request: request, during: during
    ).expectInvariants()
    #expect(run.openLinks == 0)
    return run
  }

  @Test("a device is paired and joins; the bond is on record before it is made, and removed afterwards")
  func done() async throws {
    let run = try await run(
      [Self.room(pairing: .justWorks)], [.pairing(.demanded)],
      during: { backstage, event in
        // The event is on record now.
        guard case .bondIntended(let fact) = event.fact else { return }
        #expect(await !backstage.world.hasBond(with: fact.address, on: fact.adapter.address))
      })
    #expect(run.outcome(1)?.outcome == .provisioned)
    let intended = run.facts { if case .bondIntended(let fact) = $0 { fact } else { nil } }.map(\.1)
    let removed = run.facts { if case .bondRemoved(let fact) = $0 { fact } else { nil } }.map(\.1)
    #expect(intended.map(\.address) == [Sample.address(1)])
    #expect(removed.map(\.address) == [Sample.address(1)] && removed[0].adapter == intended[0].adapter)
    #expect(run.remembered == [])
  }

  @Test("without pairing such a device says what it demands, and nothing is written")
  func demanded() async throws {
    let run = try await run([Self.room(pairing: .unneeded)], [.pairing(.demanded)])
    #expect(run.outcome(1)?.reason?.code == .pairingRequired && run.writes.isEmpty)
    #expect(run.facts { if case .bondIntended = $0 { true } else { nil } }.isEmpty)
  }

  @Test("a device that does not pair is not blamed on distance, and gets one attempt")
  func refused() async throws {
    let run = try await run([Self.room(pairing: .justWorks)], [])
    let room = try #require(run.outcome(1))
    #expect(room.outcome == .actionRequired && room.reason?.code == .pairingRefused && room.attempts == 1)
    #expect(run.writes.isEmpty && run.remembered == [])
  }

  /// A room whose device is paired only if it demands that, its device, and what becomes of it.
  struct IfAsked: CustomTestStringConvertible, Sendable {
    var faults: [ScheduledFault] = []
    var retries = 1
    let outcome: Outcome
    var reason: FailureReason.Code?
    let attempts: Int
    /// How often it is paired.
    let pairings: Int
    var testDescription: String { "\(faults.map(\.fault)) \(retries): \(outcome)" }
  }

  @Test(
    "a device that is paired if it demands that is tried without, and paired in the next attempt",
    arguments: [
      IfAsked(outcome: .provisioned, attempts: 1, pairings: 0),
      IfAsked(
        faults: [.init(.pairing(.demanded))], outcome: .provisionedAfterRetry, attempts: 2, pairings: 1),
      // The first attempt is to show the demand, whatever the retries.
      IfAsked(
        faults: [.init(.pairing(.demanded))], retries: 0, outcome: .provisionedAfterRetry, attempts: 2,
        pairings: 1),
      IfAsked(
        faults: [.init(.pairing(.demanded)), .init(.pairing(.refused))], retries: 3, outcome: .actionRequired,
        reason: .pairingRefused, attempts: 2, pairings: 1),
      // A lost link may be a demand of it. A device that does not pair did not demand it.
      IfAsked(
        faults: [.init(.drops(in: .write(1)), attempts: 1)], retries: 2, outcome: .provisionedAfterRetry,
        attempts: 3, pairings: 1),
      IfAsked(
        faults: [.init(.drops(in: .write(1)))], retries: 3, outcome: .failed, reason: .linkLost, attempts: 4,
        pairings: 2),
    ])
  func ifAsked(_ example: IfAsked) async throws {
    var room = Self.room(pairing: .ifAsked)
    room.retries = example.retries
    let run = try await run([room], [], faults: example.faults)
    let finished = try #require(run.outcome(1))
    #expect(finished.outcome == example.outcome && finished.reason?.code == example.reason)
    #expect(finished.attempts == example.attempts)
    #expect(run.facts { if case .bondIntended = $0 { true } else { nil } }.count == example.pairings)
    #expect(run.remembered == [])
  }

  @Test(
    "each fault of pairing has its reason, and no bond remains",
    arguments: [
      (.refused, .pairingRefused), (.full, .pairingRefused), (.silent, .pairingLost), (.lost, .pairingLost),
      (.losesKey, nil),
    ] as [(PairingFault, FailureReason.Code?)])
  func fault(_ fault: PairingFault, _ reason: FailureReason.Code?) async throws {
    var room = Self.room(pairing: .justWorks)
    room.retries = 0
    let run = try await run([room], [.pairing(.demanded), .pairing(fault)])
    #expect(run.outcome(1)?.reason?.code == reason)
    #expect(run.remembered == [])
    let removed = run.facts { if case .bondRemoved = $0 { true } else { nil } }
    #expect(removed.count == 1)
  }

  @Test("a device that is not there while it is to be paired fails as any other")
  func silent() async throws {
    let run = try await run(
      [Self.room(pairing: .justWorks)], [.pairing(.demanded)], faults: [.init(.neverAnswers)])
    #expect(run.outcome(1)?.reason?.code == .connectTimedOut)
  }

  @Test(
    "one device is paired at a time, also over two adapters, and rooms that need no pairing do not wait for it",
    arguments: [.justWorks, .ifAsked] as [PairingDemand], [1, 2])
  func several(_ demand: PairingDemand, adapters: Int) async throws {
    let rooms = (1...8).map { Self.room($0, pairing: $0 % 2 == 0 ? demand : .unneeded) }
    let run = try await rehearse(
      [], rooms: rooms,
      scenario: { scenario in
        scenario.adapters = Array(ParallelScenarios.four.prefix(adapters))
        scenario.sensors = rooms.indices.map { index in
          SensorScenario(
            address: Sample.address(UInt64(index + 1)), family: .espIDF,
            faults: index % 2 == 0 ? [] : [ScheduledFault(.pairing(.demanded))])
        }
      }
    ).expectInvariants()
    let paired: Outcome = demand == .ifAsked ? .provisionedAfterRetry : .provisioned
    #expect(run.result.rooms.map(\.outcome) == (1...8).map { $0 % 2 == 0 ? paired : .provisioned })
    #expect(run.facts { if case .bondIntended = $0 { true } else { nil } }.count >= 4)
    // A pairing ends with its stage.
    var pairing: Set<RoomID> = []
    for event in run.events {
      switch event.fact {
      case .bondIntended(let fact):
        #expect(pairing.isEmpty, "\(pairing) and \(fact.room)")
        pairing.insert(fact.room)
      case .stageEnded(let fact) where fact.stage == .connect: pairing.remove(fact.room)
      default: break
      }
    }
  }

  @Test("a bond without the passkey is not kept, whatever its family says, and nothing is written over it")
  func unused() async throws {
    var (family, room) = (DeviceFamily.espIDF, Self.room(pairing: .passkey))
    family.keepsBond = true
    room.sharedFamily = Shared(family)
    room.access[.passkey] = .secret(Secret("012345"))
    let run = try await run([room], [.pairing(.demanded)])
    #expect(run.outcome(1)?.outcome == .actionRequired && run.outcome(1)?.reason?.code == .passkeyUnused)
    let intended = run.facts { if case .bondIntended(let fact) = $0 { fact } else { nil } }.map(\.1)
    #expect(intended.map(\.kept) == [nil])
    #expect(run.facts { if case .bondRemoved = $0 { true } else { nil } }.count == 1)
    #expect(run.writes.isEmpty && run.remembered == [])
  }

  @Test("a bond that a family keeps is on record as kept, and stays; the next attempt uses it")
  func kept() async throws {
    var (family, room) = (DeviceFamily.espIDF, Self.room(pairing: .justWorks))
    family.keepsBond = true
    room.sharedFamily = Shared(family)
    let run = try await rehearse(
      [], rooms: [room],
      scenario: { scenario in
        scenario.adapters = [adapters[0]]
        scenario.sensors = [
          SensorScenario(
            address: Sample.address(1), family: .espIDF,
            faults: [.init(.pairing(.demanded)), .init(.drops(in: .write(1)), attempts: 1)])
        ]
      })
    #expect(run.outcome(1)?.outcome == .provisionedAfterRetry)
    let intended = run.facts { if case .bondIntended(let fact) = $0 { fact } else { nil } }.map(\.1)
    #expect(intended.map(\.kept) == [nil, true] && intended.allSatisfy { $0.protected == nil })
    #expect(run.facts { if case .bondRemoved = $0 { true } else { nil } }.isEmpty)
    #expect(run.remembered == [Sample.address(1)])
  }

  @Test("a run removes the bonds that a killed one left, before it uses the adapter, and no other")
  func left() async throws {
    let adapter = AdapterID(adapters[0].address)
    let (recorded, other) = (Sample.address(2), Sample.address(3))
    let run = try await rehearse(
      [], rooms: [Self.room(pairing: .justWorks)],
      scenario: { scenario in
        scenario.sensors = (1...3).map {
          SensorScenario(
            address: Sample.address($0), family: .espIDF, faults: [ScheduledFault(.pairing(.demanded))])
        }
      },
      before: { world, clock in
        for address in [recorded, other] {
          let link = try await world.connect(to: address, on: adapter.address)
          _ = try await world.beginPairing(over: link, hasKeyboard: false)
          try await world.finishPairing(over: link, passkey: nil)
          await world.disconnect(link)
          try await clock.sleep(for: .seconds(5))
        }
      },
      request: { request in
        var lastKnown = LastKnownBuilding()
        lastKnown.bonds.take(
          .bondIntended(.init(room: "lobby", attempt: 1, address: recorded, adapter: adapter)))
        request.known = Known(lastKnown: lastKnown)
      },
      during: { backstage, event in
        switch event.fact {
        case .bondRemoved(let fact):
          #expect(await !backstage.world.hasBond(with: fact.address, on: fact.adapter.address))
        case .runFinished:
          #expect(await backstage.world.hasBond(with: other, on: adapter.address))
        default: break
        }
      })
    let removed = run.facts { if case .bondRemoved(let fact) = $0 { fact } else { nil } }.map(\.1)
    #expect(removed.first == BondRemoved(address: recorded, adapter: adapter))
    #expect(run.outcome(1)?.outcome == .provisioned)
  }
}
