import Bluetooth
import Model
import Synchronization
import VirtualBuilding
import VirtualTime

extension TestCase {
  /// Runs the scenario in virtual time, on a thread of its own.
  package func play() async -> TestCaseResult {
    let kept = Mutex<TestCaseChecker?>(nil)
    var failure: VirtualTimeError?
    do {
      try await VirtualTime.run { [self] clock in
        let world = World(scenario: scenario, clock: clock)
        let meter = LinkMeter()
        let checker = TestCaseChecker(world: world, meter: meter, clock: clock)
        kept.withLock { $0 = checker }
        _ = await world.attach { meter.take($0) }
        await withTaskGroup(of: Void.self) { group in
          group.addTask { await world.run() }
          var stage = TestCaseExecution(
            testCase: self, world: world, clock: clock, meter: meter, checker: checker)
          await stage.play()
          group.cancelAll()
        }
      }
    } catch let error as VirtualTimeError {
      failure = error
    } catch {
      preconditionFailure("unexpected error in a scenario: \(error)")
    }
    guard let checker = kept.withLock({ $0 }) else { preconditionFailure("the scenario never began") }
    switch failure {
    case .deadlock(let instant)?:
      await checker.violate(.ending, "nothing can happen any more, after \(instant.sinceZero.inSeconds) s")
    case .escaped(let jobs)?:
      await checker.violate(.ending, "\(jobs) jobs left virtual time")
    case nil:
      break
    }
    await checker.close(rooms: building.rooms.count)
    return TestCaseResult(
      seed: seed, tally: await checker.tally, violations: await checker.violations,
      eventsBeforeViolation: await checker.eventsBeforeViolation,
      journals: await checker.journals)
  }
}
