import Bluetooth
import Model
import Session

/// Which rooms that have a device begin, and when.
extension RunMachine {
  /// Begins rooms that got a device, as far as admission permits.
  mutating func begin(_ rooms: [(place: Int, work: RoomWork)]) {
    var allowed: [(place: Int, work: RoomWork)] = []
    for (place, work) in rooms {
      if let reason = admission.objection(to: work) {
        finish(place, .pending, reason: reason)
      } else {
        allowed.append((place, work))
      }
    }
    let admitted = admission.admit(allowed) { air[$0]?.lastReceived != nil }
    for (place, work) in allowed {
      let work = prepared(work)
      for (adapter, reception) in air[work.address]?.receptions ?? [:] {
        self.rooms.reached(place, by: adapter, rssi: reception.rssi)
      }
      if admitted.contains(place) {
        enqueue(place, .queued(work, silenceLimit: silenceLimit(of: work.room)))
      } else {
        self.rooms.move(place, to: .deferred(work))
      }
    }
  }

  /// The work of a room with the timeouts that its device needs. If the record says that the device
  /// advertises more rarely than the room wants, search and connect get the time for that; so does the proof
  /// if the room does not say how often.
  private func prepared(_ work: RoomWork) -> RoomWork {
    var work = work
    let family = work.room.family
    guard let recorded = request.known.lastWrite(for: work.room, at: work.address)?.values(family) else {
      return work
    }
    let usual = family.timeouts(for: work.room.settings)
    let now = family.timeouts(for: recorded)
    let afterwards = family.timeouts(for: recorded.merging(work.room.settings) { $1 })
    for (stage, needed) in [(Stage.search, now), (.connect, now), (.verify, afterwards)]
    where needed[stage] > usual[stage] {
      work.room.timeouts[stage] = max(work.room.timeouts[stage], needed[stage])
    }
    return work
  }

  /// Has the result of the first rooms decided once they are done, and begins the remaining rooms if they may
  /// follow.
  mutating func attendFirstRooms() {
    guard rooms.count(.deferred) > 0,
      let first = admission.due({ rooms[$0].state.kind == .finished })
    else { return }
    admission.judgeNetworks { rooms.outcome(of: $0)?.outcome.isSuccess == true }
    for place in rooms.places([.deferred]) {
      guard case .deferred(let state) = rooms[place].state, let reason = admission.objection(to: state.work)
      else {
        continue
      }
      finish(place, .pending, reason: reason)
    }
    if rooms.count(.deferred) == 0 { return judged(first, isApproved: true) }
    admission.ask()
    perform(.judge(first.compactMap { rooms.outcome(of: $0) }))
  }

  /// Takes the decision about the remaining rooms.
  mutating func judged(_ isApproved: Bool) {
    guard admission.isBeingAsked, !course.isEnding else { return }
    let first = admission.firstRooms
    record(.canariesJudged(.init(rooms: first.map { rooms[$0].room.id }, approved: isApproved)))
    judged(first, isApproved: isApproved)
  }

  private mutating func judged(_ first: [Int], isApproved: Bool) {
    admission.judged(isApproved: isApproved)
    for place in rooms.places([.deferred]) {
      guard case .deferred(let state) = rooms[place].state else { continue }
      if let reason = admission.objection(to: state.work) {
        finish(place, .pending, reason: reason)
      } else {
        enqueue(place, state.admitted(silenceLimit: silenceLimit(of: state.work.room)))
      }
    }
  }

  /// Ends the rooms without anything in flight after too many failures. The others continue to their end.
  mutating func beginNoMore() {
    for place in rooms.places([.deferred]) {
      finish(place, .pending, reason: .tooManyFailures)
    }
    for place in rooms.places([.open]) {
      guard case .open(let state) = rooms[place].state else { continue }
      finish(place, state.outcome, reason: state.reason)
    }
    for place in rooms.places([.awaited, .queued, .backingOff, .exhausted]) {
      // A room with a failed attempt keeps the reason of that failure.
      if let failure = rooms[place].state.work?.lastFailure {
        finish(place, outcome(of: place, after: failure), reason: failure)
      } else {
        finish(place, .pending, reason: .tooManyFailures)
      }
    }
  }
}
