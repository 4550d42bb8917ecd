import Bluetooth
import Engine
import Model
import Synchronization
import Testing
import VirtualBuilding
import VirtualTime

/// The loss of a host costs its own adapters, and nothing else.
@Suite("adapters of several hosts") struct HostScenarios {
  private static let gateways = ["floor-1", "floor-2", "floor-3"].compactMap { HostName($0) }
  private static let scenarios = (1...3).map {
    AdapterScenario(address: BluetoothAddress(rawValue: 0x001A_7DDA_7100 + UInt64($0)), name: "hci0")
  }
  private static let rooms = (1...9).map { Sample.room($0, address: UInt64($0), retries: 0) }

  /// Which gateways can be reached.
  final class Network: Sendable {
    private let lost = Mutex<[HostName: CentralError.Code]>([:])

    func failure(_ host: HostName) -> CentralError.Code? { lost.withLock { $0[host] } }

    func lose(_ host: HostName, _ code: CentralError.Code = .busUnavailable, in world: World) async {
      lost.withLock { $0[host] = code }
      await world.setPresent(false, HostScenarios.adapter(host))
    }

    func restore(_ host: HostName, in world: World) async {
      lost.withLock { $0[host] = nil }
      await world.setPresent(true, HostScenarios.adapter(host))
    }
  }

  private static func adapter(_ host: HostName) -> BluetoothAddress {
    scenarios[gateways.firstIndex(of: host) ?? 0].address
  }

  /// The stack of one gateway: one adapter of the virtual radio.
  private struct Gateway: ForwardingCentral {
    let base: VirtualCentral
    let host: HostName
    let network: Network

    func adapters() async throws(CentralError) -> [Adapter] {
      if let code = network.failure(host) { throw CentralError(code, stackText: "ssh: gone") }
      return own(try await base.adapters())
    }

    func adapterChanges() async -> AsyncStream<[Adapter]> {
      let changes = await base.adapterChanges()
      return AsyncStream { await changes.first { _ in true }.map(own) }
    }

    private func own(_ adapters: [Adapter]) -> [Adapter] {
      adapters.filter { $0.id.address == HostScenarios.adapter(host) }
    }
  }

  /// A run with the adapters of three gateways and none of this computer.
  private func run(
    _ network: Network, rooms: [Room] = HostScenarios.rooms, seed: UInt64 = 1,
    sensors: [[ScheduledFault]] = Array(repeating: [], count: 9),
    before: @escaping @Sendable (World) async -> Void = { _ in },
    during: @escaping @Sendable (Backstage, RunEvent) async -> Void = { _, _ in }
  ) async throws -> Rehearsed {
    try await rehearse(
      sensors, rooms: rooms, seed: seed, scenario: { $0.adapters = Self.scenarios },
      before: { world, _ in await before(world) },
      joining: { world, clock in
        var members = [CentralGroup.Member(nil, NoBluetooth())]
        for host in Self.gateways {
          members.append(
            .init(
              host, Gateway(base: await VirtualCentral(world: world, on: host, clock: clock), host: host, network: network)
            ))
        }
        return CentralGroup(members)
      },
      during: during)
  }

  private func unavailable(_ run: Rehearsed) -> [HostUnavailable] {
    run.facts { if case .hostUnavailable(let fact) = $0 { fact } else { nil } }.map(\.1)
  }

  private func attempts(_ run: Rehearsed) -> [AttemptStarted] {
    run.facts { if case .attemptStarted(let fact) = $0 { fact } else { nil } }.map(\.1)
  }

  @Test("the rooms are shared out over the gateways, whose names the record has; this computer needs no Bluetooth")
  func together() async throws {
    let run = try await run(Network())
    expectInvariants(run, Self.rooms)
    #expect(run.result.outcome == .complete)
    #expect(unavailable(run).isEmpty)
    let selected = run.facts { if case .adapterSelected(let fact) = $0 { fact } else { nil } }.map(\.1)
    #expect(selected.map(\.name) == ["floor-1/hci0", "floor-2/hci0", "floor-3/hci0"])
    #expect(selected.map(\.adapter.host) == Self.gateways)
    #expect(Set(attempts(run).compactMap(\.adapter.host)) == Set(Self.gateways))
  }

  /// When a gateway is lost.
  enum Moment: String, CaseIterable {
    case survey
    case connecting
    case session
    case saved
    case proof

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

  @Test(
    "a gateway that is lost for a while, or for good, costs no room its success and no device a retry",
    arguments: Moment.allCases, [true, false])
  func lost(at moment: Moment, comesBack: Bool) async throws {
    for seed in 1...6 as ClosedRange<UInt64> {
      let network = Network()
      let lost = Mutex<HostName?>(nil)
      let run = try await run(network, seed: seed, during: { backstage, event in
        guard moment.isNow(event.fact), let host = Self.host(of: event.fact, lost.withLock { $0 }) else { return }
        lost.withLock { $0 = host }
        await network.lose(host, in: backstage.world)
        if comesBack { backstage.after(.seconds(7)) { await network.restore(host, in: backstage.world) } }
      })
      expectInvariants(run, Self.rooms)
      let host = try #require(lost.withLock { $0 })
      #expect(unavailable(run).map(\.host) == [host], "seed \(seed)")
      #expect(unavailable(run).first?.cause == .unreachable)
      // What was submitted may be on the device without a proof.
      for room in run.result.rooms where room.outcome != .provisioned {
        #expect(
          moment == .saved || moment == .proof, "seed \(seed): \(room)")
        #expect([.provisionedAfterRetry, .unconfirmed].contains(room.outcome), "seed \(seed): \(room)")
      }
      let charged = run.facts {
        if case .attemptEnded(let fact) = $0, fact.failure != nil, fact.notCounted == nil { fact } else { nil }
      }.map(\.1)
      #expect(charged.isEmpty, "seed \(seed): \(charged)")
      // The others went on without a break.
      let others = attempts(run).compactMap(\.adapter.host).filter { $0 != host }
      #expect(Set(others).count == 2)
    }
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
    let network = Network()
    let run = try await run(network, before: { await network.lose(Self.gateways[0], code, in: $0) })
    expectInvariants(run, Self.rooms)
    #expect(run.result.outcome == .complete)
    #expect(
      unavailable(run) == [HostUnavailable(host: Self.gateways[0], cause: cause, stackText: "ssh: gone")])
  }

  @Test("without any gateway the run ends after its time limit, and says why")
  func none() async throws {
    let network = Network()
    let run = try await run(
      network, before: { world in for host in Self.gateways { await network.lose(host, in: world) } })
    #expect(run.result.radioFailure?.code == .busUnavailable)
    #expect(run.result.radioFailure?.host == Self.gateways[2])
    #expect(unavailable(run).map(\.host) == Self.gateways)
  }

  @Test("an adapter that one host claims to have for another is nobody's")
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

/// A computer without Bluetooth.
private struct NoBluetooth: EmptyCentral {
  func adapters() async throws(CentralError) -> [Adapter] { throw CentralError(.stackUnavailable) }
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
    to address: BluetoothAddress, on adapter: AdapterID, linked: @escaping @Sendable () -> Void
  ) async throws(CentralError) -> any Peripheral { throw CentralError(.other) }
  func connectedPeripherals(on adapter: AdapterID) async throws(CentralError) -> [ConnectedPeripheral] { [] }
  func forget(_ address: BluetoothAddress, on adapter: AdapterID) async throws(CentralError) -> Bool { false }
  func powerCycle(_ adapter: AdapterID) async throws(CentralError) {}
  func scanningClients(on adapter: AdapterID) async -> [String]? { nil }
}
