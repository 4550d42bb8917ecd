import Bluetooth
import Engine
import Foundation
import Families
import Model
import RecordedText
import Session
import VirtualBuilding
import VirtualCentral
import VirtualTime

private let recordedRuns = RecordedRuns("EngineTests")

/// A virtual building for one or more runs of the engine.
struct Premises: Sendable {
  let world: World
  let clock: VirtualClock
  /// The networks to the other hosts.
  let networks: VirtualNetworks

  init(world: World, clock: VirtualClock) {
    (self.world, self.clock) = (world, clock)
    networks = VirtualNetworks(of: world.scenario, clock: clock)
  }

  /// The central of a host without a network between; nil: of this computer.
  func central(of host: HostName? = nil) async -> VirtualCentral {
    await VirtualCentral(world: world, on: host, clock: clock)
  }

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
    joining: (@Sendable (Premises) async -> CentralGroup)? = nil,
    during: @escaping @Sendable (Backstage, RunEvent) async -> Void = { _, _ in }
  ) async -> Rehearsed {
    let (requests, ask) = AsyncStream.makeStream(of: OperatorRequested.Request.self)
    let (jobs, job) = AsyncStream.makeStream(of: (Duration, @Sendable () async -> Void).self)
    let (pauses, pause) = AsyncStream.makeStream(of: HostPause.self)
    let backstage = Backstage(
      world: world, clock: clock, networks: networks, interrupt: { ask.yield(.stop) },
      pause: { pause.yield($0) }, after: { job.yield(($0, $1)) })
    let recorder = MemoryRecorder(clock: clock, failsFrom: failsFrom) { await during(backstage, $0) }
    var request = ApplyRequest(
      building: building, runID: "run", toolVersion: "test", host: "host", manifestPath: "m.yaml",
      manifestSHA256: "00", isSimulated: false, adapterTimeout: timeout)
    changeRequest(&request)
    let hosts = await joining?(self)
    let own = wrap(await central(), clock)
    let environment = ApplyEnvironment(
      central: hosts ?? own, clock: clock,
      drivers: builtInFamilies, chance: { 0.5 }, randomBytes: SeededGenerator(seed: 1).bytes(),
      confirm: { proposals in
        await asking(backstage)
        return await confirm(proposals)
      }, judge: judge, action: { [clock] _ in await action(clock) }, claim: claim,
      requests: requests,
      pauses: pauses)
    let before = (writes: await world.writes.count, flashes: await flashes(), attempts: await attempts())
    let result = await withTaskGroup(of: Void.self) { [request] group in
      group.addTask { await doJobs(jobs) }
      if let hosts { group.addTask { await hosts.follow() } }
      defer { group.cancelAll() }
      await hosts?.settle(within: .seconds(20), on: clock)
      return await apply(request, in: environment, recording: coordinator(recorder))
    }
    recordedRuns.expect(await recorder.events)
    return Rehearsed(
      result: result, events: await recorder.events,
      writes: Array(await world.writes.dropFirst(before.writes)), flashesBefore: before.flashes,
      flashes: await flashes(), connected: await attempts().filter { $0.value != before.attempts[$0.key] },
      boundBefore: request.known.lastKnown.rooms.compactMapValues { $0.binding?.address },
      openLinks: await sum { await world.openLinkCount(on: $0) },
      attemptsUnderWay: await sum { await world.attemptsUnderWay(on: $0) }, remembered: await remembered(),
      durableAt: await recorder.durableAt, endedAt: clock.now)
  }

  /// A coordinator for a run that begins now.
  func coordinator(_ recorder: any RunRecorder) -> Coordinator {
    let start = Date(timeIntervalSince1970: 1_795_251_600)
    return Coordinator(
      clock: clock, wall: { [clock] in start.addingTimeInterval(clock.now.sinceZero.inSeconds) },
      recorder: recorder)
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
