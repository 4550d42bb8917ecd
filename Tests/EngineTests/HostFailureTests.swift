import Bluetooth
import Engine
import Model
import Testing
import VirtualBuilding
import VirtualCentral
import VirtualTime
import Waiting

/// Failures of the host are detected, reported as such, and charged to no sensor.
@Suite("failures of the host") struct HostFailureTests {
  /// Two adapters are the normal case.
  private static let two = (1...2).map {
    AdapterScenario(address: BluetoothAddress(rawValue: 0x001A_7DDA_7100 + UInt64($0)), name: "hci\($0 - 1)")
  }
  private static let rooms = (1...8).map { Sample.room($0, address: UInt64($0), retries: 0) }

  /// The failures of attempts, in their order.
  private func failures(_ run: Rehearsed) -> [FailureReason] {
    run.facts { if case .attemptEnded(let fact) = $0 { fact.failure } else { nil } }.map(\.1)
  }

  private func faults(_ run: Rehearsed) -> [AdapterFault] {
    run.facts { if case .adapterFaulted(let fact) = $0 { fact } else { nil } }.map(\.1)
  }

  // MARK: Outages

  enum Outage: CaseIterable {
    case unplugged
    case poweredOff
    case stack

    func begin(in world: World) async {
      switch self {
      case .unplugged: await world.setPresent(false, HostFailureTests.two[0].address)
      case .poweredOff: await world.setPowered(false, HostFailureTests.two[0].address)
      case .stack: await world.stopStack()
      }
    }

    func end(in world: World) async {
      switch self {
      case .unplugged: await world.setPresent(true, HostFailureTests.two[0].address)
      case .poweredOff: await world.setPowered(true, HostFailureTests.two[0].address)
      case .stack: await world.startStack()
      }
    }
  }

  /// Every sensor is healthy and no room has a retry: any failure charged to a sensor would fail its room.
  @Test(
    "repeated outages of 20 to 900 ms leave every room provisioned without a retry",
    arguments: Outage.allCases, [20, 45, 110, 300, 900])
  func shortOutages(_ outage: Outage, milliseconds: Int) async throws {
    for seed in 1...4 as ClosedRange<UInt64> {
      let run = try await rehearse(
        Array(repeating: [], count: 8), rooms: Self.rooms, seed: seed,
        scenario: { $0.adapters = Self.two },
        during: { backstage, event in
          guard case .runStarted = event.fact else { return }
          for number in 0..<4 {
            let begin = Duration.milliseconds(700 + number * 1900 + Int(seed) * 137)
            backstage.after(begin) { await outage.begin(in: backstage.world) }
            backstage.after(begin + .milliseconds(milliseconds)) { await outage.end(in: backstage.world) }
          }
        }
      ).expectInvariants()
      #expect(run.result.outcome == .complete, "seed \(seed)")
      let charged = failures(run).filter {
        ![.adapterLost, .stackLost, .unknownToStack].contains($0.code)
          && $0.stackText != "virtual: outOfSlots"
      }
      #expect(charged.isEmpty, "seed \(seed)")
    }
  }

  @Test(
    "a link that is lost 0.5 s before its adapter is not charged to the sensor")
  func linkLostFirst() async throws {
    let first = Once()
    let run = try await rehearse(
      Array(repeating: [], count: 8), rooms: Self.rooms, scenario: { $0.adapters = Self.two },
      during: { backstage, event in
        guard case .settingWritten(let fact) = event.fact, await first.isFirst() else { return }
        let sensor = Sample.address(UInt64(fact.room.rawValue.dropFirst(5)) ?? 0)
        for adapter in Self.two.map(\.address)
        where await backstage.world.linkedSensors(on: adapter).contains(where: { $0.address == sensor }) {
          await backstage.world.dropLink(to: sensor)
          backstage.after(.milliseconds(500)) { await backstage.world.setPowered(false, adapter) }
          backstage.after(.milliseconds(800)) { await backstage.world.setPowered(true, adapter) }
        }
      }
    ).expectInvariants()
    #expect(failures(run).map(\.code).contains(.adapterLost))
    #expect(failures(run).allSatisfy { $0.code == .adapterLost })
    #expect(run.result.outcome == .complete)
  }

  @Test("a link that the sensor drops is charged to it while the adapter stays")
  func droppedLink() async throws {
    let run = try await rehearse([[ScheduledFault(.drops(in: .write(1)))]], retries: 0)
    #expect(failures(run).map(\.code) == [.linkLost])
    #expect(run.outcome(1)?.outcome == .failed)
  }

  // MARK: The stack forgets

  @Test(
    "an attempt at a device that the stack has forgotten sends nothing and is charged to no device",
    arguments: [1, 5])
  func forgotten(times: Int) async throws {
    let room = Sample.room(1, address: 1, retries: 0)
    let run = try await rehearse(
      [[]], rooms: [room], through: { central, _ in Forgetful(base: central, left: .init(times)) }
    ).expectInvariants()
    #expect(run.outcome(1)?.outcome == .provisioned && run.outcome(1)?.attempts == 1)
    #expect(failures(run).map(\.code) == Array(repeating: .unknownToStack, count: times))
    #expect(failures(run).allSatisfy { $0.stackText == "UnknownObject" })
    let delays = run.facts { if case .retryScheduled(let fact) = $0 { fact.delay } else { nil } }.map(\.1)
    #expect(delays.first == 0 && zip(delays, delays.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test("a device that the stack has forgotten is connected to within two seconds", arguments: [1, 2, 4])
  func receivedAgain(number: Int) async throws {
    let rooms = (1...4).map { Sample.room($0, address: UInt64($0), retries: 0) }
    let run = try await rehearse(
      Array(repeating: [], count: 4), rooms: rooms,
      through: { central, _ in
        Forgetful(base: central, left: .init(1), device: Sample.address(UInt64(number)))
      }
    ).expectInvariants()
    let begun = run.facts {
      if case .attemptStarted(let fact) = $0, fact.room == rooms[number - 1].id { fact } else { nil }
    }.map(\.0.elapsed)
    #expect(begun.count == 2)
    #expect(begun[1] - begun[0] < .seconds(2), "attempts after \(begun)")
    #expect(run.result.rooms.allSatisfy { $0.outcome == .provisioned })
  }

  @Test("a device that the stack does not know at one moment is forgotten later, so nothing stays in storage")
  func unknownForAMoment() async throws {
    let room = Sample.room(1, address: 1)
    let run = try await rehearse(
      [[]], rooms: [room], through: { central, _ in Reloading(base: central, left: .init(1)) }
    ).expectInvariants()
    #expect(run.outcome(1)?.outcome == .provisioned)
  }

  @Test("a stack that forgets a device forever ends the room without a failure of the sensor")
  func alwaysForgotten() async throws {
    let room = Sample.room(1, address: 1, retries: 0)
    let run = try await rehearse(
      [[]], rooms: [room], through: { central, _ in Forgetful(base: central, left: .init(.max)) }
    ).expectInvariants()
    #expect(run.outcome(1)?.outcome == .unreachable)
    #expect(run.outcome(1)?.reason?.code == .unknownToStack)
    #expect(run.outcome(1)?.attempts == 0)
    #expect(run.events.count < 120)
  }

  // MARK: Refused scans

  @Test("refused scans are retried with growing cool-downs, and the tenth refusal ends the run")
  func alwaysRefused() async throws {
    let room = Sample.room(1, address: 1)
    let run = try await rehearse(
      [[]], rooms: [room],
      scenario: { $0.adapters = oneAdapter },
      through: { central, _ in RefusesToScan(base: central, adapter: adapters[0].address, left: .init(.max)) }
    ).expectInvariants()
    #expect(run.result.radioFailure?.code == .adapterUnavailable(.poweredOff))
    #expect(faults(run).map(\.fault) == [.refusesToScan])
    #expect(run.events.count < 60, "refused scans must not fill the record")
    #expect(run.endedAt.sinceZero > .seconds(20))
  }

  @Test("a run continues on the other adapter when one of two refuses to scan", arguments: [3, Int.max])
  func oneRefusing(times: Int) async throws {
    let run = try await rehearse(
      Array(repeating: [], count: 8), rooms: Self.rooms, scenario: { $0.adapters = Self.two },
      through: { central, _ in
        RefusesToScan(base: central, adapter: Self.two[0].address, left: .init(times))
      }
    ).expectInvariants()
    #expect(run.result.outcome == .complete)
    #expect(run.events.count < 600)
  }

  // MARK: Deaf adapters

  @Test("a deaf adapter is power-cycled, and the run continues")
  func deaf() async throws {
    let rooms = Array(Self.rooms.prefix(3))
    let run = try await rehearse(
      [[], [], []], rooms: rooms, scenario: { $0.adapters = oneAdapter },
      before: { world, _ in await world.setDeaf(true, adapters[0].address) }
    ).expectInvariants()
    #expect(run.result.outcome == .complete)
    #expect(
      faults(run)
        == [.init(adapter: AdapterID(adapters[0].address), fault: .receivesNothing, wasPowerCycled: true)])
  }

  @Test("an adapter that stays deaf is reported once, and no sensor is reported as unpowered")
  func deafAdapter() async throws {
    let rooms = Array(Self.rooms.prefix(3))
    let run = try await rehearse(
      [[], [], []], rooms: rooms, scenario: { $0.adapters = oneAdapter },
      before: { world, _ in await world.setDeaf(true, adapters[0].address) },
      through: { central, _ in MayNotPowerCycle(base: central) }
    ).expectInvariants()
    #expect(run.result.rooms.map(\.outcome) == [.unreachable, .unreachable, .unreachable])
    #expect(run.result.rooms.allSatisfy { $0.reason?.code == .adapterDeaf })
    let adapter = AdapterID(adapters[0].address)
    #expect(
      faults(run) == [
        .init(adapter: adapter, fault: .receivesNothing, stackText: "not permitted"),
        .init(adapter: adapter, fault: .receivesNothing),
      ])
  }

  @Test("a request to stop does not end a power cycle, and the proof still arrives through the adapter")
  func stoppedDuringPowerCycle() async throws {
    let (cycles, cycle) = AsyncStream.makeStream(of: Void.self)
    let rooms = Array(Self.rooms.prefix(1))
    let run = try await rehearse(
      [[]], rooms: rooms, scenario: { $0.adapters = oneAdapter },
      through: { central, clock in SlowPowerCycle(base: central, clock: clock, begun: cycle) },
      during: { backstage, event in
        guard case .saveSubmitted = event.fact else { return }
        await backstage.world.setDeaf(true, adapters[0].address)
        backstage.after(.zero) { for await _ in cycles { backstage.interrupt() } }
      }
    ).expectInvariants()
    #expect(run.facts { if case .operatorRequested = $0 { true } else { nil } }.count == 1)
    #expect(
      faults(run)
        == [.init(adapter: AdapterID(adapters[0].address), fault: .receivesNothing, wasPowerCycled: true)])
    #expect(run.outcome(1)?.outcome == .provisioned)
  }

  @Test("one deaf adapter of two is named, and the rooms that the other one receives are done")
  func oneDeaf() async throws {
    let run = try await rehearse(
      Array(repeating: [], count: 8), rooms: Self.rooms, scenario: { $0.adapters = Self.two },
      before: { world, _ in await world.setDeaf(true, Self.two[1].address) }
    ).expectInvariants()
    #expect(run.result.outcome == .complete)
    #expect(faults(run).map(\.adapter) == [AdapterID(Self.two[1].address)])
  }

  @Test(
    "an adapter that receives nothing beside another one is switched off and on, even if no room waits for it"
  )
  func deafBesideAnother() async throws {
    let rooms = Array(Self.rooms.prefix(3))
    let run = try await rehearse(
      Array(repeating: [ScheduledFault(.slow)], count: 3), rooms: rooms, scenario: { $0.adapters = Self.two },
      before: { world, _ in await world.setDeaf(true, Self.two[1].address) }
    ).expectInvariants()
    #expect(run.result.outcome == .complete)
    let deaf = AdapterID(Self.two[1].address)
    // Afterwards it may receive nothing either: no device advertises while it is connected.
    #expect(
      faults(run).first == .init(adapter: deaf, fault: .receivesNothing, wasPowerCycled: true))
  }

  /// A chip that has died receives no advertisement, neither during a scan nor during a connection attempt.
  @Test(
    "an adapter that turns deaf in mid-run is switched off and on, and no sensor is charged",
    arguments: [1, 3])
  func deafInMidRun(adapters count: Int) async throws {
    let adapters = Array(ParallelScenarios.four.prefix(count))
    let rooms = (1...(count * 20)).map { Sample.room($0, address: UInt64($0), retries: 0) }
    let run = try await rehearse(
      Array(repeating: [], count: rooms.count), rooms: rooms, scenario: { $0.adapters = adapters },
      during: { backstage, event in
        guard case .saveSubmitted(let fact) = event.fact, fact.room == "room-1" else { return }
        await backstage.world.setDeaf(true, adapters[0].address)
      }
    ).expectInvariants()
    #expect(
      failures(run).allSatisfy { [.adapterLost, .outOfSlots].contains($0.code) }, "\(failures(run))")
    #expect(run.result.outcome == .complete)
    #expect(
      faults(run)
        == [.init(adapter: AdapterID(adapters[0].address), fault: .receivesNothing, wasPowerCycled: true)])
  }

  @Test(
    "the only adapter that turns deaf at its last connections charges no sensor, and 4 s of scanning show it",
    arguments: [1, 2, 3], [(0, Duration.seconds(15)), (2, .seconds(6))])
  func deafAtTheEnd(last count: Int, retries: (count: Int, connect: Duration)) async throws {
    let rooms = (1...5).map { Sample.room($0, address: UInt64($0), retries: retries.count) }
    let deafFrom = RoomID(rawValue: "room-\(6 - count)")
    let turned = OneShot<Void>()
    let run = try await rehearse(
      Array(repeating: [], count: 5), rooms: rooms, scenario: { $0.adapters = oneAdapter },
      during: { backstage, event in
        guard case .attemptStarted(let fact) = event.fact, fact.room == deafFrom, turned.fulfill() else {
          return
        }
        await backstage.world.setDeaf(true, adapters[0].address)
      }
    ).expectInvariants()
    #expect(
      failures(run).allSatisfy { [.adapterLost, .outOfSlots].contains($0.code) }, "\(failures(run))")
    #expect(run.result.outcome == .complete)
    let fault = try #require(run.events.first { $0.fact.kind == "adapter_faulted" })
    let began = try #require(
      run.events.first {
        if case .attemptStarted(let fact) = $0.fact { fact.room == deafFrom } else { false }
      })
    let took = fault.elapsed - began.elapsed
    #expect(took < retries.connect * min(count, 2) + .seconds(5), "\(took)")
  }

  // MARK: Adapters without links

  @Test("an adapter that receives devices but makes no link is switched off and on", arguments: [1, 2])
  func withoutLinks(adapters count: Int) async throws {
    let rooms = (1...4).map { Sample.room($0, address: UInt64($0), retries: 2) }
    let run = try await rehearse(
      Array(repeating: [], count: 4), rooms: rooms, scenario: { $0.adapters = Array(Self.two.prefix(count)) },
      before: { world, _ in await world.loseTrack(of: adapters[0].address) }
    ).expectInvariants()
    #expect(run.result.outcome == .complete)
    let fault = AdapterFault(
      adapter: AdapterID(adapters[0].address), fault: .makesNoLink, wasPowerCycled: true)
    // Beside another adapter it need not come to two attempts.
    #expect(faults(run) == [fault] || count == 2 && faults(run).isEmpty)
  }

  @Test(
    "attempts in a row without a link put the adapter under suspicion once, earlier if it has made none",
    arguments: [(healthy: 0, retries: 0, false), (0, 1, true), (1, 1, false), (1, 2, true), (1, 5, true)])
  func deadSensor(healthy: Int, retries: Int, isSuspected: Bool) async throws {
    let rooms = (1...(healthy + 1)).map { Sample.room($0, address: UInt64($0), retries: retries) }
    let run = try await rehearse(
      rooms.indices.map { $0 < healthy ? [] : [ScheduledFault(.neverAnswers)] }, rooms: rooms,
      scenario: { $0.adapters = oneAdapter }
    ).expectInvariants()
    #expect(faults(run).map(\.fault) == (isSuspected ? [.makesNoLink] : []))
    #expect(run.result.rooms.map(\.outcome.isSuccess) == Array(repeating: true, count: healthy) + [false])
    #expect(run.result.rooms.last?.reason?.code == .connectTimedOut)
  }

  @Test(
    "a device that did not answer while its adapter could make links says nothing against an adapter later",
    arguments: [1, 2])
  func deadBeforeHealthySensors(adapters count: Int) async throws {
    let rooms = (1...20).map { Sample.room($0, address: UInt64($0), retries: 2) }
    let dead = [1, 2, 7, 8]
    let run = try await rehearse(
      (1...20).map { dead.contains($0) ? [ScheduledFault(.neverAnswers)] : [] }, rooms: rooms,
      scenario: { $0.adapters = Array(Self.two.prefix(count)) }
    ).expectInvariants()
    #expect(run.result.rooms.map(\.outcome.isSuccess) == (1...20).map { !dead.contains($0) })
    #expect(failures(run).count { $0.code == .connectTimedOut } == dead.count * 3)
    #expect(faults(run).isEmpty)
  }

  @Test("sensors that do not answer are charged when the adapter receives others")
  func deadSensors() async throws {
    let rooms = (1...6).map { Sample.room($0, address: UInt64($0), retries: 0) }
    let run = try await rehearse(
      (1...6).map { $0 % 2 == 0 ? [ScheduledFault(.neverAnswers)] : [] }, rooms: rooms,
      scenario: { $0.adapters = oneAdapter }
    ).expectInvariants()
    #expect(run.result.rooms.map(\.outcome.isSuccess) == [true, false, true, false, true, false])
    #expect(failures(run).map(\.code) == Array(repeating: .connectTimedOut, count: 3))
    #expect(faults(run).isEmpty)
  }

  @Test("one of three adapters that never receives anything is named, whatever is done about it")
  func neverReceives() async throws {
    let adapters = Array(ParallelScenarios.four.prefix(3))
    let run = try await rehearse(
      Array(repeating: [], count: 8), rooms: Self.rooms, scenario: { $0.adapters = adapters },
      before: { world, _ in await world.setDeaf(true, adapters[2].address) },
      through: { central, _ in MayNotPowerCycle(base: central) }
    ).expectInvariants()
    #expect(run.result.outcome == .complete)
    #expect(Set(faults(run).map(\.adapter)) == [AdapterID(adapters[2].address)])
    #expect(faults(run).last?.wasPowerCycled == nil)
  }

  // MARK: Links of a killed run

  @Test("links that a killed run left behind are all ended at the same time, while the survey scans")
  func leftLinks() async throws {
    let run = try await rehearse(
      Array(repeating: [], count: 5), rooms: Array(Self.rooms.prefix(5)),
      before: { world, clock in
        try await world.startDiscovery(on: adapters[0].address)
        try await clock.sleep(for: .seconds(1))
        await world.stopDiscovery(on: adapters[0].address)
        for number in 1...5 as ClosedRange<UInt64> {
          _ = try await world.connect(to: Sample.address(number), on: adapters[0].address)
        }
      })
    let released = run.facts { if case .linkReleased = $0 { true } else { nil } }.map(\.0.elapsed)
    #expect(released.count == 5)
    #expect(released.allSatisfy { $0 < .seconds(4) })
    let scans = run.facts { if case .scanStarted = $0 { true } else { nil } }.map(\.0.elapsed)
    #expect(scans.first.map { $0 < .milliseconds(500) } == true)
    #expect(run.result.outcome == .complete)
    #expect(run.result.rooms.allSatisfy { $0.attempts == 1 })
  }
}

/// A stack that does not know a device for a moment when it should forget it, as while bluetoothd loads its
/// storage.
private struct Reloading: WrappingCentral {
  let base: VirtualCentral
  let left: Countdown

  func forget(
    _ address: BluetoothAddress, on adapter: AdapterID, removingBond: Bool
  ) async throws(CentralError) -> Bool {
    left.takeOne() ? false : try await base.forget(address, on: adapter, removingBond: removingBond)
  }
}

/// A stack that has forgotten devices, or one of them, a number of times before a connection.
private struct Forgetful: WrappingCentral {
  let base: VirtualCentral
  let left: Countdown
  var device: BluetoothAddress?

  func connect(
    to address: BluetoothAddress, on adapter: AdapterID, pairing: Pairing?,
    linked: @escaping @Sendable () -> Void
  ) async throws(CentralError) -> any Peripheral {
    if device == nil || device == address, left.takeOne() {
      _ = try? await base.forget(address, on: adapter)
      throw CentralError(.peripheralUnknown, stackText: "UnknownObject")
    }
    return try await base.connect(to: address, on: adapter, pairing: pairing, linked: linked)
  }
}

/// A stack that reports an adapter as ready and refuses to scan with it because it is not.
private struct RefusesToScan: WrappingCentral {
  let base: VirtualCentral
  let adapter: BluetoothAddress
  let left: Countdown

  func scan<Result: Sendable>(
    on adapter: AdapterID, _ body: @Sendable (AdvertisementStream) async throws(CentralError) -> Result
  ) async throws(CentralError) -> Result {
    if adapter.address == self.adapter, left.takeOne() {
      throw CentralError(.adapterUnavailable(.poweredOff), stackText: "org.bluez.Error.NotReady")
    }
    return try await base.scan(on: adapter, body)
  }
}

private struct MayNotPowerCycle: WrappingCentral {
  let base: VirtualCentral

  func powerCycle(_ adapter: AdapterID) async throws(CentralError) {
    throw CentralError(.permissionDenied, stackText: "not permitted")
  }
}

/// A stack that takes 2 s to switch an adapter off and on.
private struct SlowPowerCycle: WrappingCentral {
  let base: VirtualCentral
  let clock: VirtualClock
  let begun: AsyncStream<Void>.Continuation

  func powerCycle(_ adapter: AdapterID) async throws(CentralError) {
    begun.yield()
    try? await clock.sleep(for: .seconds(2))
    try await base.powerCycle(adapter)
  }
}
