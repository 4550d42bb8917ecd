import Bluetooth
import Model
import SampleFacts
import Simulation
import Testing
import VirtualBuilding

extension Rehearsed {
  /// The rules for every run, with any faults and any family: the same rules as in campaigns, event by event,
  /// in order of time.
  /// - Parameters:
  ///   - rooms: the rooms of the run; nil for all of its building.
  ///   - shared: addresses that a second device sends with.
  ///   - handled: devices whose button a person presses during the run.
  @discardableResult
  func expectInvariants(
    _ rooms: [Room]? = nil, shared: Set<BluetoothAddress> = [], handled: Set<BluetoothAddress> = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> Self {
    var invariants = Invariants(
      .init(
        rooms: rooms ?? self.rooms, firmware: FirmwareFamily.all, bound: boundBefore, flashes: flashesBefore,
        shared: shared))
    for device in handled.sorted() { invariants.handle(device) }
    invariants.take(zip(events, durableAt), writes, flashes: flashes)
    invariants.end(result, connected: Set(connected.keys))
    for violation in invariants.violations {
      Issue.record("\(violation)", sourceLocation: sourceLocation)
    }
    var attempts: [RoomID: Int] = [:]
    for fact in events.map(\.fact) {
      if case .attemptStarted(let began) = fact { attempts[began.room] = began.number }
      guard factsOfAttempts.contains(fact.kind), let room = fact.room else { continue }
      #expect(fact.attempt == attempts[room], "\(fact) is of another attempt", sourceLocation: sourceLocation)
    }
    #expect(openLinks == 0, "a link was left open", sourceLocation: sourceLocation)
    #expect(attemptsUnderWay == 0, "an attempt was left in progress", sourceLocation: sourceLocation)
    #expect(remembered.isEmpty, "the stack was left with devices on record", sourceLocation: sourceLocation)
    return self
  }
}
