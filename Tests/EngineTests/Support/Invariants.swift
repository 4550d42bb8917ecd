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
  #expect(run.openLinks == 0, "a link was left open", sourceLocation: sourceLocation)
  #expect(run.attemptsUnderWay == 0, "an attempt was left under way", sourceLocation: sourceLocation)
  #expect(run.remembered.isEmpty, "the stack was left with devices on record", sourceLocation: sourceLocation)
}
