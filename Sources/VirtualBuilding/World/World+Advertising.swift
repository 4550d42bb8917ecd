package import Bluetooth

/// Advertising and discovery. Advertisements are scheduled only while an adapter is discovering, so that an
/// idle building needs no computation.
extension World {
  /// Starts discovery on an adapter; returns when it runs. A second start has no further effect.
  /// - Throws: `adapterUnavailable`, `stackStopped`, `cancelled`.
  package func startDiscovery(on adapter: BluetoothAddress) async throws(LinkError) {
    try checkUsable(adapter)
    guard !isDiscovering(adapter) else { return }
    _ = try await perform(.host(adapter)) {
      schedule(.completes($0, .success(.done)), after: radio.discoveryStart)
    }
    try checkUsable(adapter)
    guard !isDiscovering(adapter), let number = adapterOrder.firstIndex(of: adapter) else { return }
    startScan(number, at: clock.now)
    emitAdapters(adapter)
  }

  /// Restarts the kernel's scan on a discovering adapter: its controller reports everything again. Returns
  /// when the scan runs. Has no effect if the adapter is not discovering.
  /// - Throws: `adapterUnavailable`, `stackStopped`, `cancelled`.
  package func restartScan(on adapter: BluetoothAddress) async throws(LinkError) {
    try checkUsable(adapter)
    guard isDiscovering(adapter), let number = adapterOrder.firstIndex(of: adapter) else { return }
    let gap = radio.discoveryStop + radio.discoveryStart
    startScan(number, at: clock.now.advanced(by: gap))
    _ = try await perform(.host(adapter)) { schedule(.completes($0, .success(.done)), after: gap) }
  }

  /// Starts a kernel scan at an instant.
  private func startScan(_ adapter: Int, at instant: MonotonicInstant) {
    scans[adapter].start(at: instant)
    for sensor in audible[adapter] { planTurn(of: sensor, isNew: false) }
    // A controller without `oncePerScan` reports nothing additional after a restart.
    guard radio.duplicates == .oncePerScan else { return }
    schedule(
      .scanEnds(adapter, scan: scans[adapter].number), after: radio.scanDuration, since: instant)
  }

  /// The kernel's scan has reached its maximum duration, and the next one starts.
  func scanEnds(_ adapter: Int, _ scan: Int) {
    guard scans[adapter].isRunning, scans[adapter].number == scan else { return }
    startScan(adapter, at: clock.now)
  }

  /// Stops discovery on an adapter, even in a cancelled task; returns when it has stopped. Nothing is
  /// received from the moment of the call.
  package func stopDiscovery(on adapter: BluetoothAddress) async {
    guard isDiscovering(adapter) else { return }
    endScan(adapter)
    emitAdapters(adapter)
    _ = try? await perform(cancellable: false, .host(adapter)) {
      schedule(.completes($0, .success(.done)), after: radio.discoveryStop)
    }
  }

  func isDiscovering(_ adapter: BluetoothAddress) -> Bool {
    adapterOrder.firstIndex(of: adapter).map { scans[$0].isRunning } ?? false
  }

  func endScan(_ adapter: BluetoothAddress) {
    if let number = adapterOrder.firstIndex(of: adapter) { scans[number].isRunning = false }
  }

  /// Whether an adapter in range of a sensor scans and would report its current advertisement.
  private func wouldReport(_ sensor: Int, receiver: Int) -> Bool {
    let scan = scans[sensors[sensor].receivers[receiver].adapter]
    guard scan.isRunning else { return false }
    guard radio.duplicates == .oncePerScan, let payload = sensors[sensor].payload else { return true }
    return !sensors[sensor].reports[receiver].isReported(payload, in: scan.number)
  }

  /// Whether any controller would report a sensor.
  private func isAwaited(_ sensor: Int) -> Bool {
    sensors[sensor].receivers.indices.contains { wouldReport(sensor, receiver: $0) }
  }

  /// Schedules a sensor's next advertisement. A new content does not wait for the scheduled one.
  func planTurn(of address: BluetoothAddress, isNew: Bool) {
    if let sensor = sensors.number(of: address) { planTurn(of: sensor, isNew: isNew) }
  }

  private func planTurn(of sensor: Int, isNew: Bool) {
    guard isAwaited(sensor), isNew || !sensors[sensor].isTurnPlanned else { return }
    let now = clock.now
    let due: MonotonicInstant
    if let next = nextAdvertisement(of: sensor, after: now) {
      due = next.advanced(by: sensors[sensor].generator.duration(in: Self.advertisingDelay))
    } else {
      due = now.advanced(
        by: sensors[sensor].generator.duration(in: .milliseconds(1)...radio.advertisingInterval))
    }
    scheduleTurn(of: sensor, at: due)
  }

  private func scheduleTurn(of sensor: Int, at due: MonotonicInstant) {
    sensors[sensor].turn += 1
    sensors[sensor].isTurnPlanned = true
    // A sensor that advertises rarely keeps its own schedule; for others the exact instants do not matter.
    let isOften = sensors[sensor].advertisingInterval == nil
    schedule(
      .advertise(sensor, turn: sensors[sensor].turn),
      at: isOften ? due.roundedUp(to: radio.reportGrain) : due)
  }

  /// A sensor starts to advertise, or changes its advertisement.
  func advertisesAnew(_ address: BluetoothAddress) {
    sensors[address]?.advertisesSince = clock.now
    answerAttempts(at: address)
  }

  /// When a sensor with its own interval advertises next, before the random delay, whether or not an adapter
  /// scans. Nil for others, which advertise so often that it does not matter.
  func nextAdvertisement(of sensor: Int, after instant: MonotonicInstant) -> MonotonicInstant? {
    guard let interval = sensors[sensor].advertisingInterval else { return nil }
    let first = sensors[sensor].advertisesSince.advanced(by: .milliseconds(1))
    guard first <= instant else { return first }
    return first.advanced(by: interval * (Int(first.duration(to: instant) / interval) + 1))
  }

  /// The random delay that is added to each interval (Bluetooth Core, Vol 6 Part B 4.4.2.2).
  private static let advertisingDelay = Duration.zero...(.milliseconds(10))

  func advertise(_ sensor: Int, _ turn: Int) {
    guard sensors[sensor].turn == turn else { return }
    sensors[sensor].isTurnPlanned = false
    // A sensor that does not advertise is scheduled when it starts again; one that no controller would
    // report, with the next scan.
    guard isAwaited(sensor), let payload = sensors[sensor].onAir else { return }
    let now = clock.now
    let address = sensors[sensor].scenario.address
    for (number, receiver) in sensors[sensor].receivers.enumerated()
    where wouldReport(sensor, receiver: number) {
      let scan = scans[receiver.adapter]
      guard scan.receivesFrom <= now else { continue }
      let rssi =
        receiver.rssi + Int.random(in: -radio.fading...radio.fading, using: &sensors[sensor].generator)
      let loss = radio.loss(at: rssi)
      guard loss == 0 || !sensors[sensor].generator.chance(loss) else { continue }
      sensors[sensor].reports[number].report(payload, in: scan.number)
      let adapter = adapterOrder[receiver.adapter]
      guard !deaf.contains(adapter) else { continue }
      emit(
        .advertisement(
          AdvertisingReport(
            adapter: adapter, address: payload.address ?? address, rssi: rssi, payload: payload,
            receivedAt: now)),
        at: adapter)
    }
    let jitter = sensors[sensor].generator.duration(in: Self.advertisingDelay)
    let interval = sensors[sensor].advertisingInterval ?? radio.advertisingInterval
    // Advertisements that would not be reported are skipped.
    guard isAwaited(sensor) else { return }
    let unreported: Duration =
      switch radio.duplicates {
      case .every(let reported): max(reported - interval, .zero)
      case .oncePerScan: .zero
      }
    let due =
      nextAdvertisement(of: sensor, after: now.advanced(by: unreported))
      ?? now.advanced(by: interval + unreported)
    scheduleTurn(of: sensor, at: due.advanced(by: jitter))
  }
}

extension MonotonicInstant {
  /// The first instant at or after this one that is a whole number of grains after the clock's zero. A grain
  /// is a fraction of 1 s.
  fileprivate func roundedUp(to grain: Duration) -> Self {
    let (seconds, attoseconds) = sinceZero.components
    let unit = grain.components.attoseconds
    guard unit > 0 else { return self }
    let units = (attoseconds + unit - 1) / unit
    return Self(sinceZero: Duration(secondsComponent: seconds, attosecondsComponent: units * unit))
  }
}
