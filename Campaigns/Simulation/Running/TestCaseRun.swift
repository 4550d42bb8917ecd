import Bluetooth
import Engine
import FoundationEssentials
import Model
import Session
import Synchronization
import VirtualBuilding
import VirtualCentral
import VirtualTime

/// One run of a scenario, with its disturbances.
struct TestCaseRun {
  let request: ApplyRequest
  let run: TestCase.Run
  let drivers: [FamilyDriver]
  let world: World
  let networks: VirtualNetworks
  let clock: VirtualClock
  let checker: TestCaseChecker
  let life: MortalCentral.Life
  let recorder: MortalRecorder
  let chance: SeededGenerator
  /// The longest permitted duration.
  let bound: Duration

  func carryOut() async -> ApplyResult {
    let (requests, ask) = AsyncStream.makeStream(of: OperatorRequested.Request.self)
    let (pauses, pause) = AsyncStream.makeStream(of: HostPause.self)
    let generator = Mutex(chance)
    let own = await VirtualCentral(world: world, clock: clock)
    let hosts = world.scenario.hosts.isEmpty ? nil : await join(own)
    let environment = ApplyEnvironment(
      central: MortalCentral(central: hosts ?? own, life: life), clock: clock, drivers: drivers,
      chance: { generator.withLock { $0.fraction() } },
      randomBytes: SeededGenerator(seed: 1).bytes(),
      confirm: { [run] _ in run.isConfirmed ? .answer : nil },
      judge: { [run] _ in run.areCanariesWell },
      requests: requests, pauses: pauses)
    let coordinator = Coordinator(clock: clock, wall: wall, recorder: recorder)
    return await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await disturb { disturbance in
          switch disturbance {
          case .interrupted: ask.yield(.stop)
          case .paused(let hostPause): pause.yield(hostPause)
          default: break
          }
        }
      }
      group.addTask { await limit { ask.yield(.stop) } }
      if let hosts { group.addTask { await hosts.follow() } }
      defer { group.cancelAll() }
      await hosts?.settle(within: .seconds(20), on: clock)
      return await apply(request, in: environment, recording: coordinator)
    }
  }

  /// The centrals of all hosts.
  private func join(_ own: VirtualCentral) async -> CentralGroup {
    let remote = await networks.centrals(in: world, clock: clock)
    return CentralGroup([.init(nil, own)] + remote.map { .init($0.host, $0.central) })
  }

  /// An arbitrary date plus virtual time, and how far the host's clock is wrong in this run.
  private var wall: @Sendable () -> Date {
    { [clock, error = run.clockError] in
      Date(timeIntervalSince1970: 1_795_251_600 + (clock.now.sinceZero + error).inSeconds)
    }
  }

  /// Reports a run that does not end in time, and ends it: first by an interruption, then by a kill.
  private func limit(_ interrupt: @Sendable () -> Void) async {
    guard (try? await clock.sleep(for: bound)) != nil else { return }
    await checker.violate(.ending, "it has not ended after \(bound.inSeconds) s")
    interrupt()
    guard (try? await clock.sleep(for: .seconds(120))) != nil else { return }
    await checker.violate(.ending, "it does not end when it is interrupted")
    life.end()
  }

  /// Causes the disturbances at their times.
  private func disturb(_ send: @Sendable (Disturbance.Kind) -> Void) async {
    let start = clock.now
    for disturbance in run.disturbances {
      let instant = start.advanced(by: disturbance.after)
      guard (try? await clock.sleep(until: instant, tolerance: nil)) != nil else { return }
      await checker.disturbed()
      switch disturbance.kind {
      case .unplugged(let adapter): await world.setPresent(false, adapter)
      case .plugged(let adapter, let name): await world.setPresent(true, adapter, name: name)
      case .powered(let adapter, let isPowered): await world.setPowered(isPowered, adapter)
      case .stack(let hosts, isRunning: true): await world.startStack(of: hosts)
      case .stack(let hosts, isRunning: false): await world.stopStack(of: hosts)
      case .host(let host, isReachable: true): networks[host]?.restore()
      case .host(let host, isReachable: false): networks[host]?.lose()
      case .interrupted, .paused: send(disturbance.kind)
      case .button(let address):
        await checker.handle(address)
        await world.pressButton(address)
      case .carriedAway(let address, let isAway): await world.setMuted(isAway, address)
      case .linkCut(let address): await world.dropLink(to: address)
      }
    }
  }
}
