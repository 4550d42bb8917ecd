package import Bluetooth
package import VirtualBuilding

/// A `Central` directly on a `World`, in the same process, without a Bluetooth stack. It has the adapters of one host.
///
/// It behaves like a correct stack: a peripheral must be received before it can be connected to, and is
/// forgotten some time after discovery has stopped.
package struct VirtualCentral: Central {
  let world: World
  let clock: any TimeSource
  let switchboard: Switchboard
  /// The host of its adapters; nil for this computer.
  private let host: HostName?
  /// The network to the host; nil without one.
  let network: VirtualNetwork?

  /// How long to wait after "resolved" for a missing characteristic.
  static let grace = Duration.milliseconds(300)

  /// Creates a central in a world. Both must use the same clock.
  /// - Parameters:
  ///   - host: The host of its adapters; nil for this computer.
  ///   - network: The network to it; nil without one.
  package init(
    world: World, on host: HostName? = nil, through network: VirtualNetwork? = nil, clock: any TimeSource
  ) async {
    self.world = world
    self.host = host
    self.clock = clock
    self.network = network
    let switchboard = Switchboard(
      of: host, through: network, clock: clock, objectLifetime: world.scenario.radio.objectLifetime)
    self.switchboard = switchboard
    guard let network else {
      _ = await world.attach(to: .one(host)) { switchboard.take($0) }
      return
    }
    _ = await world.attach(to: .one(host)) { event in
      // A stack that ends forgets its devices, whether or not this is heard.
      if case .stack(isRunning: false) = event, !network.isUp { return switchboard.take(event) }
      network.send(.fromHost) { switchboard.take(event) }
    }
    network.addUser { error in
      switchboard.lose(error)
      _ = world.carryOut {
        for adapter in await world.adapters(of: .one(host)) { await world.stopDiscovery(on: adapter.address) }
      }
    } isBack: {
      _ = world.carryOut {
        let adapters = await world.adapters(of: .one(host))
        network.send(.fromHost) { switchboard.take(.adapters(adapters)) }
      }
    }
  }

  package func roundTrip(to host: HostName?) async -> Duration? { network?.roundTrip }

  /// Has the stack do something: at once, or through the network.
  func ask<Value: Sendable>(
    _ work: @escaping @Sendable () async throws(CentralError) -> Value
  ) async throws(CentralError) -> Value {
    guard let network else { return try await work() }
    return try await network.call(in: world, work)
  }

  /// A fixed text, because there is no stack.
  package func stackVersion(on host: HostName?) async -> String? { "virtual radio" }

  /// The adapters that are plugged in.
  package func adapters() async throws(CentralError) -> [Adapter] {
    try await ask { () throws(CentralError) in
      guard await world.isStackRunning(of: .one(host)) else {
        throw CentralError(.stackUnavailable, stackText: "virtual: stopped")
      }
      return await world.adapters(of: .one(host)).map { Adapter($0, on: host) }
    }
  }

  package func adapterChanges() async -> AsyncStream<[Adapter]> {
    switchboard.adapterChanges()
  }

  package func scan<Result: Sendable>(
    on adapter: AdapterID,
    _ body: @Sendable (AdvertisementStream) async throws(CentralError) -> Result
  ) async throws(CentralError) -> Result {
    let (stream, source) = AdvertisementStream.makeStream()
    let listener = switchboard.addListener(source, on: adapter)
    do throws(CentralError) {
      try await ask { () throws(CentralError) in
        try await CentralError.translating(await world.startDiscovery(on: adapter.address))
      }
      let result = try await body(stream)
      await stopScanning(listener, on: adapter)
      return result
    } catch {
      await stopScanning(listener, on: adapter)
      throw error
    }
  }

  /// Discovery continues while another listener of this central needs it.
  private func stopScanning(_ listener: Switchboard.ListenerID, on adapter: AdapterID) async {
    guard switchboard.removeListener(listener, on: adapter) else { return }
    try? await ask { await world.stopDiscovery(on: adapter.address) }
  }

  /// Connects to a peripheral that was received recently.
  package func connect(
    to address: BluetoothAddress, on adapter: AdapterID, pairing: Pairing?,
    linked: @escaping @Sendable () -> Void
  ) async throws(CentralError) -> any Peripheral {
    let link = try await ask { () throws(CentralError) in
      try await connectOnHost(to: address, on: adapter, pairing: pairing) {
        if let network { network.send(.fromHost, linked) } else { linked() }
      }
    }
    let peripheral = VirtualPeripheral(
      central: self, address: address, adapter: adapter, link: link, end: switchboard.end(of: link))
    guard !Task.isCancelled else {
      // The link came up at the instant of the cancellation, or the cancellation was on its way.
      await peripheral.disconnect()
      throw CentralError(.cancelled)
    }
    return peripheral
  }

  private func connectOnHost(
    to address: BluetoothAddress, on adapter: AdapterID, pairing: Pairing?,
    linked: @escaping @Sendable () -> Void
  ) async throws(CentralError) -> LinkID {
    try await CentralError.translating(await world.checkUsable(adapter.address))
    guard switchboard.knows(address, on: adapter) else {
      // If the stack was stopped in between, it knows no peripheral, but the stop is the better reason.
      try await CentralError.translating(await world.checkUsable(adapter.address))
      throw CentralError(.peripheralUnknown, stackText: "virtual: \(address) was not received recently")
    }
    var (pairing, hasBond) = (pairing, false)
    if let demanded = pairing, await world.hasBond(with: address, on: adapter.address) {
      guard demanded.acceptsBond else {
        throw CentralError(.pairing(.passkeyUnused), stackText: "virtual: a bond that may be without it")
      }
      (pairing, hasBond) = (nil, true)
    }
    if let pairing { try await pairing.intent() }
    let link: LinkID
    do throws(LinkError) {
      link = try await world.connect(to: address, on: adapter.address, linked: linked)
    } catch {
      // The link may have come up before the cancellation.
      if error == .cancelled, let link = await world.link(to: address, on: adapter.address) {
        await world.disconnect(link)
      }
      // The stack removes the object as well, without a reply.
      if error == .connectTimedOut || error == .outOfSlots { switchboard.forget(address, on: adapter) }
      if error == .connectFailed, hasBond {
        throw CentralError(.pairing(.lost), stackText: "virtual: a bond")
      }
      throw CentralError(error)
    }
    guard let pairing else { return link }
    if let error = await pair(over: link, by: pairing.method) {
      await world.disconnect(link)
      throw error
    }
    return link
  }

  /// Pairs over a link; returns why it failed.
  private func pair(over link: LinkID, by method: Pairing.Method) async -> CentralError? {
    var passkey: UInt32?
    if case .passkey(let own) = method { passkey = own.number }
    var isAsked = false
    do throws(LinkError) {
      isAsked = try await world.beginPairing(over: link, hasKeyboard: passkey != nil)
      try await world.finishPairing(over: link, passkey: passkey)
      return passkey == nil || isAsked ? nil : CentralError(.pairing(.passkeyUnused))
    } catch {
      let code: CentralError.Code =
        switch error {
        case .pairingFailed: .pairing(isAsked ? .passkeyRefused : .refused)
        case .linkLost, .notConnected: .pairing(.lost)
        default: CentralError(error).code
        }
      return CentralError(code, stackText: "virtual: \(error)")
    }
  }

  /// The peripherals that an adapter holds a link to, including links of other users of the world.
  package func connectedPeripherals(
    on adapter: AdapterID
  ) async throws(CentralError) -> [ConnectedPeripheral] {
    try await ask { () throws(CentralError) in
      try await CentralError.translating(await world.checkUsable(adapter.address))
      return await world.linkedSensors(on: adapter.address)
    }
  }

  @discardableResult
  package func forget(
    _ address: BluetoothAddress, on adapter: AdapterID, removingBond: Bool
  ) async throws(CentralError) -> Bool {
    try await ask { () throws(CentralError) in
      let wasReceived = switchboard.forget(address, on: adapter)
      let wasStored = try await CentralError.translating(
        await world.forget(address, on: adapter.address, removingBond: removingBond))
      return wasReceived || wasStored
    }
  }

  /// How long switching an adapter off and on takes (docs/internals/bluez.md: 30 to 50 ms off, 95 to 130 ms on).
  private static let powerCycle = Duration.milliseconds(160)

  /// Switches an adapter off and on again, unless that would end a link.
  package func powerCycle(_ adapter: AdapterID) async throws(CentralError) {
    try await ask { () throws(CentralError) in try await powerCycleOnHost(adapter) }
  }

  private func powerCycleOnHost(_ adapter: AdapterID) async throws(CentralError) {
    guard !Task.isCancelled else { throw CentralError(.cancelled) }
    try await CentralError.translating(await world.checkUsable(adapter.address))
    guard await !world.isInUse(adapter.address) else {
      throw CentralError(.busy, stackText: "virtual: the adapter holds a link, or is connecting")
    }
    guard await world.foreignScans[adapter.address] == nil else {
      throw CentralError(.busy, stackText: "virtual: another client scans with the adapter")
    }
    await world.setPowered(false, adapter.address)
    try? await clock.sleep(for: Self.powerCycle)
    await world.setPowered(true, adapter.address)
    try await CentralError.translating(await world.checkUsable(adapter.address))
  }

  /// The other programs that the world defines.
  package func scanningClients(on adapter: AdapterID) async -> [String]? {
    try? await ask { await world.foreignScans[adapter.address] ?? [] }
  }
}

extension Adapter {
  init(_ adapter: VirtualAdapter, on host: HostName?) {
    let id = AdapterID(adapter.address, on: host)
    self.init(
      id: id, name: id.named(adapter.name),
      state: adapter.isBlocked ? .blocked : adapter.isPowered ? .ready : .poweredOff,
      isScannedByOthers: adapter.isScannedByOthers)
  }
}

extension CentralError {
  /// Runs work in the world and translates its errors.
  static func translating<Value: Sendable>(
    _ work: @autoclosure () async throws(LinkError) -> Value
  ) async throws(CentralError) -> Value {
    do {
      return try await work()
    } catch {
      throw CentralError(error)
    }
  }

  /// The mapping from the world's errors to `CentralError`.
  init(_ error: LinkError) {
    let code: Code =
      switch error {
      case .stackStopped: .stackUnavailable
      case .adapterUnavailable(let problem): .adapterUnavailable(problem)
      case .connectFailed, .connectTimedOut: .connectFailed
      case .outOfSlots: .outOfSlots
      case .cancelled: .cancelled
      case .alreadyConnecting, .busy: .busy
      case .linkLost, .notConnected: .disconnected
      case .unknownAttribute: .other
      case .att(ATTCode.readNotPermitted), .att(ATTCode.writeNotPermitted): .notPermitted
      case .att(0x05), .att(0x0C), .att(0x0F): .pairingRequired
      case .pairingFailed: .pairing(.refused)
      case .att(let number): .att(number)
      }
    self.init(code, stackText: "virtual: \(error)")
  }
}
