import Bluetooth

/// The thin shell around the schedule: child tasks do what it says, and it is told what they find out.
extension ApplyRun {
  /// What the run does with the radio.
  enum Phase {
    /// It finds out which devices are there.
    case survey
    /// It does what the schedule says.
    case provisioning
  }

  /// Goes through a phase to its end, beside the watch for adapters. What it has begun is ended before this returns.
  /// - Returns: why the run is to stop, if it is.
  func carryOut(_ phase: Phase) async -> Stop? {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.followAdapters() }
      await work(on: phase, in: &group)
      group.cancelAll()
      await group.waitForAll()
      return stop
    }
  }

  private func work(on phase: Phase, in group: inout TaskGroup<Void>) async {
    do throws(Stop) {
      switch phase {
      case .survey: try await survey(in: &group)
      case .provisioning: try await provision(in: &group)
      }
    } catch {
      stop(error)
    }
  }

  /// Does what the schedule says until nothing is left to do.
  private func provision(in group: inout TaskGroup<Void>) async throws(Stop) {
    while true {
      try await lookAfterAdapters()
      try await attendWaiting()
      try await matchAgain()
      try await attendCanaries()
      for room in schedule.takeRenewed() { try await renewed(room) }
      if hasTooManyFailures { try await beginNoMore() }
      schedule.awaitsNews = awaitsNews
      schedule.mayNotConnect = mayHaveTooManyFailures
      if schedule.isFinished, !awaitsNews { return try await finishParked() }
      let wake = try await begin(in: &group)
      if !schedule.isFinished || awaitsNews {
        await rest(until: [wake, matchesAgainAt].compactMap(\.self).min())
      }
    }
  }

  /// Takes note of adapters that came or went.
  /// - Throws: why the run is to stop, if it is.
  func lookAfterAdapters() async throws(Stop) {
    if let stop { throw stop }
    if Task.isCancelled { throw .interrupted }
    if let failure = coordinator.failure { throw .record(failure) }
    if adaptersMayHaveChanged || isAdapterDue { try await refreshAdapters() }
  }

  /// Begins what is to be done now. Returns when something is to be done at the latest, if nothing happens before.
  func begin(in group: inout TaskGroup<Void>) async throws(Stop) -> MonotonicInstant? {
    // Of one instant: what falls due while the actions are begun is not to be missed.
    let now = clock.now
    let actions = schedule.next(at: now)
    let wake = [schedule.wake(after: now), adapterDueAt].compactMap(\.self).min()
    for action in actions { try await start(action, in: &group) }
    return wake
  }

  // MARK: Too many failures

  private var hasTooManyFailures: Bool { request.failureLimit.map { failures > $0 } ?? false }

  /// Whether there may be too many failures once those are judged that have ended.
  private var mayHaveTooManyFailures: Bool { request.failureLimit.map { failures + judging > $0 } ?? false }

  /// Ends the rooms that nobody is busy with. Those in hand are brought to their end.
  private func beginNoMore() async throws(Stop) {
    for work in canaries.takeHeld() {
      try await finish(work.room, .pending, reason: FailureReason(.tooManyFailures))
    }
    for (id, standing) in waiting.open.sorted(by: { $0.key < $1.key }) {
      try await finish(room(id), standing.outcome, reason: standing.reason)
    }
    for id in schedule.idleRooms {
      let room = room(id)
      // One that was tried says why it failed.
      guard let failure = works[id]?.lastFailure else {
        try await finish(room, .pending, reason: FailureReason(.tooManyFailures))
        continue
      }
      try await finish(room, outcome(of: room, after: failure), reason: failure)
    }
  }

  private func start(_ action: Schedule.Action, in group: inout TaskGroup<Void>) async throws(Stop) {
    switch action {
    case .listen(let session):
      let window = ScanWindow()
      windows[session] = window
      group.addTask { await self.scan(in: session, until: window.end) }
    case .stopListening(let session):
      windows[session]?.close()
    case .powerCycle(let session):
      group.addTask { await self.powerCycle(session) }
    case .reportDeaf(let session):
      coordinator.note(.adapterFaulted(.init(adapter: session.adapter, fault: .hearsNothing)))
    case .call(let call):
      group.addTask { await self.attempt(call) }
    case .proofOver(let room):
      proofs.end(room)
      schedule.proofEnded(of: room)
    case .giveUp(let room, let reason):
      try await giveUp(room, reason)
    }
  }

  /// A device whose attempts had been used up was clearly heard again.
  private func renewed(_ room: RoomID) async throws(Stop) {
    failures -= 1
    coordinator.note(
      .retryScheduled(.init(room: room, attempt: (works[room]?.attempts ?? 0) + 1, delay: 0)))
  }

  func rest(until instant: MonotonicInstant?) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [bell] in await bell.wait() }
      if let instant {
        group.addTask { [clock] in try? await clock.sleep(until: instant, tolerance: nil) }
      }
      await group.next()
      group.cancelAll()
    }
  }

  /// Has the run stop, for the first reason given.
  func stop(_ reason: Stop) {
    stop = stop ?? reason
    bell.ring()
  }
}
