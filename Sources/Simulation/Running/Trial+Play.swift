import Bluetooth
import Model
import Synchronization
import VirtualBuilding
import VirtualTime

extension Trial {
  /// Runs the scenario in virtual time, on a thread of its own.
  package func play() async -> TrialResult {
    let kept = Mutex<TrialBook?>(nil)
    var failure: VirtualTimeError?
    do {
      try await VirtualTime.run { [self] clock in
        let world = World(scenario: scenario, clock: clock)
        let meter = LinkMeter()
        let book = TrialBook(world: world, meter: meter, clock: clock)
        kept.withLock { $0 = book }
        _ = await world.attach { meter.take($0) }
        await withTaskGroup(of: Void.self) { group in
          group.addTask { await world.run() }
          var stage = TrialStage(trial: self, world: world, clock: clock, meter: meter, book: book)
          await stage.play()
          group.cancelAll()
        }
      }
    } catch let error as VirtualTimeError {
      failure = error
    } catch {
      preconditionFailure("unexpected error in a scenario: \(error)")
    }
    guard let book = kept.withLock({ $0 }) else { preconditionFailure("the scenario never began") }
    switch failure {
    case .deadlock(let instant)?:
      await book.violate(.ending, "nothing can happen any more, after \(instant.sinceZero.inSeconds) s")
    case .escaped(let jobs)?:
      await book.violate(.ending, "\(jobs) jobs left virtual time")
    case nil:
      break
    }
    await book.close(rooms: building.rooms.count)
    return TrialResult(
      seed: seed, tally: await book.tally, violations: await book.violations, story: await book.story,
      journals: await book.journals)
  }
}
