import Bluetooth
import Model
import Session
import HeapModule

/// The rooms whose device waits for a connection: which adapters may connect, and when the run gives a device
/// up.
extension RunMachine {
  /// The scan time of every adapter at which the run gives up a device without a sighting.
  func silenceLimit(of room: Room) -> Duration { leastScanTime + room.timeouts.search * 2 }

  /// Queues a room for a connection.
  mutating func enqueue(_ place: Int, _ state: RoomState) {
    guard case .queued(let queued) = state else { preconditionFailure("the state must be queued") }
    rooms.move(place, to: state)
    isDirty = true
    let isSearched = rooms[place].isPerAction
    if !isSearched, !request.isWatching {
      rooms.timers.silences.insert(Due(at: queued.silenceLimit, room: place))
    }
    for radio in radios where isSearched || isFresh(queued.work.address, on: radio.id) {
      enlist(place, on: radio.id)
    }
    // An adapter without a slot for it made the stack forget it.
    if case .queued(let state) = rooms[place].state, state.candidacies.isEmpty,
      state.work.lastFailure?.code == .outOfSlots, let index = state.work.adapter.flatMap(radios.index)
    {
      radios[index].hasOldSightings = true
    }
  }

  /// Adds a room to the candidates of an adapter.
  mutating func enlist(_ place: Int, on adapter: AdapterID) {
    // Without any adapter that can write it, the room ends when an adapter takes it.
    guard canWrite(place, on: adapter) || !hasLocalRadio,
      let index = radios.index(of: adapter), let work = rooms[place].state.work,
      !isLeft(place, work, by: adapter), rooms.enlist(place, on: adapter)
    else { return }
    radios[index].candidates.insert(
      Candidate(
        isSilent: work.isSilent, charged: work.budget.charged, room: place, attempts: work.attempts))
    guard case .all(let end) = radios[index].freshness, !rooms[place].isPerAction else { return }
    let own = freshUntil(place, on: adapter)
    radios[index].freshness = own.map { own in .all(until: end.map { min($0, own) } ?? own) } ?? .unknown
  }

  /// Whether the device of a room can be proved through an adapter.
  func canWrite(_ place: Int, on adapter: AdapterID) -> Bool {
    adapter.host == nil || !rooms[place].room.family.proof.isSelfDisconnect
  }

  /// Whether an adapter leaves a device to those of a host on its floor: one of them receives it, and did not fail.
  private func isLeft(_ place: Int, _ work: RoomWork, by adapter: AdapterID) -> Bool {
    guard let hosts = rooms[place].hosts, !adapter.isOf(hosts) else { return false }
    return radios.contains {
      $0.id.isOf(hosts) && !$0.isCoolingDown(at: now) && isFresh(work.address, on: $0.id)
        && canWrite(place, on: $0.id) && work.failures[$0.id, default: 0] == 0
    }
  }

  /// Whether an adapter received a device recently enough to connect to it.
  func isFresh(_ device: BluetoothAddress, on adapter: AdapterID) -> Bool {
    air.reception(of: device, on: adapter)?.isFresh(at: now) == true
  }

  /// Whether a candidate of an adapter is still valid: queued for the same attempt, and recently received.
  private func isEligible(_ candidate: Candidate, _ adapter: AdapterID) -> Bool {
    guard isListed(candidate, adapter) else { return false }
    return rooms[candidate.room].isPerAction
      || freshUntil(candidate.room, on: adapter).map { now <= $0 } ?? false
  }

  /// Whether an adapter has a candidate, even without a free slot. Outdated candidates are removed.
  mutating func hasCandidate(_ index: Int) -> Bool {
    // As an argument of a call on `self` it would force a copy of `self`.
    let adapter = radios[index].id
    while let candidate = radios[index].candidates.min {
      if isEligible(candidate, adapter) { return true }
      radios[index].candidates.removeMin()
      if let queue = rooms[candidate.room].state.queue, queue.candidacies.contains(adapter),
        queue.attempts == candidate.attempts
      {
        radios[index].hasOldSightings = true
      }
      if rooms[candidate.room].state.work?.attempts == candidate.attempts {
        rooms.leave(candidate.room, adapter)
      }
    }
    return false
  }

  /// Whether an adapter can connect to every device that waits. It looks at all of them only if what it found the last time
  /// may be over.
  mutating func hasEveryCandidate(_ index: Int) -> Bool {
    let adapter = radios[index].id
    guard rooms.listed[adapter, default: 0] == rooms.dueCount else { return false }
    switch radios[index].freshness {
    case .all(until: nil): return true
    case .all(let end?) where now <= end: return true
    case .lacks(let candidate) where isListed(candidate, adapter) && !isEligible(candidate, adapter):
      return false
    case .all, .lacks, .unknown: break
    }
    var earliest: MonotonicInstant?
    for candidate in radios[index].candidates.unordered
    where isListed(candidate, adapter) && !rooms[candidate.room].isPerAction {
      guard let end = freshUntil(candidate.room, on: adapter), now <= end else {
        radios[index].freshness = .lacks(candidate)
        return false
      }
      earliest = earliest.map { min($0, end) } ?? end
    }
    radios[index].freshness = .all(until: earliest)
    return true
  }

  /// When the device of a queued room was not received recently enough any more; nil if it was not received.
  private func freshUntil(_ place: Int, on adapter: AdapterID) -> MonotonicInstant? {
    rooms[place].state.queue.flatMap { air.reception(of: $0.device, on: adapter)?.freshUntil }
  }

  /// Whether a candidate of an adapter is queued for the same attempt.
  private func isListed(_ candidate: Candidate, _ adapter: AdapterID) -> Bool {
    guard let queue = rooms[candidate.room].state.queue else { return false }
    return queue.attempts == candidate.attempts && queue.candidacies.contains(adapter)
  }

  /// Whether the next device of an adapter is silent, and with it all that wait.
  mutating func isNextSilent(_ index: Int) -> Bool {
    // The last one is silent, too: silent ones come last.
    radios[index].candidates.max?.isSilent == true && hasCandidate(index)
      && radios[index].candidates.min?.isSilent == true
  }

  /// Takes the next room that an adapter connects to; nil when there is none, or all should go to other
  /// adapters.
  mutating func takeCandidate(_ index: Int) -> Int? {
    let adapter = radios[index].id
    var (deferred, waiting): ([Candidate], [Candidate]) = ([], [])
    defer { for candidate in deferred + waiting { radios[index].candidates.insert(candidate) } }
    while hasCandidate(index), let candidate = radios[index].candidates.popMin() {
      guard case .queued(let state) = rooms[candidate.room].state else { continue }
      if isLeft(candidate.room, state.work, by: adapter) {
        rooms.leave(candidate.room, adapter)
        continue
      }
      if state.work.room.pairs, isPairing(on: adapter.host) {
        waiting.append(candidate)
        continue
      }
      if deferred.count < RadioLimits.deferrals, isBetterElsewhere(candidate.room, state, adapter) {
        deferred.append(candidate)
        continue
      }
      rooms.leave(candidate.room, adapter)
      return candidate.room
    }
    return nil
  }

  /// Whether an adapter has a candidate that comes before a scan. One that waits until its host has paired another device
  /// holds up no proof.
  mutating func hasReadyCandidate(_ index: Int) -> Bool {
    guard hasCandidate(index) else { return false }
    let adapter = radios[index].id
    guard isPairing(on: adapter.host), awaitsProof(index) else { return true }
    return radios[index].candidates.unordered.contains {
      isEligible($0, adapter) && rooms[$0.room].state.work?.room.pairs != true
    }
  }

  /// Whether a host is pairing: it does so with one device at a time, and the others need not occupy an adapter meanwhile.
  private func isPairing(on host: HostName?) -> Bool {
    rooms.isAnyPaired
      && rooms.contains(.connecting) { state in
        guard case .connecting(let engaged) = state else { return false }
        return engaged.work.room.pairs && engaged.session.adapter.host == host
      }
  }

  /// Whether another adapter should connect instead: one with a bond that is kept, one with fewer failures with this device,
  /// or one that receives it clearly stronger.
  private func isBetterElsewhere(
    _ place: Int, _ state: RoomState.Queued, _ adapter: AdapterID
  ) -> Bool {
    let isSearched = rooms[place].isPerAction
    let sighting = air[state.work.address]
    // A device that its own session searches goes to an adapter that ever received it.
    func strength(on adapter: AdapterID) -> Int? {
      isSearched ? rooms.reach[place]?[adapter] : sighting?.receptions[adapter]?.rssi
    }
    let here = (strength: strength(on: adapter), failures: state.work.failures[adapter] ?? 0)
    func isBetter(_ other: AdapterID) -> Bool {
      guard other != adapter, let index = radios.index(of: other), !radios[index].isCoolingDown(at: now),
        canWrite(place, on: other), isSearched || isFresh(state.work.address, on: other)
      else { return false }
      let isBonded = keepsBond(of: state.work, on: other)
      if isBonded != keepsBond(of: state.work, on: adapter) { return isBonded }
      let there = (strength: strength(on: other), failures: state.work.failures[other] ?? 0)
      if isSearched, (there.strength == nil) != (here.strength == nil) { return there.strength != nil }
      if there.failures != here.failures { return there.failures < here.failures }
      guard let strength = here.strength, let better = there.strength else { return false }
      return better >= strength + RadioLimits.better
    }
    // Only an adapter that has it among its candidates connects to it.
    return isSearched
      ? radios.indices.contains { isBetter(radios[$0].id) } : state.candidacies.contains(where: isBetter)
  }

  /// Whether an adapter may have the bond that the family of a device keeps: the device may pair with no other.
  private func keepsBond(of work: RoomWork, on adapter: AdapterID) -> Bool {
    guard work.room.family.keepsBond else { return false }
    let bond = request.known.lastKnown.bonds[Bond(with: work.address, on: adapter)]
    return work.adapter == adapter || bond == .kept || bond == .protected
  }

  // MARK: Timers

  /// Ends back-offs, delays before a classification, waits for proofs, and rooms without a sighting for too
  /// long.
  mutating func endWhatIsDue() {
    while let due = rooms.timers.instants.min, due.at <= now {
      rooms.timers.instants.removeMin()
      switch rooms[due.room].state {
      case .backingOff(let state) where state.until == due.at:
        enqueue(due.room, state.over(silenceLimit: silenceLimit(of: state.work.room)))
      case .proving(let state) where state.watch.settlesAt == due.at: endProof(due.room, isOver: true)
      default: break
      }
    }
    judgeFailures()
    endOverdueProofs()
    endSilentRooms()
  }

  private mutating func judgeFailures() {
    for place in rooms.places([.diagnosing]) {
      guard case .diagnosing(let state) = rooms[place].state, judgement(of: state) <= now,
        !awaitsSign(state)
      else { continue }
      judge(place, state)
    }
  }

  private mutating func endSilentRooms() {
    guard !course.isEnding else { return }
    let least = leastScanTime
    while let due = rooms.timers.silences.min, due.at <= least, !radios.isEmpty {
      rooms.timers.silences.removeMin()
      switch rooms[due.room].state {
      case .awaited:
        finish(due.room, .unreachable, reason: silence(of: rooms[due.room].room.address))
      case .queued(var state) where state.silenceLimit == due.at:
        if radios.contains(where: { isFresh(state.work.address, on: $0.id) }) {
          // It is still received and waits for its connection.
          state.silenceLimit = silenceLimit(of: state.work.room)
          rooms.update(due.room, .queued(state))
          rooms.timers.silences.insert(Due(at: state.silenceLimit, room: due.room))
        } else {
          giveUp(due.room, state.work)
        }
      default: break
      }
    }
  }

  /// Ends a room whose device is no longer received. An earlier failure is the better reason.
  private mutating func giveUp(_ place: Int, _ work: RoomWork) {
    // Not received since an earlier run asked it to save: the save may have succeeded.
    let mayBeDone = request.known.lastWrite(for: work.room, at: work.address)?.isUnproved == true
    let silent = mayBeDone ? .notReceivedAfterSave(nil) : silence(of: work.address)
    end(place, work, after: work.lastFailure ?? silent)
  }

  /// Why nothing usable was received from a device.
  func silence(of address: BluetoothAddress?) -> FailureReason {
    if let error = address.flatMap(hidden.error(of:)) { return .contentHidden(stackText: error) }
    if let address, air.isStranger(address) { return .notRecognised }
    return radios.isDeaf(at: now) ? .adapterDeaf : .neverReceived()
  }
}

extension AdapterID {
  fileprivate func isOf(_ hosts: Set<HostName>) -> Bool { host.map(hosts.contains) ?? false }
}
