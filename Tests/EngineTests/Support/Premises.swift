import Bluetooth
import Engine
import Families
import Model
import RecordedText
import Session
import Simulation
import VirtualBuilding
import VirtualCentral
import VirtualTime

private let recordedRuns = RecordedRuns("EngineTests")

extension VirtualPremises {
  /// One complete run, with everything known about it.
  func rehearse(
    _ building: Building, failsFrom: Int? = nil, timeout: Duration = .seconds(30),
    confirm: @escaping @Sendable ([ProposedBinding]) async -> Consent? = { _ in .answer },
    asking: @escaping @Sendable (Backstage) async -> Void = { _ in },
    judge: @escaping @Sendable ([RoomFinished]) async -> Bool = { _ in true },
    changeRequest: @Sendable (inout ApplyRequest) -> Void = { _ in },
    claim: @escaping @Sendable (Adapter) async -> AdapterClaim = { _ in .granted },
    action: @escaping @Sendable (VirtualClock) async -> MonotonicInstant? = { _ in nil },
    wrap: @Sendable (VirtualCentral, VirtualClock) -> any Central = { central, _ in central },
    joining: (@Sendable (VirtualPremises) async -> CentralGroup)? = nil,
    during: @escaping @Sendable (Backstage, RunEvent) async -> Void = { _, _ in }
  ) async -> Rehearsed {
    let (requests, ask) = AsyncStream.makeStream(of: OperatorRequested.Request.self)
    let (jobs, job) = AsyncStream.makeStream(of: (Duration, @Sendable () async -> Void).self)
    let (pauses, pause) = AsyncStream.makeStream(of: HostPause.self)
    let backstage = Backstage(
      world: world, clock: clock, networks: networks, interrupt: { ask.yield(.stop) },
      pause: { pause.yield($0) }, after: { job.yield(($0, $1)) })
    let recorder = MemoryRecorder(clock: clock, failsFrom: failsFrom) { await during(backstage, $0) }
    var request = request(building, run: "run")
    request.adapterTimeout = timeout
    changeRequest(&request)
    let hosts = await joining?(self)
    let own = wrap(await central(), clock)
    var environment = environment(hosts ?? own, builtInFamilies)
    environment.confirm = { proposals in
      await asking(backstage)
      return await confirm(proposals)
    }
    (environment.judge, environment.claim) = (judge, claim)
    environment.action = { [clock] _ in await action(clock) }
    (environment.requests, environment.pauses) = (requests, pauses)
    let before = (writes: await world.writes.count, flashes: await flashes(), attempts: await attempts())
    let result = await withTaskGroup(of: Void.self) { [request, environment] group in
      group.addTask { await doJobs(jobs) }
      if let hosts { group.addTask { await hosts.follow() } }
      defer { group.cancelAll() }
      await hosts?.settle(within: .seconds(20), on: clock)
      return await apply(request, in: environment, recording: coordinator(recorder))
    }
    recordedRuns.expect(await recorder.events)
    return Rehearsed(
      rooms: request.building.rooms, result: result, events: await recorder.events,
      writes: Array(await world.writes.dropFirst(before.writes)), flashesBefore: before.flashes,
      flashes: await flashes(), connected: await attempts().filter { $0.value != before.attempts[$0.key] },
      boundBefore: request.known.lastKnown.rooms.compactMapValues { $0.binding?.address },
      openLinks: await sum { await world.openLinkCount(on: $0) },
      attemptsUnderWay: await sum { await world.attemptsUnderWay(on: $0) }, remembered: await remembered(),
      durableAt: await recorder.durableAt, endedAt: clock.now)
  }

  /// The plan of a run, which writes nothing.
  func plan(_ request: ApplyRequest) async throws -> ApplyPlan {
    try await Engine.plan(
      request, in: environment(await central(), builtInFamilies),
      recording: coordinator(MemoryRecorder(clock: clock)))
  }

  private func doJobs(_ jobs: AsyncStream<(Duration, @Sendable () async -> Void)>) async {
    await withDiscardingTaskGroup { group in
      for await (delay, work) in jobs {
        group.addTask { if (try? await clock.sleep(for: delay)) != nil { await work() } }
      }
      group.cancelAll()
    }
  }

  func flashes() async -> [BluetoothAddress: Flash] {
    var flashes: [BluetoothAddress: Flash] = [:]
    for sensor in world.scenario.sensors { flashes[sensor.address] = await world.flash(of: sensor.address) }
    return flashes
  }

  private func attempts() async -> [BluetoothAddress: Int] {
    var attempts: [BluetoothAddress: Int] = [:]
    for sensor in world.scenario.sensors {
      let count = await world.attemptCount(of: sensor.address)
      if count > 0 { attempts[sensor.address] = count }
    }
    return attempts
  }

  /// The adapters whose host can be reached: what a run leaves on others is for the next one.
  private var reachable: [BluetoothAddress] {
    world.scenario.adapters.filter { adapter in
      adapter.host.flatMap { networks[$0]?.isUp } ?? true
    }.map(\.address)
  }

  private func sum(_ count: (BluetoothAddress) async -> Int) async -> Int {
    var sum = 0
    for adapter in reachable { sum += await count(adapter) }
    return sum
  }

  private func remembered() async -> [BluetoothAddress] {
    var remembered: [BluetoothAddress] = []
    for adapter in await world.adapters() where adapter.isPowered && reachable.contains(adapter.address) {
      remembered += await world.storedPeripherals(on: adapter.address)
    }
    return remembered
  }
}
