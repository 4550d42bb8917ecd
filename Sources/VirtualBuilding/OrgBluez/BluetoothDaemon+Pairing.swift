import Bluetooth
import DBus
import Waiting

/// `Pair`, `CancelPairing`, and the pairing that a request without the necessary security causes (src/device.c;
/// docs/internals/bluez.md, "Pairing").
extension BluetoothDaemon {
  /// How long an agent may take to answer (`REQUEST_TIMEOUT` in src/agent.c).
  private static let questionLimit = Duration.seconds(60)
  /// How long a link lasts after the device has refused the pairing that a request needs (measured).
  private static let refusedLink = Duration.milliseconds(200)

  /// Why a pairing failed.
  private enum PairingFailure: Error {
    /// The agent refused, or there is none.
    case refusedHere
    case link(LinkError)
  }

  // MARK: Pairing for a client

  /// `Pair`: connects, pairs, and replies when the services are resolved.
  func pair(_ id: DeviceID, for client: BusName) async throws(DBusError) {
    guard let device = self[id] else { return }
    guard device.pairsFor == nil else { throw BlueZFailure.inProgress }
    if version == .debian13, case .connecting = device.link { throw BlueZFailure.inProgress }
    self[id]?.temporary = false
    store(id)
    if device.hasBond {
      // 5.66 pages it as a device of classic Bluetooth.
      if version == .debian12 { await never() }
      throw BlueZFailure.alreadyExists
    }
    if case .connecting = self[id]?.link { throw BlueZFailure.inProgress }
    self[id]?.pairsFor = client
    defer { self[id]?.pairsFor = nil }
    do throws(DBusError) {
      let link = try await linkToPair(id)
      try await pairRequested(id, over: link, for: client)
      await resolveServices(id, link)
      announcePaired(id)
    } catch {
      pairingFailed(id)
      throw error
    }
  }

  private func pairRequested(
    _ id: DeviceID, over link: LinkID, for client: BusName
  ) async throws(DBusError) {
    do throws(PairingFailure) {
      try await pair(id, over: link, asking: agents.agent(for: client), isRequested: true)
    } catch {
      switch error {
      case .refusedHere, .link(.pairingFailed): throw BlueZFailure.authenticationFailed
      case .link: throw BlueZFailure.authenticationCanceled
      }
    }
  }

  /// The link of a device; a new one if it has none. No services are resolved over it yet.
  private func linkToPair(_ id: DeviceID) async throws(DBusError) -> LinkID {
    switch self[id]?.link {
    case .up(let link): return link.id
    case .connecting, nil: throw BlueZFailure.inProgress
    case .down: break
    }
    let attempt = OneShot<Void>()
    self[id]?.link = .connecting(attempt)
    // As for `Connect`: fulfilled when the reply was sent.
    defer { afterAnswer { attempt.fulfill() } }
    do throws(LinkError) {
      let link = try await world.connect(to: id.address, on: id.adapter)
      linkIsUp(link, id)
      return link
    } catch {
      guard case .connecting(let current) = self[id]?.link, current === attempt else {
        throw BlueZFailure.authenticationCanceled
      }
      self[id]?.link = .down
      if error == .cancelled { throw BlueZFailure.authenticationCanceled }
      if case .adapterUnavailable = error { throw BlueZFailure.notReady }
      throw BlueZFailure.connectionAttemptFailed
    }
  }

  /// The device is a new one again, and nothing needs its link any more.
  private func pairingFailed(_ id: DeviceID) {
    guard self[id] != nil else { return }
    self[id]?.temporary = true
    storage[id.adapter]?[id.address] = nil
    keep(id)
    tasks.start { await self.expire(id) }
    follow(after: DaemonTiming.signalDelay) { await self.takeDown(id) }
  }

  private func announcePaired(_ id: DeviceID) {
    guard let device = self[id], device.upLink != nil || device.hasBond else { return }
    tree.set(device.path, BlueZInterfaces.device, "Paired", .bool(true))
    tree.set(device.path, BlueZInterfaces.device, "Bonded", .bool(device.hasBond))
    emit()
  }

  /// `CancelPairing`: without a pairing in progress, it deletes the key.
  func cancelPairing(_ id: DeviceID) async throws(DBusError) {
    guard let device = self[id] else { return }
    if device.pairsFor != nil { return abandonPairing(id) }
    await world.removeBond(with: id.address, on: id.adapter)
    self[id]?.hasBond = false
    tree.set(device.path, BlueZInterfaces.device, "Paired", .bool(false))
    tree.set(device.path, BlueZInterfaces.device, "Bonded", .bool(false))
    store(id)
    throw BlueZFailure.doesNotExist
  }

  /// Ends the link over which a device is being paired, or the attempt to make it.
  func abandonPairing(_ id: DeviceID) {
    tasks.start {
      await self.world.cancelConnect(to: id.address, on: id.adapter)
      await self.takeDown(id)
    }
  }

  // MARK: Pairing for a request

  /// Makes a link as secure as a request demands: only the default agent is asked. Returns when the request can be sent
  /// again. As measured (trap 74): the request is never answered, and the link stays, if the agent refuses; the link ends if
  /// the device does.
  func secure(_ id: DeviceID, _ link: LinkID) async throws(DBusError) {
    guard await world.security(of: link) == .plain else { throw BlueZFailure.att(0x05) }
    do throws(PairingFailure) {
      try await pair(id, over: link, asking: agents.standard, isRequested: false)
      announcePaired(id)
    } catch {
      switch error {
      case .refusedHere:
        await never()
      case .link(.pairingFailed):
        await pause(Self.refusedLink)
        await takeDown(id)
        if version == .debian13 { await never() }
        throw BlueZFailure.peerGone
      case .link:
        throw BlueZFailure.peerGone
      }
    }
  }

  // MARK: Both

  /// Pairs over a link. Without an agent even Just Works is refused.
  /// - Parameter isRequested: whether a client has called `Pair`: then its agent need not permit Just Works.
  private func pair(
    _ id: DeviceID, over link: LinkID, asking agent: Agents.Agent?, isRequested: Bool
  ) async throws(PairingFailure) {
    let needsPasskey = try await onLink { () async throws(LinkError) in
      try await world.beginPairing(over: link, hasKeyboard: agent?.hasKeyboard ?? false)
    }
    guard let agent else { throw .refusedHere }
    var passkey: UInt32?
    if needsPasskey {
      passkey = await ask(agent, "RequestPasskey", about: id)?.first?.asUInt32
      guard passkey != nil else { throw .refusedHere }
    } else if !isRequested {
      guard await ask(agent, "RequestAuthorization", about: id) != nil else { throw .refusedHere }
    }
    try await onLink { () async throws(LinkError) in
      try await world.finishPairing(over: link, passkey: passkey)
    }
    let hasBond = await world.hasBond(with: id.address, on: id.adapter)
    self[id]?.hasBond = hasBond
    store(id)
  }

  private func onLink<Value: Sendable>(
    _ work: () async throws(LinkError) -> Value
  ) async throws(PairingFailure) -> Value {
    do throws(LinkError) { return try await work() } catch { throw .link(error) }
  }

  /// The answer of an agent; nil if it refuses, does not answer in time, or is asked something else.
  private func ask(
    _ agent: Agents.Agent, _ question: MemberName, about id: DeviceID
  ) async -> [DBusValue]? {
    guard let path = self[id]?.path, agents.open(agent.owner, about: id) else { return nil }
    defer { agents.close(agent.owner) }
    let call = MethodCall(
      destination: agent.owner, path: agent.path, interface: BlueZInterfaces.agent, member: question,
      body: [.objectPath(path)])
    return try? await connection.call(call, timeout: Self.questionLimit)
  }
}
