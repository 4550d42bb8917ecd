import Bluetooth

/// The thin shell around the schedule: what it says is done by child tasks, and what they find out it is told.
extension ApplyRun {
  /// Does what the schedule says until nothing is left to do. Returns why it stopped before, if it did.
  func drive() async -> Stop? {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.followAdapters() }
      await work(in: &group)
      group.cancelAll()
      await group.waitForAll()
      return stop
    }
  }

  private func work(in group: inout TaskGroup<Void>) async {
    do throws(Stop) {
      while try await !step(in: &group) {}
    } catch {
      stop(error)
    }
  }

  /// One turn: looks after what happened, does what is to be done, and rests until something happens again. True when
  /// nothing is left to do.
  private func step(in group: inout TaskGroup<Void>) async throws(Stop) -> Bool {
    if let stop { throw stop }
    if Task.isCancelled { throw .interrupted }
    if let failure = coordinator.failure { throw .record(failure) }
    if adaptersMayHaveChanged { try await refreshAdapters() }
    try await attendWaiting()
    try await matchAgain()
    try await attendCanaries()
    for room in schedule.takeRenewed() { try await renewed(room) }
    if hasTooManyFailures { try await beginNoMore() }
    schedule.awaitsNews = awaitsNews
    if schedule.isFinished, !awaitsNews {
      try await finishParked()
      return true
    }
    // Of one instant: what falls due while the actions are begun is not to be missed.
    let now = clock.now
    let actions = schedule.next(at: now)
    let wake = [schedule.wake(after: now), matchesAgainAt].compactMap(\.self).min()
    for action in actions { try await start(action, in: &group) }
    if !schedule.isFinished || awaitsNews { await rest(until: wake) }
    return false
  }

  // MARK: Too many failures

  private var hasTooManyFailures: Bool { request.failureLimit.map { failures > $0 } ?? false }

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
    case .listen(let adapter):
      let bell = Bell()
      windows[adapter] = bell
      group.addTask { await self.window(on: adapter, until: bell) }
    case .stopListening(let adapter):
      windows[adapter]?.ring()
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

  private func rest(until instant: MonotonicInstant?) async {
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

  // MARK: Listening

  /// A listening window of the schedule's, on one adapter.
  private func window(on adapter: AdapterID, until end: Bell) async {
    let window = Listening(adapter: adapter, purpose: proofs.isEmpty ? .sighting : .proof)
    await forgetLeftovers()
    coordinator.note(.listeningStarted(window))
    let failure = await withTaskGroup(of: CentralError?.self) { group in
      group.addTask { [central] in
        do throws(CentralError) {
          try await central.listen(on: adapter) { (advertisements) throws(CentralError) in
            try await self.hear(advertisements, on: adapter)
          }
          return nil
        } catch {
          return error
        }
      }
      group.addTask {
        await end.wait()
        return nil
      }
      var failure: CentralError?
      for await ended in group {
        if let ended, ended.code != .cancelled { failure = failure ?? ended }
        group.cancelAll()
      }
      return failure
    }
    coordinator.note(.listeningStopped(window))
    windows[adapter] = nil
    windowEnded(on: adapter, failure)
    bell.ring()
  }

  /// Takes in all that is heard in a window; here and not in its task, which would change sides for each hearing.
  private func hear(
    _ advertisements: AdvertisementStream, on adapter: AdapterID
  ) async throws(CentralError) {
    listeningBegan(on: adapter)
    for try await advertisement in advertisements { await hear(advertisement) }
  }

  private func listeningBegan(on adapter: AdapterID) {
    schedule.listeningBegan(on: adapter, at: clock.now)
    // From now on there is an instant at which a proof is over.
    bell.ring()
  }

  /// After so many listening windows in a row that the stack refused, an adapter is given up. Each costs a second.
  static let tolerableStumbles = 10

  private func windowEnded(on adapter: AdapterID, _ failure: CentralError?) {
    switch failure?.code {
    case nil:
      stumbles[adapter] = nil
      schedule.listeningEnded(on: adapter, at: clock.now)
    case .busUnavailable?, .permissionDenied?:
      schedule.listeningEnded(on: adapter, at: clock.now)
      if let failure { stop(.radio(failure)) }
    case .adapterUnavailable?, .stackUnavailable?:
      lose(adapter)
    default:
      stumbles[adapter, default: 0] += 1
      let isHopeless = stumbles[adapter, default: 0] >= Self.tolerableStumbles
      schedule.listeningEnded(on: adapter, at: clock.now, heldUntil: clock.now.advanced(by: .seconds(1)))
      if isHopeless, let failure {
        if adapters.count > 1 { lose(adapter) } else { stop(.radio(failure)) }
      }
    }
  }

  // MARK: Adapters

  /// An adapter cannot be used, as far as is known now.
  func lose(_ adapter: AdapterID) {
    adapters[adapter] = nil
    schedule.remove(adapter, at: clock.now)
    adaptersMayHaveChanged = true
    bell.ring()
  }

  private func followAdapters() async {
    for await _ in await central.adapterChanges() {
      adaptersMayHaveChanged = true
      bell.ring()
    }
  }

  /// Takes adapters that have come, and does without those that have gone; where none is left, waits for one.
  private func refreshAdapters() async throws(Stop) {
    adaptersMayHaveChanged = false
    let present: [Adapter]
    do throws(CentralError) {
      present = try await central.adapters()
    } catch {
      guard error.code != .busUnavailable, error.code != .permissionDenied else { throw .radio(error) }
      present = []
    }
    let ready = present.filter { $0.state == .ready && request.wants($0) }.sorted { $0.name < $1.name }
    for gone in adapters.keys.sorted() where !ready.contains(where: { $0.id == gone }) {
      adapters[gone] = nil
      schedule.remove(gone, at: clock.now)
    }
    for adapter in ready where adapters[adapter.id] == nil { _ = try await take(adapter) }
    if adapters.isEmpty { try await selectAdapters() }
  }
}
