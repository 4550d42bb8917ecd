package import Bluetooth

/// Starting and ending links. An adapter makes one connection attempt at a time; others wait in a queue. An
/// attempt to connect to a dead peripheral returns to the queue until it is cancelled; one that begins to
/// advertise during its turn is connected to.
extension World {
  /// Connects. Returns after the first exchange over the link; at once if there is a link. There is no timeout, but
  /// an attempt fails if the peripheral advertises too rarely. Cancelling the task cancels the attempt, and begins to
  /// end a link that it has made.
  /// - Parameter linked: called when the link is up: the adapter can make the next one.
  /// - Throws: `adapterUnavailable`, `stackStopped`, `alreadyConnecting`, `outOfSlots`, `connectFailed`,
  ///   `connectTimedOut`, `cancelled`.
  package func connect(
    to address: BluetoothAddress, on adapter: BluetoothAddress, linked: @escaping @Sendable () -> Void = {}
  ) async throws(LinkError) -> LinkID {
    try checkUsable(adapter)
    guard attempt(at: address, on: adapter) == nil else { throw .alreadyConnecting }
    if let link = link(to: address, on: adapter) { return link }
    let result = try await perform(.connect(address, adapter: adapter)) { id in
      operations[id]?.linked = linked
      adapterStates[adapter]?.waiting.append(id)
      nextAttempt(on: adapter, wasQueued: false)
    }
    guard case .link(let link) = result else { preconditionFailure("expected a link") }
    stored.insert(CacheKey(adapter: adapter, address: address))
    return link
  }

  /// The link between an adapter and a peripheral.
  package func link(to address: BluetoothAddress, on adapter: BluetoothAddress) -> LinkID? {
    links.values.filter { $0.adapter == adapter && $0.address == address }.map(\.id).min()
  }

  /// Cancels an attempt, if there is one; it then fails with `cancelled`.
  package func cancelConnect(to address: BluetoothAddress, on adapter: BluetoothAddress) {
    if let id = attempt(at: address, on: adapter) { cancelAttempt(id) }
  }

  /// Ends a link from the host's side, even in a cancelled task. Returns when it is down; it can be used
  /// until then.
  package func disconnect(_ link: LinkID) async {
    guard links[link] != nil else { return }
    _ = try? await perform(cancellable: false, .disconnect(link)) { _ in beginDisconnecting(link) }
  }

  private func beginDisconnecting(_ link: LinkID) {
    guard let state = links[link], !state.isBeingDisconnected else { return }
    links[link]?.isBeingDisconnected = true
    let delay = adapterStates[state.adapter]?.generator.duration(in: radio.disconnect) ?? .zero
    schedule(.linkDown(link, .local), after: delay, since: endOfOrder(on: state.adapter))
  }

  /// docs/internals/bluez.md, trap 58: from when on the kernel can end a link of an adapter. 6.12 first waits for the end
  /// of an order to connect that nothing fulfils.
  private func endOfOrder(on adapter: BluetoothAddress) -> MonotonicInstant {
    guard scenario.bluez == .debian13, let attempt = adapterStates[adapter]?.attempt,
      attempt.isUnanswered || attempt.fails == .connectTimedOut
    else { return clock.now }
    return attempt.endsAt
  }

  /// Makes the stack forget a peripheral on an adapter: clears its attribute cache and its key, and ends its link or
  /// attempt at once. Returns whether the stack had stored it. A peripheral whose key is not to be removed stays.
  /// - Throws: `adapterUnavailable(.absent)`, `stackStopped`.
  @discardableResult
  package func forget(
    _ address: BluetoothAddress, on adapter: BluetoothAddress, removingBond: Bool = true
  ) throws(LinkError) -> Bool {
    try checkStack(of: adapter)
    guard adapterStates[adapter]?.scenario.isPresent == true else { throw .adapterUnavailable(.absent) }
    guard removingBond || !hasBond(with: address, on: adapter) else { return true }
    forgotten.insert(CacheKey(adapter: adapter, address: address))
    removeBond(with: address, on: adapter)
    let wasStored = stored.remove(CacheKey(adapter: adapter, address: address)) != nil
    cancelConnect(to: address, on: adapter)
    for id in links.keys.sorted() where links[id]?.adapter == adapter && links[id]?.address == address {
      linkDown(id, .local)
    }
    return wasStored
  }

  /// The peripherals that the stack has stored for an adapter, ordered by address: those that it was
  /// connected to and has not forgotten since. The list survives the removal of the adapter and a stop of the
  /// stack.
  package func storedPeripherals(on adapter: BluetoothAddress) -> [BluetoothAddress] {
    stored.filter { $0.adapter == adapter }.map(\.address).sorted()
  }

  /// Waits until a link is down and returns the cause.
  /// - Throws: `cancelled`; `notConnected` if the link never existed.
  package func ending(of link: LinkID) async throws(LinkError) -> Disconnection {
    if let ended = endedLinks[link] { return ended }
    guard links[link] != nil else { throw .notConnected }
    guard case .ended(let disconnection) = try await perform(.ending(link), { _ in }) else {
      preconditionFailure("expected the end of a link")
    }
    return disconnection
  }

  /// How a link ended; nil while it is up.
  func formerEnd(of link: LinkID) -> Disconnection? { endedLinks[link] }

  // MARK: Attempts

  private func attempt(at address: BluetoothAddress, on adapter: BluetoothAddress) -> OperationID? {
    operations.filter {
      guard case .connect(address, adapter) = $0.value.kind else { return false }
      return true
    }.keys.min()
  }

  /// Starts the next attempt in the queue if no other one is in progress.
  private func nextAttempt(on adapter: BluetoothAddress, wasQueued: Bool) {
    guard var state = adapterStates[adapter], state.attempt == nil, !state.waiting.isEmpty else { return }
    let id = state.waiting.removeFirst()
    guard case .connect(let address, _) = operations[id]?.kind else {
      adapterStates[adapter] = state
      return nextAttempt(on: adapter, wasQueued: wasQueued)
    }
    let progress = operations[id]?.progress
    if progress == .new {
      operations[id]?.progress = .tried
      // A controller without a free slot refuses the attempt before it transmits, so the sensor does not
      // count it.
      if hasFreeSlot(adapter) { sensors[address]?.attempts += 1 }
    }
    let wait = hasFreeSlot(adapter) ? waitForAdvertisement(of: address, on: adapter) : nil
    if let wait, progress != .received {
      adapterStates[adapter] = state
      operations[id]?.progress = .scanning
      schedule(.received(id), after: wait)
      return nextAttempt(on: adapter, wasQueued: wasQueued)
    }
    var attempt = AdapterState.Attempt(operation: id, endsAt: clock.now, fails: nil, isUnanswered: false)
    var duration = state.generator.duration(in: wasQueued ? radio.connectQueued : radio.connect)
    switch prospect(of: address, on: adapter, &state) {
    case .link:
      if isDiscovering(adapter) || foreignScans[adapter] != nil {
        duration += state.generator.duration(in: radio.connectWhileDiscovering)
      }
      if let wait, wait > radio.deadAttempt {
        attempt.fails = .connectTimedOut
        duration = radio.deadAttempt
      } else if let wait {
        duration = max(duration, wait + Self.afterAdvertisement)
      }
    case .fails(let error):
      attempt.fails = error
      // The kernel asks the controller for the link once it has received the sensor.
      if error != .outOfSlots { duration = radio.connectFailure }
    case .nobody:
      attempt.isUnanswered = true
      duration = radio.deadAttempt
    }
    attempt.endsAt = clock.now.advanced(by: duration)
    state.attempt = attempt
    adapterStates[adapter] = state
    schedule(.attemptEnds(id), at: attempt.endsAt)
  }

  /// A sensor has begun to advertise: an attempt that waits for it is answered.
  func answerAttempts(at address: BluetoothAddress) {
    for adapter in adapterOrder {
      guard let attempt = adapterStates[adapter]?.attempt, attempt.isUnanswered,
        case .connect(address, _) = operations[attempt.operation]?.kind,
        let sensor = sensors[address], isConnectable(sensor, on: adapter)
      else { continue }
      adapterStates[adapter]?.attempt = nil
      adapterStates[adapter]?.waiting.insert(attempt.operation, at: 0)
      nextAttempt(on: adapter, wasQueued: false)
    }
  }

  /// The time until a sensor with its own advertising interval can be received; nil for other sensors and for
  /// those that cannot be connected to.
  ///
  /// Connecting takes two advertisements (docs/internals/bluez.md, "Connecting to a device that advertises rarely").
  /// The kernel scans until it receives the sensor. Only then does it tell the controller to connect, which
  /// happens at the next advertisement if that comes within 4 s. The remaining time is that of a sensor that
  /// advertises often.
  private func waitForAdvertisement(of address: BluetoothAddress, on adapter: BluetoothAddress) -> Duration? {
    guard let sensor = sensors.number(of: address), isConnectable(sensors[sensor], on: adapter),
      sensors[sensor].signal.rssi(on: adapter).map(radio.isInRange) == true
    else { return nil }
    return nextAdvertisement(of: sensor, after: clock.now).map { clock.now.duration(to: $0) }
  }

  /// From the second advertisement to the link (docs/internals/bluez.md: up to 0.1 s until the first exchange is over).
  private static let afterAdvertisement = Duration.milliseconds(10)

  /// The sensor of an attempt has advertised.
  func received(_ id: OperationID) {
    guard case .connect(_, let adapter) = operations[id]?.kind, operations[id]?.progress == .scanning else {
      return
    }
    operations[id]?.progress = .received
    adapterStates[adapter]?.waiting.append(id)
    nextAttempt(on: adapter, wasQueued: false)
  }

  private enum Prospect { case link, fails(LinkError), nobody }

  /// Determines the result of an attempt that begins now.
  private func prospect(
    of address: BluetoothAddress, on adapter: BluetoothAddress, _ state: inout AdapterState
  ) -> Prospect {
    guard hasFreeSlot(adapter) else { return .fails(.outOfSlots) }
    guard let sensor = sensors[address], isConnectable(sensor, on: adapter),
      let rssi = sensor.signal.rssi(on: adapter), radio.isInRange(rssi)
    else { return .nobody }
    if sensor.strikes(.drops(in: .connect)) { return .fails(.connectFailed) }
    let weakness = Double(radio.weakBelow - rssi) / 10
    if weakness > 0, state.generator.chance(min(weakness, 0.95)) { return .fails(.connectFailed) }
    return .link
  }

  private func isConnectable(_ sensor: SensorState, on adapter: BluetoothAddress) -> Bool {
    // `attempts` already includes this attempt; `onAir` would add it.
    guard !deaf.contains(adapter), !withoutLinks.contains(adapter), sensor.isOn, sensor.link == nil,
      !sensor.isMuted, !sensor.strikes(.silent),
      !sensor.strikes(.neverAnswers), !sensor.strikes(.takesNoConnection)
    else { return false }
    return sensor.payload?.isConnectable == true
  }

  func attemptEnds(_ id: OperationID) {
    guard case .connect(let address, let adapter) = operations[id]?.kind,
      let attempt = adapterStates[adapter]?.attempt, attempt.operation == id, attempt.endsAt <= clock.now
    else { return }
    adapterStates[adapter]?.attempt = nil
    if attempt.fails == .connectFailed {
      // The controller reports a link before it finds that the sensor did not take part in it (recorded traces).
      operations[id]?.linked()
      schedule(.completes(id, .failure(.connectFailed)), after: firstExchange(on: adapter))
    } else if let error = attempt.fails {
      finish(id, .failure(error))
    } else if let sensor = sensors[address], !attempt.isUnanswered, isConnectable(sensor, on: adapter) {
      let exchange = firstExchange(on: adapter) + (sensor.strikes(.slow) ? .seconds(1) : .zero)
      let link = makeLink(to: address, on: adapter, isFreeAfter: exchange)
      operations[id]?.made = link
      operations[id]?.linked()
      schedule(.completes(id, .success(.link(link))), after: exchange)
      encryptByBond(link, within: exchange)
    } else {
      // No response: the attempt goes to the end of the queue.
      adapterStates[adapter]?.waiting.append(id)
    }
    nextAttempt(on: adapter, wasQueued: true)
  }

  func cancelAttempt(_ id: OperationID) {
    guard case .connect(_, let adapter) = operations[id]?.kind else { return }
    adapterStates[adapter]?.waiting.removeAll { $0 == id }
    if let link = operations[id]?.made { beginDisconnecting(link) }
    finish(id, .failure(.cancelled))
    if adapterStates[adapter]?.attempt?.operation == id {
      adapterStates[adapter]?.attempt = nil
      nextAttempt(on: adapter, wasQueued: true)
    }
  }

  // MARK: Links

  private func hasFreeSlot(_ adapter: BluetoothAddress) -> Bool {
    openLinkCount(on: adapter) < radio.slotsPerAdapter
  }

  private func firstExchange(on adapter: BluetoothAddress) -> Duration {
    adapterStates[adapter]?.generator.duration(in: radio.firstExchange) ?? .zero
  }

  private func makeLink(
    to address: BluetoothAddress, on adapter: BluetoothAddress, isFreeAfter exchange: Duration
  ) -> LinkID {
    let link = LinkID(rawValue: newID())
    let now = clock.now
    let attempt = sensors[address]?.attempts ?? 0
    links[link] = LinkState(
      id: link, adapter: adapter, address: address, attempt: attempt,
      requestsFreeAt: now.advanced(by: exchange), lastArrival: now)
    sensors[address]?.link = link
    sensors[address]?.connections += 1
    emit(.linkUp(link, adapter: adapter, address: address), at: adapter)
    deliver(address, .connected(faults: sensors[address]?.faults(inAttempt: attempt) ?? []))
    return link
  }

  /// The host detects that a link is down. All its operations end.
  func linkDown(_ id: LinkID, _ cause: Disconnection.Cause) {
    guard let link = links.removeValue(forKey: id) else { return }
    let disconnection = Disconnection(cause: cause, at: clock.now)
    endedLinks[id] = disconnection
    if sensors[link.address]?.link == id {
      // After a normal end the sensor is informed; a removed adapter sends nothing.
      if cause == .local {
        sensorSide(link.address, loses: id)
      } else {
        schedule(.sensorLosesLink(link.address, id), after: radio.supervisionTimeout)
      }
    }
    for operation in operations.filter({ $0.value.link == id }).keys.sorted() {
      switch operations[operation]?.kind {
      case .disconnect: finish(operation, .success(.done))
      case .ending: finish(operation, .success(.ended(disconnection)))
      // If the adapter or the stack is lost, that is the better reason.
      case .connect: if [.local, .remote].contains(cause) { finish(operation, .failure(.connectFailed)) }
      default: finish(operation, .failure(.linkLost))
      }
    }
    emit(.linkDown(id, disconnection), at: link.adapter)
  }
}
