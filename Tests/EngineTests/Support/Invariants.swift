import Bluetooth
import Model
import Simulation
import Testing
import VirtualBuilding

/// What must hold of every run, whatever goes wrong in it, and whatever family the devices are of: the same rules that
/// campaigns hold runs to, event by event, in the order in which things happened.
func expectInvariants(_ run: Rehearsed, _ building: [Room], sourceLocation: SourceLocation = #_sourceLocation)
{
  var invariants = Invariants(
    .init(rooms: building, bound: run.boundBefore, flashes: run.flashesBefore))
  invariants.take(zip(run.events, run.durableAt), run.writes, flashes: run.flashes)
  invariants.end(run.result, dialled: Set(run.dialled.keys))
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
  #expect(run.attemptsUnderWay == 0, "an attempt was left under way", sourceLocation: sourceLocation)
  #expect(run.remembered.isEmpty, "the stack was left with devices on record", sourceLocation: sourceLocation)
}

/// What belongs to an attempt, and says to which.
let factsOfAttempts: Set<Fact.Kind> = [
  "attempt_started", "stage_started", "stage_ended", "status_received", "settings_read", "wifi_checked",
  "elapsed_sent",
  "setting_written", "save_submitted", "link_ended", "proof_heard", "attempt_ended",
]
