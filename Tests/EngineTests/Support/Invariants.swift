import Bluetooth
import Model
import SampleFacts
import Simulation
import Testing
import VirtualBuilding

/// The rules for every run, with any faults and any family: the same rules as in campaigns, event by event,
/// in order of time.
/// - Parameters:
///   - shared: addresses that a second device sends with.
///   - handled: devices whose button a person presses during the run.
func expectInvariants(
  _ run: Rehearsed, _ building: [Room], shared: Set<BluetoothAddress> = [],
  handled: Set<BluetoothAddress> = [], sourceLocation: SourceLocation = #_sourceLocation
) {
  var invariants = Invariants(
    .init(
      rooms: building, firmware: FirmwareFamily.all, bound: run.boundBefore, flashes: run.flashesBefore,
      shared: shared))
  for device in handled.sorted() { invariants.handle(device) }
  invariants.take(zip(run.events, run.durableAt), run.writes, flashes: run.flashes)
  invariants.end(run.result, connected: Set(run.connected.keys))
  for violation in invariants.violations {
    Issue.record("\(violation)", sourceLocation: sourceLocation)
  }
  var attempts: [RoomID: Int] = [:]
  for fact in run.events.map(\.fact) {
    if case .attemptStarted(let began) = fact { attempts[began.room] = began.number }
    guard factsOfAttempts.contains(fact.kind), let room = fact.room else { continue }
    #expect(fact.attempt == attempts[room], "\(fact) is of another attempt", sourceLocation: sourceLocation)
  }
  #expect(run.openLinks == 0, "a link was left open", sourceLocation: sourceLocation)
  #expect(run.attemptsUnderWay == 0, "an attempt was left in progress", sourceLocation: sourceLocation)
  #expect(run.remembered.isEmpty, "the stack was left with devices on record", sourceLocation: sourceLocation)
}
