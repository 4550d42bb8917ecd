import Bluetooth
import Model
import HeapModule

/// What each adapter does next.
///
/// An adapter either scans or connects. It makes one connection at a time and holds several links. It
/// connects only to devices that it received itself a short while ago, since each adapter has its own objects
/// in BlueZ. So each adapter alternates at its own pace: a scan window, then connections to the received
/// devices, one after the other, while GATT sessions continue on the links that are up. A window serves all
/// purposes: sightings, late arrivals, and proofs.
extension RunMachine {
  /// Gives each idle adapter something to do.
  mutating func useRadios() {
    for index in radios.indices {
      reportIfDeaf(index)
      decide(index)
    }
  }

  private mutating func decide(_ index: Int) {
    guard !radios[index].isCoolingDown(at: now) else { return }
    let fault = suspectedFault(index)
    if let fault, radios[index].state.kind == .idle {
      radios.powerCycle(index, because: fault)
      return perform(.powerCycle(radios[index].session))
    }
    switch radios[index].state {
    case .closing, .connecting, .powerCycling:
      return
    case .scanning where radios.listener(at: now)?.index == index:
      return
    case .opening(let window), .scanning(let window):
      let age = window.since.duration(to: now)
      let isLongEnough = age >= RadioLimits.shortestWindow
      // A silent device may block the adapter for the whole connect timeout: the proofs of others come first.
      let mayConnect =
        (isLongEnough || hasEveryCandidate(index)) && hasRoom(index) && hasReadyCandidate(index)
        && !(isNextSilent(index) && awaitsProof(index))
      let isOver =
        isLongEnough && radios[index].links > 0 && !isInDoubt(index) || age >= longestWindow || fault != nil
      if mayConnect || isOver || !wantsToScan(index) { closeWindow(index) }
    case .idle where isInDoubt(index):
      openWindow(index)
    case .idle:
      let isOver = isConnectingForLong(index) && wantsToScan(index)
      let isQuiet = radios[index].quietUntil.map { $0 > now } ?? false
      let isProofFirst = radios[index].hasTriedOthers && isNextSilent(index)
      if isProofFirst, isQuiet || rooms.count(.disconnecting) > 0 { return }
      if !isOver, !(isProofFirst && wantsToScan(index)) {
        while hasRoom(index), let place = takeCandidate(index) {
          engage(place, index)
          if radios[index].state.kind == .connecting { return }
        }
        // Candidates that wait for a free slot are connected to before the next scan.
        if course.mayStartAttempts, hasReadyCandidate(index) { return }
      }
      // Sessions continue during a window that is needed for the next connections.
      if isOver || radios[index].hasOldSightings || !isQuiet, wantsToScan(index) { openWindow(index) }
    }
  }

  /// A fault that switching an adapter off and on may repair. That ends its links, so it has none.
  private mutating func suspectedFault(_ index: Int) -> AdapterFault.Kind? {
    guard radios[index].links == 0, !radios[index].wasPowerCycled else { return nil }
    // As an argument it would force a copy of the adapter.
    let limit = deafAfter(index)
    if radios[index].receivesNothing(at: now, for: limit) { return .receivesNothing }
    guard radios[index].makesNoLink else { return nil }
    // A device that it has not tried yet shows whether it makes links.
    let hasOthers = hasReadyCandidate(index) && !isNextSilent(index)
    return hasOthers && radios[index].unanswered.count < RadioLimits.attemptsAtOthers ? nil : .makesNoLink
  }

  /// Whether a device that an adapter wrote has yet to be received.
  func awaitsProof(_ index: Int) -> Bool {
    let adapter = radios[index].id
    return rooms.contains(.proving) { $0.awaitedProof?.adapter == adapter }
  }

  /// Whether an adapter has connected for long to devices that need no recent sighting. Other connections end by
  /// themselves, when the sightings are too old.
  private mutating func isConnectingForLong(_ index: Int) -> Bool {
    guard rooms.isAnyPerAction, let since = radios[index].connectingSince,
      since.duration(to: now) >= RadioLimits.connecting, hasCandidate(index),
      let next = radios[index].candidates.min
    else { return false }
    return rooms[next.room].isPerAction
  }

  /// The longest scan window. While the survey measures nearness, windows are short: most chips report each
  /// device only once per scan.
  private var longestWindow: Duration {
    if case .surveying(let survey) = course.phase, survey.measuresNearness { return survey.shortest }
    return RadioLimits.longestWindow
  }

  /// Whether an adapter may make another connection.
  private func hasRoom(_ index: Int) -> Bool {
    guard course.mayStartAttempts, !mayClose, !isInDoubt(index),
      radios[index].links < radios[index].slots.limit,
      radios[index].disconnecting.isEmpty, !radios.presence.releasing.contains(radios[index].session)
    else { return false }
    guard let limit = request.parallel else { return true }
    return radios.indices.reduce(0) { $0 + radios[$1].links } < limit
  }

  /// Whether the failure limit is reached if all failed attempts that are not classified yet count.
  private var mayClose: Bool {
    guard admission.isLimited else { return false }
    let failing = rooms.places([.disconnecting]).count { place in
      guard case .disconnecting(let state) = rooms[place].state, case .failure = state.result else {
        return false
      }
      return true
    }
    return admission.mayClose(after: rooms.count(.diagnosing) + failing)
  }

  /// Whether an adapter must receive any device: for the proof of a device that it wrote or whose adapter is
  /// lost, for a device that no adapter received, or, unless its last scan window found no candidate, for
  /// devices that others have yet to connect to.
  private mutating func wantsToScan(_ index: Int) -> Bool {
    if !radios[index].proofs.isEmpty || !rooms.timers.orphans.isEmpty { return true }
    if isInDoubt(index) { return true }
    guard course.mayStartAttempts || course.isSurveying else { return false }
    if isSilentBesideOthers(index) { return true }
    return !rooms.unreceived.isEmpty || rooms.count(.exhausted) > 0 || awaitsAnyDevice
      || !radios[index].hadNoCandidates && !hasEveryCandidate(index)
  }

  /// Whether adapters scan for any device that may appear.
  var awaitsAnyDevice: Bool {
    course.isSurveying || request.isWatching && rooms.count(.open) + rooms.count(.awaitingOperator) > 0
  }

  // MARK: Deaf adapters

  /// Whether an adapter may be deaf, because connections failed on it and it received nothing meanwhile: several in a
  /// row, or a single one if the adapter has no other device to connect to and another one received something since. On the
  /// only adapter a single one that took long, if it has no other device or a scan brought nothing either.
  private func isInDoubt(_ index: Int) -> Bool {
    let failures = failuresInSilence(index)
    guard let first = failures.map({ $0.silenceBegan(at: now) }).min(), !radios[index].isKnownDeaf(at: now)
    else {
      return false
    }
    if failures.count >= RadioLimits.failuresInSilence { return true }
    if radios.count == 1 {
      let hasScanned = radios[index].receivesNothing(at: now, for: RadioLimits.shortestWindow)
      return failures.allSatisfy { $0.wasSlow(at: now) } && (radios[index].candidates.isEmpty || hasScanned)
    }
    return radios[index].candidates.isEmpty
      && radios.indices.contains { $0 != index && !radios[$0].isSilent(since: first) }
  }

  /// How long an adapter scans without any report before it is suspected to be deaf.
  private func deafAfter(_ index: Int) -> Duration {
    isInDoubt(index) ? RadioLimits.deafAfterFailures : RadioLimits.deafAfter
  }

  /// Whether an adapter has never received anything while others do, and it is still to be found out why.
  private func isSilentBesideOthers(_ index: Int) -> Bool {
    guard case .provisioning = course.phase, radios[index].receivedAt == nil else { return false }
    return !radios[index].isReportedDeaf && radios.contains { $0.receivedAt != nil }
  }

  /// The connections that failed on an adapter that received nothing meanwhile, and that are charged to nobody yet.
  func failuresInSilence(_ index: Int) -> [FailedConnection] {
    guard !rooms.failedToConnect.isEmpty else { return [] }
    let (session, now) = (radios[index].session, now)
    return rooms.failedToConnect.values.filter {
      $0.session == session && radios[index].isSilent(since: $0.silenceBegan(at: now))
    }
  }

  /// Whether it is still to be shown that the adapter of a failed attempt receives anything: another connection, or
  /// a scan, shows it.
  func awaitsSign(_ state: RoomState.Diagnosing) -> Bool {
    guard let (index, failed) = silentAdapter(of: state) else { return false }
    if isInDoubt(index) || radios[index].state.kind == .connecting { return true }
    // The window shows it.
    return radios.count == 1 && failed.wasSlow(at: now) && radios[index].state.window != nil
  }

  /// Whether the adapter of a failed attempt is deaf.
  func isDeaf(_ state: RoomState.Diagnosing) -> Bool {
    silentAdapter(of: state).map { radios[$0.index].isKnownDeaf(at: now) } ?? false
  }

  /// The adapter that failed to connect, if it received nothing since.
  private func silentAdapter(of state: RoomState.Diagnosing) -> (index: Int, failed: FailedConnection)? {
    guard let failed = rooms.failedToConnect[rooms.place(of: state.past.attempt.room)],
      let index = radios.index(of: failed.session),
      radios[index].isSilent(since: failed.silenceBegan(at: now))
    else { return nil }
    return (index, failed)
  }

  /// Records the adapters that never received anything while another one did.
  mutating func reportSilentAdapters() {
    guard radios.contains(where: { $0.receivedAt != nil }) else { return }
    for radio in radios where radio.receivedAt == nil && !radio.wasPowerCycled {
      guard radio.scanTime.total(at: now) - radio.lastReport >= RadioLimits.shortestWindow else { continue }
      record(.adapterFaulted(.init(adapter: radio.id, fault: .receivesNothing)))
    }
  }

  /// Records once that an adapter still receives nothing after it was switched off and on.
  private mutating func reportIfDeaf(_ index: Int) {
    guard radios[index].isKnownDeaf(at: now), !radios[index].isReportedDeaf else { return }
    radios[index].isReportedDeaf = true
    record(.adapterFaulted(.init(adapter: radios[index].id, fault: .receivesNothing)))
  }

  // MARK: Timers

  /// When an adapter, or a room that waits for it, needs a decision at the latest.
  var radioWake: MonotonicInstant? {
    var earliest: MonotonicInstant?
    // Work that is due now and was not done waits for an input.
    func wake(at instant: MonotonicInstant?) {
      if let instant, instant > now { earliest = min(earliest ?? instant, instant) }
    }
    // By index: with many adapters, copies of each `Radio` would take most of the time.
    for index in radios.indices {
      wake(at: radios[index].coolDownEnd)
      switch radios[index].state {
      case .idle:
        // It deferred a device to another adapter, which may never connect to it.
        if !radios[index].candidates.isEmpty, hasRoom(index) { wake(at: now.advanced(by: .seconds(1))) }
        wake(at: radios[index].quietUntil)
      case .opening(let window), .scanning(let window):
        if !radios[index].candidates.isEmpty || radios[index].links > 0 {
          wake(at: window.since.advanced(by: RadioLimits.shortestWindow))
        }
        wake(at: window.since.advanced(by: longestWindow))
        let suspected = radios[index].lastReport + deafAfter(index)
        wake(at: radios[index].scanTime.instant(of: suspected, at: now))
      case .closing, .connecting, .powerCycling:
        break
      }
      wake(at: radios[index].proofs.min.flatMap { radios[index].scanTime.instant(of: $0.at, at: now) })
    }
    wake(at: rooms.timers.instants.min?.at)
    wake(at: rooms.timers.orphans.min.flatMap { radios.instant(ofLeastScanTime: $0.at, at: now) })
    wake(at: rooms.timers.silences.min.flatMap { radios.instant(ofLeastScanTime: $0.at, at: now) })
    return earliest
  }
}
