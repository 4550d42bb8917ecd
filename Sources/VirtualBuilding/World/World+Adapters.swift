public import Bluetooth

/// The host's adapters, and the hooks by which a test or a scenario takes them away.
extension World {
  /// The adapters that are plugged in, by address; none while the stack is stopped.
  public func adapters() -> [VirtualAdapter] {
    guard isStackRunning else { return [] }
    return adapterOrder.compactMap { address in
      guard let adapter = adapterStates[address], adapter.scenario.isPresent else { return nil }
      return VirtualAdapter(
        address: address, name: adapter.scenario.name, isPowered: adapter.trouble == nil,
        isBlocked: adapter.scenario.isBlocked, isDiscovering: isDiscovering(address),
        isScannedByOthers: foreignScans[address] != nil)
    }
  }

  /// Whether the stack runs.
  public var stackIsRunning: Bool { isStackRunning }

  /// Whether a link is up, as the host sees it.
  public func isUp(_ link: LinkID) -> Bool { links[link] != nil }

  /// Throws why an adapter cannot be used, if it cannot.
  /// - Throws: `stackStopped`, `adapterUnavailable`.
  public func checkUsable(_ adapter: BluetoothAddress) throws(LinkError) {
    guard isStackRunning else { throw .stackStopped }
    if let trouble = adapterStates[adapter].map(\.trouble) ?? .absent { throw .adapterUnavailable(trouble) }
  }

  /// Powers an adapter on or off. Off, it loses its links, its discovery and its attempts at once.
  public func setPowered(_ isPowered: Bool, _ adapter: BluetoothAddress) {
    change(adapter) { $0.isPowered = isPowered }
  }

  /// Makes an adapter deaf, or cures it: deaf, it discovers and reports nothing (docs/bluez.md, trap 59). Switching it off
  /// and on, plugging it in again or restarting the stack cures it, too.
  public func setDeaf(_ isDeaf: Bool, _ adapter: BluetoothAddress) {
    if isDeaf { deaf.insert(adapter) } else { deaf.remove(adapter) }
  }

  /// Has other programs scan with an adapter, by these names, or none. Who connects on it then waits as with a discovery
  /// of his own. Ends with the adapter's power, and with the stack. For the in-process face: on `org.bluez` other clients
  /// scan themselves.
  public func setForeignScan(_ clients: [String], _ adapter: BluetoothAddress) {
    foreignScans[adapter] = clients.isEmpty ? nil : clients
    emit(.adapters(adapters()))
  }

  /// Has rfkill block an adapter or release it.
  public func setBlocked(_ isBlocked: Bool, _ adapter: BluetoothAddress) {
    change(adapter) { $0.isBlocked = isBlocked }
  }

  /// Unplugs an adapter, or plugs it in again, perhaps under another name (`hci3`).
  public func setPresent(_ isPresent: Bool, _ adapter: BluetoothAddress, name: String? = nil) {
    change(adapter) {
      $0.isPresent = isPresent
      if let name { $0.name = name }
    }
  }

  /// Stops the stack: everything of its is gone at once.
  public func stopStack() {
    guard isStackRunning else { return }
    isStackRunning = false
    for address in adapterOrder { clear(address, .stackStopped, .stackLost) }
    for id in operations.keys.sorted() { finish(id, .failure(.stackStopped)) }
    emit(.stack(isRunning: false))
    emit(.adapters([]))
  }

  /// Starts the stack again; it remembers no link and no discovery.
  public func startStack() {
    guard !isStackRunning else { return }
    isStackRunning = true
    emit(.stack(isRunning: true))
    emit(.adapters(adapters()))
  }

  private func change(_ address: BluetoothAddress, _ change: (inout AdapterScenario) -> Void) {
    guard var adapter = adapterStates[address] else {
      preconditionFailure("the scenario has no adapter \(address)")
    }
    let before = adapter.scenario
    change(&adapter.scenario)
    guard adapter.scenario != before else { return }
    adapterStates[address] = adapter
    if let trouble = adapter.trouble { clear(address, .adapterUnavailable(trouble), .adapterLost) }
    emit(.adapters(adapters()))
  }

  /// Ends everything that an adapter has going on.
  private func clear(_ address: BluetoothAddress, _ error: LinkError, _ cause: Disconnection.Cause) {
    for id in links.keys.sorted() where links[id]?.adapter == address { linkDown(id, cause) }
    endScan(address)
    deaf.remove(address)
    foreignScans[address] = nil
    adapterStates[address]?.attempt = nil
    adapterStates[address]?.waiting = []
    for id in operations.keys.sorted() {
      guard case .connect(_, address) = operations[id]?.kind else { continue }
      finish(id, .failure(error))
    }
  }
}
