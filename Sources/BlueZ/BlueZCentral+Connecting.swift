package import Bluetooth
import DBus
import Logging
import Waiting

/// A connection attempt, from the call of `Connect` until its result.
struct ConnectionAttempt {
  /// Whether BlueZ has reported the link.
  private(set) var isLinked = false
  /// Called when BlueZ reports the link.
  let linked: @Sendable () -> Void

  init(linked: @escaping @Sendable () -> Void) { self.linked = linked }

  mutating func link() {
    guard !isLinked else { return }
    isLinked = true
    linked()
  }
}

extension BlueZCentral {
  /// The time limit for a teardown. BlueZ needs 2 to 3 s for a `Disconnect`.
  static let teardownLimit = Duration.seconds(5)
  /// How long after a `Disconnect` of this client another connection can still be made. BlueZ ends the link 2
  /// s after the call.
  static let graceOfEnding = Duration.seconds(1)
  /// How long after the reply the signal with the same meaning may arrive.
  static let signalLag = Duration.seconds(1)

  /// Connects to a peripheral that this adapter has received. BlueZ removes its object 30 s after discovery
  /// stops.
  ///
  /// BlueZ never replies to the `Connect` of a dead peripheral; only `Disconnect` ends it, and cancelling the
  /// task sends one. An attempt that a terminated program left behind is ended in the same way, once.
  ///
  /// `Connected: true` means that the kernel has the link, and can make the next one. `Connect` replies 0.07 to 0.11 s
  /// later, after the first exchange with the peripheral (docs/internals/bluez.md).
  ///
  /// With a bond BlueZ encrypts the link by itself. Without one, `Pair` takes the place of `Connect`. No link is made
  /// otherwise if the device is to be paired: its object and its bond may change during each wait.
  /// - Throws: `adapterUnavailable`, `peripheralUnknown`, `connectFailed`, `outOfSlots`, `pairing`, `cancelled`; `busy`
  ///   while this client has another connection or connection attempt to the peripheral, and while another one is connected
  ///   to a peripheral to pair with; `busUnavailable`, `stackUnavailable`, `permissionDenied`.
  package func connect(
    to address: BluetoothAddress, on adapter: AdapterID, pairing: Pairing?,
    linked: @escaping @Sendable () -> Void
  ) async throws(CentralError) -> any Peripheral {
    let path = ObjectTree.devicePath(address, under: try await readyAdapter(adapter))
    guard let pairing else { return try await makeLink(to: address, on: adapter, .connecting, linked) }
    guard !hasBond(path) else {
      guard pairing.acceptsBond else {
        throw CentralError(
          .pairing(.passkeyUnused), stackText: "BlueZ has a bond with it that may be without the passkey")
      }
      do throws(CentralError) {
        return try await makeLink(to: address, on: adapter, .bond, linked)
      } catch  where error.code == .connectFailed {
        // A device that has lost its key ends the link while it is being encrypted; no version of BlueZ says so.
        throw CentralError(
          .pairing(.lost),
          stackText: "BlueZ has a bond with it: \(error.stackText ?? "the connection failed")")
      }
    }
    _ = try object(of: path)
    return try await withAgent(for: path, pairing.method) { () async throws(CentralError) in
      try await self.makeLink(to: address, on: adapter, .pairing(pairing.intent), linked)
    }
  }

  /// How a link is made.
  private enum Way: Sendable {
    case connecting
    /// By a bond that BlueZ has.
    case bond
    /// By a new bond, after the intent.
    case pairing(@Sendable () async throws(CentralError) -> Void)
  }

  private func object(of path: ObjectPath) throws(CentralError) -> Properties {
    guard let device = tree.device(path), !isBeingRemoved(path) else {
      throw CentralError(.peripheralUnknown, stackText: "no object for this device: BlueZ has removed it")
    }
    return device
  }

  private func check(_ path: ObjectPath, for way: Way) throws(CentralError) {
    let device = try object(of: path)
    guard attempts[path] == nil else {
      throw CentralError(.busy, stackText: "a connection to it is being made already")
    }
    if case .pairing = way, device.flag(Name.Property.connected) {
      throw CentralError(.busy, stackText: "another program is connected to it, so it cannot be paired")
    }
    try checkBond(path, for: way)
  }

  /// Another program may remove the bond at any time. Without it, BlueZ makes a link that is not encrypted.
  private func checkBond(_ path: ObjectPath, for way: Way) throws(CentralError) {
    guard case .bond = way, !hasBond(path) else { return }
    throw CentralError(.peripheralUnknown, stackText: "BlueZ has removed its bond with this device")
  }

  private func makeLink(
    to address: BluetoothAddress, on adapter: AdapterID, _ way: Way,
    _ linked: @escaping @Sendable () -> Void
  ) async throws(CentralError) -> any Peripheral {
    let adapterPath = try await readyAdapter(adapter)
    let path = ObjectTree.devicePath(address, under: adapterPath)
    try await endOfFormerLink(path)
    try await endOfOtherLinks(adapterPath)
    try check(path, for: way)
    var pairs = false
    if case .pairing(let intent) = way {
      // Not before the checks: without a pairing of this client, a bond that appears is another program's.
      try await intent()
      try check(path, for: way)
      pairs = true
    }
    attempts[path] = ConnectionAttempt(linked: linked)
    defer { attempts[path] = nil }
    log.debug("\(path.text): connecting")
    do throws(CentralError) {
      do throws(CentralError) {
        try await pairs ? callPair(path, adapterPath) : callConnect(path, adapterPath)
      } catch  where error.code == .busy {
        await disconnect(path)
        try checkBond(path, for: way)
        try await pairs ? callPair(path, adapterPath) : callConnect(path, adapterPath)
      }
      try await connected(path)
      try checkBond(path, for: way)
    } catch {
      log.debug("\(path.text): connection attempt failed (\(error.code))")
      // A failed attempt must not continue in the stack, whatever the reason of the failure.
      if error.code == .cancelled || tree.device(path)?.flag(Name.Property.connected) == true {
        await shielded { await self.disconnect(path) }
      }
      // When an adapter is removed, its devices may be removed first (kernel 6.12), or the attempt may fail
      // first.
      try? await clock.sleep(for: BlueZPeripheral.settling)
      await catchUp()
      if Task.isCancelled { throw CentralError(.cancelled, stackText: error.stackText) }
      throw explained(error, on: adapterPath)
    }
    let link = BlueZPeripheral(self, path: path, address: address, adapter: adapter)
    links[path] = link
    log.debug("\(path.text): connected")
    return link
  }

  /// Waits until a link that is ending is down. BlueZ still reports such a link as connected, so a `Connect`
  /// would succeed at once without a new link.
  private func endOfFormerLink(_ path: ObjectPath) async throws(CentralError) {
    while let link = links[path] {
      guard isEnding(link) else {
        throw CentralError(.busy, stackText: "a connection to it stands already")
      }
      guard !Task.isCancelled else { throw CentralError(.cancelled) }
      await change(of: path)
    }
  }

  /// Waits while BlueZ is about to end another link of the adapter for this client. If the kernel has a
  /// connection attempt in progress at that moment, a link remains that no client can end (docs/internals/bluez.md,
  /// trap 58).
  private func endOfOtherLinks(_ adapter: ObjectPath) async throws(CentralError) {
    func imminent() -> ObjectPath? {
      endings.filter { path, asked in
        path.parent == adapter && asked.advanced(by: limit(Self.graceOfEnding)) <= clock.now
      }.keys.min()
    }
    while let path = imminent() {
      guard !Task.isCancelled else { throw CentralError(.cancelled) }
      await change(of: path)
    }
  }

  /// Calls `Connect` and waits until it completes or can no longer complete.
  private func callConnect(_ path: ObjectPath, _ adapter: ObjectPath) async throws(CentralError) {
    let began = clock.now
    try await race {
      () async throws(CentralError) in
      do throws(CentralError) {
        _ = try await self.call(
          path, Name.Interface.device, Name.Member.connect, during: .connect, timeout: nil)
      } catch  where error.stackText?.hasPrefix("org.bluez.Error.AlreadyConnected") == true {
        return
      }
    } against: {
      await self.reasonConnectCannotComplete(path, adapter, began: began)
    }
  }

  /// Why a pending `Connect` or `Pair` can no longer complete.
  ///
  /// When the object is removed, there are two cases. If BlueZ had not begun to connect, it replies with
  /// `UnknownObject` at once. Otherwise it never replies (`objectRemoved`).
  func reasonConnectCannotComplete(
    _ path: ObjectPath, _ adapter: ObjectPath, began: MonotonicInstant
  ) async -> CentralError? {
    while !Task.isCancelled {
      if stack == .busLost { return CentralError(.busUnavailable) }
      if stack == .unasked { return CentralError(.stackUnavailable) }
      if let problem = problem(at: adapter) { return CentralError(.adapterUnavailable(problem)) }
      if tree.device(path) == nil {
        // A reply that arrives together with the removal takes precedence, because it contains the reason.
        await catchUp()
        try? await clock.sleep(for: .milliseconds(20))
        return Self.objectRemoved(after: began.duration(to: clock.now), beside: linkCount(on: adapter))
      }
      await change(of: path)
    }
    return nil
  }

  /// The minimum time for which the kernel tries to connect: its connection order expires after 4 s on 6.1
  /// and after 20 s on 6.12 (docs/internals/bluez.md, "Connecting to a device that advertises rarely").
  private static let shortestOrder = Duration.milliseconds(3500)

  /// The error for a device object that BlueZ removed without a reply to `Connect`. After at least
  /// `shortestOrder` the kernel's attempt has expired. Before that, the controller has no link left (it holds
  /// others, and refuses with command status 0x09 after 0.1 to 0.4 s), BlueZ is stopping, or another client
  /// removed the object.
  /// - Parameter links: The links that the adapter holds.
  static func objectRemoved(after elapsed: Duration, beside links: Int) -> CentralError {
    let text = "BlueZ has removed the object of this device without answering Connect"
    guard elapsed < shortestOrder else { return CentralError(.connectFailed, stackText: text) }
    guard links > 0 else { return CentralError(.peripheralUnknown, stackText: text) }
    return CentralError(.outOfSlots, stackText: text + "; links of the adapter: \(links)")
  }

  /// How many links an adapter holds, for any client.
  func linkCount(on adapter: ObjectPath) -> Int {
    tree.devices(under: adapter).count { tree.device($0)?.flag(Name.Property.connected) == true }
  }

  /// Waits, after a successful `Connect`, until `Connected` is true as well.
  private func connected(_ path: ObjectPath) async throws(CentralError) {
    await askForConnected(path)
    _ = await race(limit(Self.signalLag), on: clock) { await self.settled(path) }
    if Task.isCancelled { throw CentralError(.cancelled) }
    // The link may have ended again in the meantime.
    guard tree.device(path)?.flag(Name.Property.connected) == true else {
      throw CentralError(.connectFailed, stackText: "the link was lost at once")
    }
  }

  /// Reads `Connected` if BlueZ has not signalled it. If BlueZ learns of a link by its own ATT channel first,
  /// it never signals `Connected: true` (docs/internals/bluez.md, trap 57).
  private func askForConnected(_ path: ObjectPath) async {
    guard attempts[path]?.isLinked == false else { return }
    let property: [DBusValue] = [.string(Name.Interface.device.text), .string(Name.Property.connected)]
    let answer = try? await call(
      path, Name.Interface.properties, Name.Member.get, property, during: .connect,
      timeout: limit(Self.signalLag))
    // The reply keeps its position among the signals.
    guard answer?.first?.asBool == true else { return }
    take(
      .changed(
        path, interface: Name.Interface.device, [Name.Property.connected: .bool(true)], invalidated: []))
  }

  /// Returns when the link is up, or has been.
  private func settled(_ path: ObjectPath) async {
    while !Task.isCancelled, tree.device(path)?.flag(Name.Property.connected) == false,
      attempts[path]?.isLinked == false
    {
      await change(of: path)
    }
  }

  /// Calls `Disconnect`, which also ends a connection attempt. Returns when it is done, or after
  /// `teardownLimit`.
  func disconnect(_ path: ObjectPath) async {
    _ = await race(Self.teardownLimit, on: clock) { await self.disconnected(path) }
  }

  private func disconnected(_ path: ObjectPath) async {
    guard let device = tree.device(path) else { return }
    if device.flag(Name.Property.connected) { endings[path] = clock.now }
    defer {
      endings[path] = nil
      wake(path)
    }
    _ = try? await call(
      path, Name.Interface.device, Name.Member.disconnect, during: .connect, timeout: Self.teardownLimit)
    while !Task.isCancelled, tree.device(path)?.flag(Name.Property.connected) == true {
      await change(of: path)
    }
  }

  /// The peripherals that BlueZ is connected to. A link outlives the client that requested it, because BlueZ
  /// holds it.
  /// - Throws: `adapterUnavailable`, `busUnavailable`, `stackUnavailable`, `permissionDenied`.
  package func connectedPeripherals(
    on adapter: AdapterID
  ) async throws(CentralError) -> [ConnectedPeripheral] {
    let adapterPath = try await readyAdapter(adapter)
    return tree.devices(under: adapterPath).compactMap { path in
      guard let device = tree.device(path), device.flag(Name.Property.connected),
        let address = device.text(Name.Property.address).flatMap({ BluetoothAddress($0) })
      else { return nil }
      let services = (device.texts(Name.Property.uuids) ?? []).compactMap { BluetoothUUID($0) }
      return ConnectedPeripheral(address: address, serviceUUIDs: services)
    }
  }

  /// Removes a peripheral's object with all data that BlueZ has stored about it, and ends a connection to it.
  ///
  /// An object that the user has paired, trusted or blocked is left unchanged, which counts as confirmed. Only users trust
  /// or block: such an object stays even if the bond is of this program. BlueZ may say
  /// that it does not know a device before it signals that the adapter was removed (docs/internals/bluez.md).
  /// - Throws: `adapterUnavailable`, `busUnavailable`, `stackUnavailable`, `permissionDenied`.
  @discardableResult
  package func forget(
    _ address: BluetoothAddress, on adapter: AdapterID, removingBond: Bool
  ) async throws(CentralError) -> Bool {
    let adapterPath = try await readyAdapter(adapter)
    let path = ObjectTree.devicePath(address, under: adapterPath)
    guard let device = tree.device(path) else { return false }
    guard CleanSlates.tie(of: device, at: path, withBond: !removingBond) == nil else { return true }
    expectEnd(path)
    removals[path] = clock.now
    do throws(CentralError) {
      _ = try await call(
        adapterPath, Name.Interface.adapter, Name.Member.removeDevice, [.objectPath(path)], during: .forget)
      return true
    } catch  where error.code == .peripheralUnknown {
      // The object or the adapter was removed in the meantime.
      if let problem = problem(at: adapterPath) { throw CentralError(.adapterUnavailable(problem)) }
      return false
    } catch {
      removals[path] = nil
      throw explained(error, on: adapterPath)
    }
  }

  /// Whether BlueZ is about to remove an object for this client.
  private func isBeingRemoved(_ path: ObjectPath) -> Bool {
    removals[path].map { clock.now < $0.advanced(by: Self.teardownLimit) } ?? false
  }

  // MARK: BlueZ's reports about connections

  /// Whether this client has no link to a device and no connection attempt.
  func isIdle(_ path: ObjectPath) -> Bool {
    attempts[path] == nil && links[path] == nil
  }

  func connectionChanged(_ path: ObjectPath, _ changed: Properties) {
    switch changed[Name.Property.connected]?.asBool {
    case true?:
      attempts[path]?.link()
    case false?:
      linkEnded(path)
    case nil:
      break
    }
  }

  func deviceRemoved(_ path: ObjectPath) {
    receivedContent[path] = nil
    refusedRemovals[path] = nil
    removals[path] = nil
    linkEnded(path)
  }

  private func isEnding(_ link: BlueZPeripheral) -> Bool {
    link.assumeIsolated { $0.isEnding }
  }

  private func expectEnd(_ path: ObjectPath) {
    links[path]?.assumeIsolated { $0.isEnding = true }
  }

  private func linkEnded(_ path: ObjectPath) {
    guard let link = links[path] else { return }
    linkEnded(path, isEnding(link) ? .local : .remote)
  }

  func characteristicChanged(_ path: ObjectPath, _ changed: Properties) {
    guard let value = changed.bytes(Name.Property.value), let device = path.parent?.parent else { return }
    links[device]?.assumeIsolated { $0.notified(path, value) }
  }
}
