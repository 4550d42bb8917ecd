import Bluetooth

/// A scan window of one session of an adapter.
struct ScanWindow: Sendable {
  /// Ends it.
  let end = Bell()
  /// Whether the run has asked for its end.
  private(set) var isClosed = false
  /// When the adapter began to scan, once it has.
  var began: MonotonicInstant?
  /// Whether anything was reported in it.
  var hasReports = false

  /// A window this long was one, even if nobody was heard.
  private static let shortest = Duration.seconds(1)

  mutating func close() {
    isClosed = true
    end.ring()
  }

  /// Whether the stack did let the adapter scan.
  func didScan(at now: MonotonicInstant) -> Bool {
    guard let began else { return false }
    return hasReports || isClosed || began.duration(to: now) >= Self.shortest
  }
}

/// Scan windows: what is heard in them, and what is done where the stack refuses them.
extension ApplyRun {
  /// A scan window of the schedule's, in one session of an adapter.
  func scan(in session: RadioSession, until end: Bell) async {
    let purpose: ListeningPurpose = isSurveying ? .survey : proofs.isEmpty ? .sighting : .proof
    let listening = Listening(adapter: session.adapter, purpose: purpose)
    await forgetLeftovers()
    coordinator.note(.listeningStarted(listening))
    let failure = await withTaskGroup(of: CentralError?.self) { group in
      group.addTask { [central] in
        do throws(CentralError) {
          try await central.listen(on: session.adapter) { (advertisements) throws(CentralError) in
            try await self.hear(advertisements, in: session)
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
    coordinator.note(.listeningStopped(listening))
    scanEnded(in: session, failure)
    bell.ring()
  }

  /// Takes in all that is heard in a window; here and not in its task, which would change sides for each report.
  private func hear(
    _ advertisements: AdvertisementStream, in session: RadioSession
  ) async throws(CentralError) {
    windows[session]?.began = clock.now
    schedule.listeningBegan(on: session, at: clock.now)
    // From now on there is an instant at which a proof is over.
    bell.ring()
    for try await advertisement in advertisements {
      windows[session]?.hasReports = true
      schedule.reported(on: session, at: clock.now)
      hear(advertisement)
    }
  }

  private func scanEnded(in session: RadioSession, _ failure: CentralError?) {
    let window = windows.removeValue(forKey: session)
    // The adapter was lost in the meantime, and is perhaps in another session.
    guard schedule.isCurrent(session) else { return }
    let now = clock.now
    if window?.didScan(at: now) == true {
      health[session.adapter]?.scanned()
      switch failure?.code {
      case nil: schedule.listeningEnded(on: session, at: now)
      case .permissionDenied?: scanRefused(in: session, failure)
      case .adapterUnavailable?, .stackUnavailable?, .busUnavailable?: lose(session)
      default: scanRefused(in: session, failure)
      }
    } else {
      scanRefused(in: session, failure)
    }
  }

  /// The stack did not let an adapter scan. Each refusal in a row costs a longer pause, and after some of them the adapter
  /// is given up.
  private func scanRefused(in session: RadioSession, _ failure: CentralError?) {
    let now = clock.now
    if Task.isCancelled { return schedule.listeningEnded(on: session, at: now) }
    let failure = failure ?? CentralError(.other, stackText: "the scan ended by itself at once")
    if failure.code == .permissionDenied { return stop(.radio(failure)) }
    let end = health[session.adapter, default: AdapterHealth()].refused(at: now)
    if health[session.adapter]?.isGivenUp == true {
      coordinator.note(
        .adapterFaulted(
          .init(adapter: session.adapter, fault: .refusesToScan, stackText: failure.stackText)))
      if radios.keys.allSatisfy({ health[$0]?.isGivenUp == true }) { return stop(.radio(failure)) }
      return lose(session)
    }
    switch failure.code {
    case .adapterUnavailable, .stackUnavailable, .busUnavailable: lose(session)
    default: schedule.listeningEnded(on: session, at: now, heldUntil: end)
    }
  }

  /// Takes in what was heard.
  func hear(_ advertisement: Advertisement) {
    if let sighting = air.hear(advertisement) {
      var minor: UInt16?
      if let beacon = sighting.beaconAtWork { minor = beacon.minor }
      coordinator.note(
        .deviceSighted(
          .init(
            address: sighting.address, adapter: sighting.adapter, profile: sighting.life?.profile,
            rssi: sighting.rssi, minor: minor)))
      if isSurveying { bell.ring() }
    }
    let mayCall = schedule.heard(
      advertisement.address, on: advertisement.adapter, rssi: advertisement.rssi,
      at: advertisement.receivedAt)
    let isAwaited = waiting.hear(advertisement)
    for (room, settles) in proofs.hear(
      advertisement, firstHeard: air[advertisement.address]?.firstHeard)
    { schedule.proofSettles(of: room, at: settles) }
    if mayCall || isAwaited { bell.ring() }
  }

  /// Switches an adapter off and on that hears nothing, not even other devices.
  func powerCycle(_ session: RadioSession) async {
    health[session.adapter, default: AdapterHealth()].wasPowerCycled = true
    let central = central
    powerCycling.insert(session.adapter)
    let raced = await race(Self.powerCyclePatience, on: clock) { () throws(CentralError) in
      try await central.powerCycle(session.adapter)
    }
    powerCycling.remove(session.adapter)
    adaptersMayHaveChanged = true
    bell.ring()
    if Task.isCancelled { return }
    var fault = AdapterFault(adapter: session.adapter, fault: .hearsNothing)
    switch raced {
    case .value: fault.wasPowerCycled = true
    case .failed(let error): fault.stackText = error.stackText
    case .timedOut: fault.stackText = "no answer"
    }
    coordinator.note(.adapterFaulted(fault))
    lose(session)
  }

  /// Switching off and on takes BlueZ a second or two; what takes longer than this does not come.
  private static let powerCyclePatience = Duration.seconds(20)
}
