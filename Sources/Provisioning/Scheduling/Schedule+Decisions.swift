import Bluetooth
import HeapModule

/// What is to be done.
extension Schedule {
  /// What is to be done now. What it says, it takes for done: it does not say it again.
  mutating func next(at now: MonotonicInstant) -> [Action] {
    endPauses(at: now)
    var actions = overdueProofs(at: now) + silentRooms(at: now)
    for index in radios.indices {
      if isToBeReported(index, at: now) {
        radios[index].isReportedDeaf = true
        actions.append(.reportDeaf(radios[index].session))
      }
      if let action = decide(index, at: now) { actions.append(action) }
    }
    return actions
  }

  /// When something is to be done at the latest, if nothing happens before; nil when only events can tell.
  func wake(after now: MonotonicInstant) -> MonotonicInstant? {
    var instants: [MonotonicInstant] = []
    if let pause = pauses.min { instants.append(pause.at) }
    for (index, radio) in radios.enumerated() {
      if let held = radio.heldUntil, held > now { instants.append(held) }
      // It leaves somebody to another adapter, which may not come to it.
      if radio.mode == .idle, radio.calling == nil, !radio.candidates.isEmpty, hasRoom(index) {
        instants.append(now.advanced(by: .seconds(1)))
      }
      // A conversation is left in peace for a while.
      if radio.mode == .idle, let until = quietUntil(radio) { instants.append(until) }
      guard case .listening(let since) = radio.mode else { continue }
      // Whom it has heard meanwhile waits for the window's end, and so do conversations.
      if !radio.candidates.isEmpty || radio.links > 0 { instants.append(since.advanced(by: Limits.window)) }
      instants.append(since.advanced(by: longestWindow))
      if let deaf = radio.ears.instant(of: radio.lastReport + Limits.deafAfter, at: now) {
        instants.append(deaf)
      }
    }
    // Whose proof is over has been dropped by `next`.
    if let settles = settling.min { instants.append(settles.at) }
    for radio in radios {
      if let proof = radio.proofs.min, let over = radio.ears.instant(of: proof.at, at: now) {
        instants.append(over)
      }
    }
    if let proof = orphans.min, let over = leastEars(reach: proof.at, at: now) { instants.append(over) }
    if let silence = silences.min, let instant = leastEars(reach: silence.at, at: now) {
      instants.append(instant)
    }
    // What was due by now and was not done waits for an event.
    return instants.filter { $0 > now }.min()
  }

  // MARK: What is over

  private mutating func endPauses(at now: MonotonicInstant) {
    while let pause = pauses.min, pause.at <= now {
      pauses.removeMin()
      if entries[pause.room]?.phase == .pausing(until: pause.at) { becomeDue(pause.room, at: now) }
    }
  }

  private mutating func overdueProofs(at now: MonotonicInstant) -> [Action] {
    var over: Set<RoomID> = []
    while let due = settling.min {
      let isAwaited = proving[due.room]?.settles == due.at
      if isAwaited, due.at > now { break }
      settling.removeMin()
      if isAwaited { over.insert(due.room) }
    }
    for index in radios.indices {
      let (adapter, heard) = (radios[index].id, radios[index].ears.total(at: now))
      while let due = radios[index].proofs.min {
        let isAwaited = proving[due.room].map { $0.adapter == adapter && $0.limit == due.at } ?? false
        if isAwaited, due.at > heard { break }
        radios[index].proofs.removeMin()
        if isAwaited { over.insert(due.room) }
      }
    }
    let heard = leastEars(at: now)
    while let due = orphans.min {
      let isAwaited = proving[due.room].map { $0.adapter == nil && $0.limit == due.at } ?? false
      if isAwaited, due.at > heard { break }
      orphans.removeMin()
      if isAwaited { over.insert(due.room) }
    }
    return over.sorted().map { .proofOver($0) }
  }

  /// When every adapter will have listened this long; nil while one does not listen that has not yet.
  private func leastEars(reach total: Duration, at now: MonotonicInstant) -> MonotonicInstant? {
    var latest: MonotonicInstant?
    for radio in radios {
      guard let instant = radio.ears.instant(of: total, at: now) else { return nil }
      latest = max(latest ?? instant, instant)
    }
    return latest
  }

  private mutating func silentRooms(at now: MonotonicInstant) -> [Action] {
    var actions: [Action] = []
    while let silence = silences.min, let instant = leastEars(reach: silence.at, at: now), instant <= now {
      silences.removeMin()
      guard let entry = entries[silence.room], entry.phase == .due, entry.silenceLimit == silence.at else {
        continue
      }
      let isHeard = radios.contains { isFresh(entry.hearings[$0.id]?.at, at: now) }
      if isHeard, entry.job.approach != .heard {
        // Its turn will come.
        let limit = leastEars(at: now) + entry.job.search * 2
        entries[silence.room]?.silenceLimit = limit
        silences.insert(Due(at: limit, order: entry.order, room: silence.room))
      } else {
        actions.append(
          .giveUp(silence.room, FailureReason(isDeaf(at: now) ? .adapterDeaf : .neverHeard)))
        finish(silence.room)
      }
    }
    return actions
  }

  // MARK: Adapters

  // By index, not by value: a copy of an adapter, held while its candidates change, would have all of them copied.

  private mutating func decide(_ index: Int, at now: MonotonicInstant) -> Action? {
    let session = radios[index].session
    if let held = radios[index].heldUntil, held > now { return nil }
    let isSuspected =
      radios[index].links == 0 && !radios[index].wasPowerCycled && radios[index].hearsNothing(at: now)
    switch radios[index].mode {
    case .stopping, .powerCycling:
      return nil
    case .idle where isSuspected:
      radios[index].mode = .powerCycling
      return .powerCycle(session)
    case .listening(let since):
      let isLongEnough = since.duration(to: now) >= Limits.window
      let hasCall = isLongEnough && hasRoom(index) && hasCandidate(index, at: now)
      let isEnough =
        isLongEnough && radios[index].links > 0 || since.duration(to: now) >= longestWindow || isSuspected
      guard hasCall || isEnough || !wantsToListen(index) else { return nil }
      radios[index].mode = .stopping
      return .stopListening(session)
    case .idle:
      guard radios[index].calling == nil else { return nil }
      let isLong = radios[index].callsSince.map { $0.duration(to: now) >= Limits.calling } ?? false
      let isOver = isLong && wantsToListen(index)
      if !isOver {
        if hasRoom(index), let call = nextCall(index, at: now) { return .call(call) }
        // Candidates that only wait for room are called before it listens again.
        guard !hasCandidate(index, at: now) else { return nil }
      }
      let isDisturbing = quietUntil(radios[index]).map { $0 > now } ?? false
      guard isOver || !isDisturbing, wantsToListen(index) else { return nil }
      radios[index].mode = .listening(since: now)
      return .listen(session)
    }
  }

  /// Whether an adapter still hears nothing after it was switched off and on, and that is not said yet.
  private func isToBeReported(_ index: Int, at now: MonotonicInstant) -> Bool {
    radios[index].wasPowerCycled && !radios[index].isReportedDeaf && radios[index].hearsNothing(at: now)
  }

  private func hasRoom(_ index: Int) -> Bool {
    !mayNotConnect && radios[index].links < radios[index].slots && radios[index].hangingUp.isEmpty
      && !radios[index].isReleasing && conversations < parallel
  }

  /// Whether somebody is to be heard: a proof of whom it wrote or of whom nobody else looks after, a device that
  /// nobody has heard, or, unless it has just listened for them in vain, devices that others have yet to call.
  private func wantsToListen(_ index: Int) -> Bool {
    !radios[index].proofs.isEmpty || !orphans.isEmpty || !unheard.isEmpty || !resting.isEmpty
      || awaitsNews || dueCount > radios[index].candidates.count && !radios[index].isInVain
  }

  /// Until when an adapter does not listen, for the sake of its conversations.
  private func quietUntil(_ radio: Radio) -> MonotonicInstant? {
    radio.links > 0 ? (radio.listenedUntil ?? radio.callsSince)?.advanced(by: Limits.quiet) : nil
  }

  /// Whether there is somebody to call, whether or not there is room. Whoever is a candidate without right is
  /// dropped.
  private mutating func hasCandidate(_ index: Int, at now: MonotonicInstant) -> Bool {
    while let candidate = radios[index].candidates.min {
      if isEligible(candidate, radios[index].id, at: now) { return true }
      drop(candidate, index)
    }
    return false
  }

  private mutating func drop(_ candidate: Candidate, _ index: Int) {
    radios[index].candidates.removeMin()
    if entries[candidate.room]?.attempts == candidate.attempts { leave(candidate.room, radios[index].id) }
  }

  private func isEligible(_ candidate: Candidate, _ adapter: AdapterID, at now: MonotonicInstant) -> Bool {
    guard let entry = entries[candidate.room], entry.phase == .due, entry.attempts == candidate.attempts,
      entry.candidacies.contains(adapter)
    else { return false }
    return entry.job.approach == .searched || isFresh(entry.hearings[adapter]?.at, at: now)
  }

  private mutating func nextCall(_ index: Int, at now: MonotonicInstant) -> Call? {
    let adapter = radios[index].id
    var left: [Candidate] = []
    defer { for candidate in left { radios[index].candidates.insert(candidate) } }
    while hasCandidate(index, at: now), let candidate = radios[index].candidates.popMin() {
      guard let entry = entries[candidate.room], let address = entry.job.address else { continue }
      if left.count < Limits.courtesies, isBetterElsewhere(entry, adapter, at: now) {
        left.append(candidate)
        continue
      }
      entries[candidate.room]?.candidacies.remove(adapter)
      entries[candidate.room]?.phase = .calling(radios[index].session)
      dueCount -= 1
      radios[index].calling = (candidate.room, now)
      radios[index].links += 1
      radios[index].callsSince = radios[index].callsSince ?? now
      return Call(
        room: candidate.room, address: address, session: radios[index].session, attempt: entry.attempts + 1,
        patience: patience(entry, on: radios[index]))
    }
    return nil
  }

  /// The limit of a first attempt where others can follow: a device that does not answer holds up its neighbours. It
  /// follows from how long connecting takes on this adapter, and there is none while another program scans with it.
  private func patience(_ entry: Entry, on radio: Radio) -> Duration? {
    guard case .dialled(let firstCall?) = entry.job.approach, entry.charged == 0, entry.job.retries > 0,
      !radio.isShared
    else { return nil }
    let times = connectTimes[radio.id] ?? []
    guard times.count >= Limits.connectTimesNeeded, let longest = times.max() else { return firstCall * 2 }
    return max(firstCall, longest * Limits.connectTimeFactor)
  }

  /// Whether another adapter that has heard it lately should call it: one that failed less often with it, or hears it
  /// clearly better.
  private func isBetterElsewhere(_ entry: Entry, _ adapter: AdapterID, at now: MonotonicInstant) -> Bool {
    guard entry.job.approach != .searched else { return isBetterSearched(entry, adapter, at: now) }
    let here = entry.failures[adapter] ?? 0
    return radios.contains { other in
      // Only who has it among its candidates will call it.
      guard other.id != adapter, entry.candidacies.contains(other.id),
        let there = entry.hearings[other.id], isFresh(there.at, at: now),
        other.heldUntil.map({ $0 <= now }) ?? true
      else { return false }
      let failures = entry.failures[other.id] ?? 0
      if failures != here { return failures < here }
      guard let rssi = entry.hearings[adapter]?.rssi, let better = there.rssi else { return false }
      return better >= rssi + Limits.better
    }
  }

  /// The same of a device that its own session searches: there an adapter that ever heard it comes first.
  private func isBetterSearched(_ entry: Entry, _ adapter: AdapterID, at now: MonotonicInstant) -> Bool {
    let here = (reach: entry.reach[adapter], failures: entry.failures[adapter] ?? 0)
    return radios.contains { other in
      guard other.id != adapter, other.heldUntil.map({ $0 <= now }) ?? true else { return false }
      let there = (reach: entry.reach[other.id], failures: entry.failures[other.id] ?? 0)
      if (there.reach == nil) != (here.reach == nil) { return there.reach != nil }
      if there.failures != here.failures { return there.failures < here.failures }
      guard let rssi = here.reach, let better = there.reach else { return false }
      return better >= rssi + Limits.better
    }
  }
}
