import Bluetooth
import Model
import HeapModule

/// What each adapter does next.
///
/// An adapter either scans or connects. It makes one connection at a time and holds several links. It connects only to what
/// it heard itself a short while ago, since BlueZ's objects are each adapter's own. So adapters alternate, each in its own
/// time: a scan window, then connections to every device that was heard, one after the other, while the sessions with those
/// that are connected go on. What is heard in a window serves all purposes: sightings, late arrivals, and proofs.
extension RunMachine {
  /// Gives each adapter that is free something to do.
  mutating func useRadios() {
    for index in radios.indices {
      reportIfDeaf(index)
      decide(index)
    }
  }

  // By index, not by value: a copy of an adapter, held while its candidates change, would have all of them copied.

  private mutating func decide(_ index: Int) {
    guard !radios[index].isHeld(at: now) else { return }
    let isSuspected =
      radios[index].links == 0 && !radios[index].wasPowerCycled && radios[index].hearsNothing(at: now)
    switch radios[index].state {
    case .closing, .connecting, .powerCycling:
      return
    case .idle where isSuspected:
      powerCycle(index)
    case .opening(let window), .scanning(let window):
      let age = window.since.duration(to: now)
      let isLongEnough = age >= limits.shortestWindow
      let mayConnect = isLongEnough && hasRoom(index) && hasCandidate(index)
      let isOver =
        isLongEnough && radios[index].links > 0 || age >= longestWindow || isSuspected
      if mayConnect || isOver || !wantsToScan(index) { closeWindow(index) }
    case .idle:
      let isLong = radios[index].connectingSince.map { $0.duration(to: now) >= limits.connecting } ?? false
      let isOver = isLong && wantsToScan(index)
      let isQuiet = radios[index].quietUntil.map { $0 > now } ?? false
      // A device that failed before may hold the adapter up for its whole timeout: the proofs of the others come first.
      let isProofFirst = radios[index].hasFirstAttempts && isNextRetry(index)
      if isProofFirst, isQuiet || rooms.count(.disconnecting) > 0 { return }
      if !isOver, !(isProofFirst && wantsToScan(index)) {
        while hasRoom(index), let place = takeCandidate(index) {
          if engage(place, index) { return }
        }
        // Candidates that only wait for room are connected to before it scans again.
        if mayStartAttempts, hasCandidate(index) { return }
      }
      if isOver || !isQuiet, wantsToScan(index) { openWindow(index) }
    }
  }

  /// How long a scan window lasts at most. Where nearness decides, anew and not on: most chips report each device but once in
  /// a scan.
  private var longestWindow: Duration {
    if case .surveying(let survey) = phase, !survey.near.isEmpty { return survey.shortest }
    return limits.longestWindow
  }

  /// Whether an adapter may make another connection.
  private func hasRoom(_ index: Int) -> Bool {
    mayStartAttempts && !mayClose && radios[index].links < radios[index].slots.limit
      && radios[index].disconnecting.isEmpty && !presence.releasing.contains(radios[index].session)
      && radios.reduce(0) { $0 + $1.links } < request.parallel ?? Int.max
  }

  /// Whether no more rooms may be begun once the attempts that have failed are judged.
  private var mayClose: Bool {
    guard admission.isLimited else { return false }
    let failing = rooms.places([.disconnecting]).count { place in
      guard case .disconnecting(let state) = rooms[place].state, case .failure = state.result else {
        return false
      }
      return true
    }
    return admission.mayClose(after: rooms.count(.judging) + failing)
  }

  /// Whether any device is to be heard: for a proof of a device that the adapter wrote or whose adapter is gone, a device
  /// that no adapter heard, or, unless its last scan window brought no candidate, devices that others have yet to connect to.
  private func wantsToScan(_ index: Int) -> Bool {
    if !radios[index].proofs.isEmpty || !timers.orphans.isEmpty { return true }
    guard mayStartAttempts || isSurveying else { return false }
    return !rooms.unheard.isEmpty || rooms.count(.resting) > 0 || awaitsAnyDevice
      || rooms.dueCount > radios[index].candidates.count && !radios[index].hadNoCandidates
  }

  /// Whether adapters scan for whatever device may come.
  var awaitsAnyDevice: Bool {
    isSurveying || request.isWatching && rooms.count(.open) + rooms.count(.parked) > 0
  }

  // MARK: Adapters that hear nothing

  private mutating func powerCycle(_ index: Int) {
    let session = radios[index].session
    radios[index].enter(.powerCycling)
    histories[session.adapter, default: AdapterHistory()].health.wasPowerCycled = true
    presence.powerCycling.insert(session.adapter)
    perform(.powerCycle(session))
  }

  /// Puts an adapter on record, once, that still hears nothing after it was switched off and on.
  private mutating func reportIfDeaf(_ index: Int) {
    guard radios[index].wasPowerCycled, !radios[index].isReportedDeaf, radios[index].hearsNothing(at: now)
    else { return }
    radios[index].isReportedDeaf = true
    record(.adapterFaulted(.init(adapter: radios[index].id, fault: .hearsNothing)))
  }

  // MARK: When

  /// When an adapter, or what waits for it, asks for a decision at the latest.
  var radioWake: MonotonicInstant? {
    var instants: [MonotonicInstant?] = []
    for (index, radio) in radios.enumerated() {
      instants.append(radio.heldUntil)
      switch radio.state {
      case .idle:
        // It leaves a device to another adapter, which may not come to it.
        if !radio.candidates.isEmpty, hasRoom(index) { instants.append(now.advanced(by: .seconds(1))) }
        instants.append(radio.quietUntil)
      case .opening(let window), .scanning(let window):
        if !radio.candidates.isEmpty || radio.links > 0 {
          instants.append(window.since.advanced(by: limits.shortestWindow))
        }
        instants.append(window.since.advanced(by: longestWindow))
        instants.append(radio.scanTime.instant(of: radio.lastReport + limits.deafAfter, at: now))
      case .closing, .connecting, .powerCycling:
        break
      }
      instants.append(radio.proofs.min.flatMap { radio.scanTime.instant(of: $0.at, at: now) })
    }
    instants.append(timers.instants.min?.at)
    instants.append(timers.orphans.min.flatMap { instant(ofLeastScanTime: $0.at) })
    instants.append(timers.silences.min.flatMap { instant(ofLeastScanTime: $0.at) })
    // What was due by now and was not done waits for an input.
    return instants.compactMap(\.self).filter { $0 > now }.min()
  }
}
