import Bluetooth
import Engine
import Model
import Synchronization
import Testing
import VirtualBuilding
import VirtualCentral
import VirtualTime
import Simulation

/// The loss of a host costs its own adapters, and nothing else.
@Suite("adapters of several hosts") struct HostScenarios {
  private static let gateways = ["floor-1", "floor-2", "floor-3"].compactMap { HostName($0) }
  /// This computer.
  private static let noBluetooth = CentralGroup.Member(nil, Failing(code: .stackUnavailable))
  private static let adapters = gateways.enumerated().map { number, host in
    AdapterScenario(
      address: BluetoothAddress(rawValue: 0x001A_7DDA_7101 + UInt64(number)), on: host, name: "hci0")
  }
  private static let rooms = (1...18).map { number in
    var room = Sample.room(number, address: UInt64(number), retries: 0)
    room.floor = "\((number - 1) / 6 + 1)"
    return room
  }

  /// A run with the adapters of three gateways and none of this computer.
  /// - Parameters:
  ///   - delay: of each message; it takes up to twice as long.
  ///   - hasFloors: whether the manifest names the floor of each gateway.
  ///   - adapters: those that the run may use; all if empty.
  ///   - faults: of the first device.
  private func run(
    rooms: [Room] = HostScenarios.rooms, seed: UInt64 = 1, delay: Duration = .zero, runs: Int = 1,
    hasFloors: Bool = false, adapters: [AdapterReference] = [], faults: [ScheduledFault] = [],
    before: @escaping @Sendable (VirtualNetworks) -> Void = { _ in },
    during: @escaping @Sendable (Backstage, RunEvent) async -> Void = { _, _ in }
  ) async throws -> Rehearsed {
    try await rehearse(
      [faults] + Array(repeating: [], count: rooms.count - 1), rooms: rooms, seed: seed, runs: runs,
      scenario: {
        $0.adapters = Self.adapters
        $0.hosts = Self.gateways.map { HostScenario($0, delay: delay, jitter: delay) }
      },
      request: { request in
        request.adapters = adapters
        guard hasFloors else { return }
        request.building.hosts = Self.gateways.enumerated().map { number, host in
          HostDescription(host, ssh: host.text, floors: ["\(number + 1)"])
        }
      },
      joining: { premises in
        before(premises.networks)
        let remote = await premises.networks.centrals(in: premises.world, clock: premises.clock)
        return CentralGroup([Self.noBluetooth] + remote.map { CentralGroup.Member($0.host, $0.central) })
      },
      during: during)
  }

  private func unavailable(_ run: Rehearsed) -> [HostUnavailable] {
    run.facts { if case .hostUnavailable(let fact) = $0 { fact } else { nil } }.map(\.1)
  }

  private func attempts(_ run: Rehearsed) -> [AttemptStarted] {
    run.facts { if case .attemptStarted(let fact) = $0 { fact } else { nil } }.map(\.1)
  }

  @Test(
    "the rooms are shared out over the gateways, whose names the record has; this computer needs no Bluetooth"
  )
  func together() async throws {
    let run = try await run().expectInvariants(Self.rooms)
    #expect(run.result.outcome == .complete)
    #expect(unavailable(run).isEmpty)
    let selected = run.facts { if case .adapterSelected(let fact) = $0 { fact } else { nil } }.map(\.1)
    #expect(selected.map(\.name) == ["floor-1/hci0", "floor-2/hci0", "floor-3/hci0"])
    #expect(selected.map(\.adapter.host) == Self.gateways)
    #expect(Set(attempts(run).compactMap(\.adapter.host)) == Set(Self.gateways))
  }

  private func isAtHome(_ attempt: AttemptStarted) -> Bool {
    Self.rooms.first { $0.address == attempt.address }?.floor
      == attempt.adapter.host?.text.suffix(1).description
  }

  @Test("the rooms of a floor are left to its gateway, unless it is lost or fails with their device")
  func floors() async throws {
    for seed in 1...4 as ClosedRange<UInt64> {
      let shared = try await run(seed: seed)
      #expect(!attempts(shared).allSatisfy(isAtHome))
      let healthy = try await run(seed: seed, hasFloors: true).expectInvariants(Self.rooms)
      #expect(healthy.result.outcome == .complete && attempts(healthy).allSatisfy(isAtHome), "seed \(seed)")

      var rooms = Self.rooms
      rooms[0].retries = 1
      let failing = try await run(
        rooms: rooms, seed: seed, hasFloors: true,
        faults: [ScheduledFault(.drops(in: .connect), attempts: 1)]
      ).expectInvariants()
      #expect(failing.result.outcome == .complete, "seed \(seed)")
      // A room for which its gateway had no slot goes to another one, too.
      let refused = failing.facts {
        if case .attemptEnded(let fact) = $0, fact.failure?.code == .outOfSlots { fact.room } else { nil }
      }.map(\.1)
      let away = attempts(failing).filter { !isAtHome($0) && !refused.contains($0.room) }
      #expect(away.map(\.room) == [rooms[0].id], "seed \(seed)")

      let lost = try await run(
        seed: seed, hasFloors: true,
        during: { backstage, event in
          guard case .scanStopped(let fact) = event.fact, fact.purpose == .survey else { return }
          backstage.networks[Self.gateways[1]]?.lose()
        }
      ).expectInvariants(Self.rooms)
      #expect(lost.result.outcome == .complete, "seed \(seed): \(lost.result.rooms)")
      let others = attempts(lost).filter { !isAtHome($0) }.map(\.adapter.host)
      #expect(others.count >= 6 && !others.contains(Self.gateways[1]), "seed \(seed)")
    }
  }

  @Test("each stage of a session may last four round trips of its network longer, which the record says")
  func slow() async throws {
    let run = try await run(delay: .milliseconds(125))
    #expect(run.result.outcome == .complete)
    let stages = run.facts { if case .stageStarted(let fact) = $0 { fact } else { nil } }.map(\.1)
    #expect(!stages.isEmpty)
    for stage in stages where stage.stage != .verify {
      #expect(stage.timeout == StageTimeouts()[stage.stage].inSeconds + 2, "\(stage)")
    }
  }

  /// When a gateway is lost.
  enum Moment: String, CaseIterable {
    case survey
    case connecting
    case session
    case saved
    case proof

    var hasLinks: Bool { self != .survey }

    func isNow(_ fact: Fact) -> Bool {
      switch (self, fact) {
      case (.survey, .scanStarted): true
      case (.connecting, .stageStarted(let fact)): fact.stage == .connect
      case (.session, .settingWritten): true
      case (.saved, .saveSubmitted): true
      case (.proof, .linkEnded): true
      default: false
      }
    }
  }

  /// A run in which a gateway is lost at a moment.
  /// - Parameter cause: what the record says of the gateway, and of no other one.
  /// - Returns: the run, and the gateway.
  private func run(
    _ seed: UInt64, losing moment: Moment, _ cause: HostUnavailable.Cause,
    _ lose: @escaping @Sendable (HostName, Backstage) async -> Void
  ) async throws -> (run: Rehearsed, host: HostName) {
    let lost = Mutex<HostName?>(nil)
    let run = try await run(
      seed: seed, delay: .milliseconds(seed % 3 * 50),
      during: { backstage, event in
        guard moment.isNow(event.fact), let host = Self.host(of: event.fact, lost.withLock { $0 }) else {
          return
        }
        lost.withLock { $0 = host }
        await lose(host, backstage)
      }
    ).expectInvariants(Self.rooms)
    let host = try #require(lost.withLock { $0 })
    #expect(unavailable(run).map(\.host) == [host], "seed \(seed)")
    #expect(unavailable(run).first?.cause == cause)
    return (run, host)
  }

  @Test(
    "a gateway that is lost for a while, or for good, costs no room its success and no device a retry",
    arguments: Moment.allCases, [true, false])
  func lost(at moment: Moment, comesBack: Bool) async throws {
    for seed in 1...6 as ClosedRange<UInt64> {
      let (run, host) = try await run(seed, losing: moment, .unreachable) { host, backstage in
        let network = backstage.networks[host]
        network?.lose()
        if comesBack { backstage.after(.seconds(7)) { network?.restore() } }
      }
      // What was submitted may be on the device without a proof.
      for room in run.result.rooms where room.outcome != .provisioned {
        // A gateway keeps the links of a connection that is lost, so that nothing receives these devices.
        if !comesBack, moment.hasLinks, room.adapter?.host == host {
          #expect([.failed, .unconfirmed].contains(room.outcome), "seed \(seed): \(room)")
          continue
        }
        #expect(
          moment == .saved || moment == .proof, "seed \(seed): \(room)")
        #expect([.provisionedAfterRetry, .unconfirmed].contains(room.outcome), "seed \(seed): \(room)")
      }
      #expect(charged(run).isEmpty || !comesBack && moment.hasLinks, "seed \(seed): \(charged(run))")
      // The others went on without a break.
      let others = attempts(run).compactMap(\.adapter.host).filter { $0 != host }
      #expect(Set(others).count == 2)
    }
  }

  @Test(
    "a gateway whose Bluetooth service is lost for a while costs no room its success and no device a retry",
    arguments: Moment.allCases)
  func serviceLost(at moment: Moment) async throws {
    for seed in 1...3 as ClosedRange<UInt64> {
      let (run, _) = try await run(seed, losing: moment, .noService) { host, backstage in
        await backstage.world.stopStack(of: .one(host))
        backstage.after(.seconds(7)) { await backstage.world.startStack(of: .one(host)) }
      }
      for room in run.result.rooms where room.outcome != .provisioned {
        #expect(moment == .saved || moment == .proof, "seed \(seed): \(room)")
        #expect([.provisionedAfterRetry, .unconfirmed].contains(room.outcome), "seed \(seed): \(room)")
      }
      #expect(charged(run).isEmpty, "seed \(seed): \(charged(run))")
      #expect(run.openLinks == 0)
    }
  }

  /// The attempts that cost a device a retry.
  private func charged(_ run: Rehearsed) -> [AttemptEnded] {
    run.facts {
      if case .attemptEnded(let fact) = $0, fact.failure != nil, fact.notCounted == nil { fact } else { nil }
    }.map(\.1)
  }

  /// The host of the first event of the moment, of which the later ones are no longer events of the test.
  private static func host(of fact: Fact, _ lost: HostName?) -> HostName? {
    guard lost == nil else { return nil }
    switch fact {
    case .scanStarted(let fact): return fact.adapter.host
    default: return gateways[1]
    }
  }

  @Test(
    "a gateway that refuses, or has no Bluetooth service, is named once and does not end the run",
    arguments: [
      (CentralError.Code.permissionDenied, HostUnavailable.Cause.refused),
      (.stackUnavailable, .noService), (.timedOut, .noAnswer),
    ])
  func refused(code: CentralError.Code, cause: HostUnavailable.Cause) async throws {
    let run = try await run(before: { $0[Self.gateways[0]]?.lose(code) }).expectInvariants(
      Self.rooms)
    #expect(run.result.outcome == .complete)
    #expect(
      unavailable(run) == [
        HostUnavailable(
          host: Self.gateways[0], cause: cause, stackText: "virtual: no connection to floor-1")
      ])
  }

  @Test("the links on a gateway that a run has lost are ended by the next one, which completes the building")
  func next() async throws {
    let isFirst = Mutex(true)
    let run = try await run(
      delay: .milliseconds(20), runs: 2,
      during: { backstage, event in
        let network = backstage.networks[Self.gateways[1]]
        switch event.fact {
        case .settingWritten:
          if isFirst.withLock({ $0 }) { network?.lose() }
          isFirst.withLock { $0 = false }
        case .runFinished: network?.restore()
        default: break
        }
      })
    let released = run.facts { if case .linkReleased(let fact) = $0 { fact } else { nil } }
    #expect(!released.isEmpty)
    #expect(run.openLinks == 0 && run.attemptsUnderWay == 0)
    let failed = run.result.rooms.filter { !$0.outcome.isSuccess }
    #expect(failed.isEmpty, "\(failed)")
  }

  @Test("without any gateway the run ends after its time limit, and says why")
  func none() async throws {
    let run = try await run(before: { networks in for host in Self.gateways { networks[host]?.lose() } })
    #expect(run.result.radioFailure?.code == .busUnavailable)
    #expect(run.result.radioFailure?.host == Self.gateways[2])
    #expect(unavailable(run).map(\.host) == Self.gateways)
  }

  @Test("an adapter of a host that cannot be reached is not called absent")
  func unreachable() async throws {
    let wanted = AdapterReference("floor-1/hci0")
    let run = try await run(
      adapters: [wanted], before: { $0[Self.gateways[0]]?.lose() })
    #expect(run.result.radioFailure?.code == .busUnavailable)
    #expect(run.result.radioFailure?.host == Self.gateways[0])
    let awaited = run.facts { if case .adapterAwaited(let fact) = $0 { fact } else { nil } }.map(\.1)
    #expect(awaited == [AdapterAwaited(problem: nil, adapter: wanted.text, seconds: 30)])
  }

  @Test(
    "a command waits for an adapter, a service and a host that may come, and not for a permission",
    arguments: [
      ("hci0", .permissionDenied, .permissionDenied, .permissionDenied, 0),
      ("hci0", .stackUnavailable, .stackUnavailable, .stackUnavailable, 5),
      ("hci0", .stackUnavailable, .permissionDenied, .permissionDenied, 5),
      ("hci9", nil, nil, .adapterUnavailable(.absent), 5), ("floor-1/hci0", nil, nil, .busUnavailable, 5),
    ] as [(String, CentralError.Code?, CentralError.Code?, CentralError.Code, Int)])
  func waits(
    wanted: String, own: CentralError.Code?, gateway: CentralError.Code?, code: CentralError.Code,
    seconds: Int
  ) async throws {
    let adapter = Adapter(id: AdapterID(Sample.address(1)), name: "hci0", state: .ready)
    let lost = CentralError(.busUnavailable, on: Self.gateways[0])
    let central = SeveralHosts(known: [
      HostAdapters(own.map { .failure(CentralError($0)) } ?? .success([adapter])),
      HostAdapters(on: Self.gateways[0], .failure(gateway.map { CentralError($0) } ?? lost)),
    ])
    try await VirtualTime.run { clock in
      let selection = AdapterSelection(
        central: central, clock: clock, wanted: [AdapterReference(wanted)], timeout: .seconds(5))
      let awaited = Mutex<[AdapterAwaited]>([])
      let failure = await failureOf { () async throws(CentralError) in
        _ = try await selection.adapters { fact in awaited.withLock { $0.append(fact) } }
      }
      #expect(failure?.code == code && clock.now.sinceZero == .seconds(seconds))
      let problem: CentralError.AdapterProblem? = wanted == "hci9" ? .absent : nil
      #expect(
        awaited.withLock(\.self)
          == (seconds == 0 ? [] : [AdapterAwaited(problem: problem, adapter: wanted, seconds: 5)]))
    }
  }

  @Test("a command gets the ready adapters that it may use, in order")
  func ready() async throws {
    let states: [(UInt64, Adapter.State)] = [(3, .ready), (2, .poweredOff), (1, .ready), (4, .ready)]
    let adapters = states.map { number, state in
      Adapter(id: AdapterID(Sample.address(number)), name: "hci\(number)", state: state)
    }
    func found(besides others: Set<AdapterID>) async throws -> [String] {
      let (changes, change) = AsyncStream<[Adapter]>.makeStream()
      change.yield(adapters)
      return try await VirtualTime.run { clock in
        let selection = AdapterSelection(
          central: Changing(changes: changes), clock: clock, wanted: ["hci3", "hci2", "hci1"],
          timeout: .seconds(5))
        return try await selection.adapters(besides: others) { _ in }.map(\.name)
      }
    }
    let all = try await found(besides: [])
    #expect(all == ["hci1", "hci3"])
    let rest = try await found(besides: [adapters[0].id])
    #expect(rest == ["hci1"])
  }

  @Test("a command does not wait for adapters of a bus that is gone")
  func gone() async throws {
    let (changes, change) = AsyncStream<[Adapter]>.makeStream()
    change.finish()
    try await VirtualTime.run { clock in
      let selection = AdapterSelection(
        central: Changing(changes: changes), clock: clock, wanted: [], timeout: .seconds(5))
      let failure = await failureOf { () async throws(CentralError) in
        _ = try await selection.adapters { _ in }
      }
      #expect(failure?.code == .busUnavailable && clock.now.sinceZero == .zero)
    }
  }

  @Test("the adapters of a group are in order, and its failure is its first gateway's once all have failed")
  func failures() async throws {
    let adapters = ([2, 1] as [UInt64]).map {
      Adapter(id: AdapterID(Sample.address($0)), name: "hci\($0)", state: .ready)
    }
    let (changes, change) = AsyncStream<[Adapter]>.makeStream()
    change.yield(adapters)
    let refused = CentralGroup.Member(Self.gateways[0], Failing(code: .permissionDenied))
    let late = CentralGroup.Member(Self.gateways[1], Failing(code: .timedOut))
    let cases: [([CentralGroup.Member], CentralError?)] = [
      ([Self.noBluetooth, refused, late], CentralError(.permissionDenied, on: Self.gateways[0])),
      ([Self.noBluetooth], CentralError(.stackUnavailable)),
      ([refused, .init(nil, Changing(changes: changes))], nil),
    ]
    try await VirtualTime.run { clock in
      for (members, expected) in cases {
        let group = CentralGroup(members)
        await withTaskGroup(of: Void.self) { tasks in
          tasks.addTask { await group.follow() }
          await group.settle(within: .seconds(1), on: clock)
          let failure = await failureOf { () async throws(CentralError) in
            let names = try await group.adapters().map(\.name)
            #expect(names == ["hci1", "hci2"])
          }
          #expect(failure == expected)
          tasks.cancelAll()
        }
      }
    }
  }

  @Test("a failure that quotes the secret of any room of the building is reported without it")
  func quoted() async throws {
    var other = Sample.room(2, address: 2)
    other.settings[.wifiPassword] = .secret(Secret("staple battery"))
    let rooms = [Sample.room(1, address: 1), other]
    let run = try await rehearse(
      [[], []], rooms: rooms,
      request: { $0.excluded = [rooms[1].id: Exclusion(.deselected)] },
      joining: { _ in
        CentralGroup([.init(nil, Failing(code: .stackUnavailable, text: "no staple battery"))])
      })
    #expect(run.result.radioFailure?.code == .stackUnavailable)
    #expect(run.result.radioFailure?.stackText?.contains("battery") == false)
  }

  @Test("a reader of the adapters that ends leaves the others, and a slow one gets the newest list")
  func readers() async {
    let (changes, change) = AsyncStream<[Adapter]>.makeStream()
    let adapter = Adapter(id: AdapterID(Sample.address(1)), name: "hci0", state: .ready)
    let group = CentralGroup([.init(nil, Changing(changes: changes))])
    await withTaskGroup(of: Void.self) { tasks in
      tasks.addTask { await group.follow() }
      let slow = await group.adapterChanges()
      let quick = await group.adapterChanges()
      for await adapters in await group.adapterChanges() {
        #expect(adapters.isEmpty)
        break
      }
      change.yield([adapter])
      let next = await quick.first { !$0.isEmpty }
      let newest = await slow.first { _ in true }
      #expect(next == [adapter] && newest == [adapter])
      tasks.cancelAll()
    }
  }

  @Test("an adapter that a host reports for another host is not used")
  func foreign() async throws {
    let group = CentralGroup([.init(Self.gateways[0], Liar(host: Self.gateways[1]))])
    try await VirtualTime.run { clock in
      await withTaskGroup(of: Void.self) { tasks in
        tasks.addTask { await group.follow() }
        await group.settle(within: .seconds(1), on: clock)
        #expect((try? await group.adapters()) == [])
        let failure = await failureOf {
          () async throws(CentralError) in
          _ = try await group.connectedPeripherals(on: AdapterID(Sample.address(1), on: Self.gateways[1]))
        }
        #expect(failure?.code == .adapterUnavailable(.absent))
        tasks.cancelAll()
      }
    }
  }
}

/// The error that `body` throws.
private func failureOf(_ body: () async throws(CentralError) -> Void) async -> CentralError? {
  do throws(CentralError) {
    try await body()
    return nil
  } catch {
    return error
  }
}

/// A host whose adapters cannot be used.
private struct Failing: EmptyCentral {
  let code: CentralError.Code
  var text: String?

  func adapters() async throws(CentralError) -> [Adapter] { throw CentralError(code, stackText: text) }
}

/// A computer with these adapters.
private struct Changing: EmptyCentral {
  let changes: AsyncStream<[Adapter]>

  func adapterChanges() async -> AsyncStream<[Adapter]> { changes }

  func adapters() async throws(CentralError) -> [Adapter] { [] }
}

/// The adapters of several hosts, or why they cannot be used.
private struct SeveralHosts: EmptyCentral {
  let known: [HostAdapters]

  func hosts() async -> [HostAdapters] { known }

  /// The same list twice: a wait goes on record once.
  func adapterChanges() async -> AsyncStream<[Adapter]> {
    let (stream, changes) = AsyncStream<[Adapter]>.makeStream()
    for _ in 1...2 { changes.yield([]) }
    return stream
  }

  func adapters() async throws(CentralError) -> [Adapter] {
    let failures = known.compactMap(\.failure)
    if failures.count == known.count, let last = failures.last { throw last }
    return known.flatMap { (try? $0.result.get()) ?? [] }
  }
}

/// A stack with an adapter that it says is another host's.
private struct Liar: EmptyCentral {
  let host: HostName

  func adapters() async throws(CentralError) -> [Adapter] {
    [Adapter(id: AdapterID(Sample.address(1), on: host), name: "\(host)/hci0", state: .ready)]
  }
}

/// A central that does nothing.
private protocol EmptyCentral: Central {}

extension EmptyCentral {
  func stackVersion(on host: HostName?) async -> String? { nil }
  func adapterChanges() async -> AsyncStream<[Adapter]> {
    let (stream, changes) = AsyncStream<[Adapter]>.makeStream()
    changes.yield([])
    return stream
  }
  func scan<Result: Sendable>(
    on adapter: AdapterID, _ body: @Sendable (AdvertisementStream) async throws(CentralError) -> Result
  ) async throws(CentralError) -> Result { throw CentralError(.other) }
  func connect(
    to address: BluetoothAddress, on adapter: AdapterID, pairing: Pairing?,
    linked: @escaping @Sendable () -> Void
  ) async throws(CentralError) -> any Peripheral { throw CentralError(.other) }
  func connectedPeripherals(on adapter: AdapterID) async throws(CentralError) -> [ConnectedPeripheral] { [] }
  func forget(
    _ address: BluetoothAddress, on adapter: AdapterID, removingBond: Bool
  ) async throws(CentralError) -> Bool { false }
  func powerCycle(_ adapter: AdapterID) async throws(CentralError) {}
  func scanningClients(on adapter: AdapterID) async -> [String]? { nil }
}
