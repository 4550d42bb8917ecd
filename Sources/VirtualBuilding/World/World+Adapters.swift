package import Bluetooth

/// The adapters of the hosts, and functions for tests and scenarios to change them.
extension World {
  /// The adapters that are plugged in, by address; none of a host whose stack is stopped.
  package func adapters(of hosts: Hosts = .all) -> [VirtualAdapter] {
    adapterOrder.compactMap { address in
      guard let adapter = adapterStates[address], adapter.scenario.isPresent,
        hosts.include(adapter.scenario.host), isStackRunning(of: .one(adapter.scenario.host))
      else { return nil }
      return VirtualAdapter(
        address: address, name: adapter.scenario.name, isPowered: adapter.problem == nil,
        isBlocked: adapter.scenario.isBlocked, isDiscovering: isDiscovering(address),
        isScannedByOthers: foreignScans[address] != nil)
    }
  }

  /// Whether a link is up, as the host sees it.
  package func isUp(_ link: LinkID) -> Bool { links[link] != nil }

  /// Checks that an adapter can be used.
  /// - Throws: `stackStopped`, `adapterUnavailable`.
  package func checkUsable(_ adapter: BluetoothAddress) throws(LinkError) {
    try checkStack(of: adapter)
    if let problem = adapterStates[adapter].map(\.problem) ?? .absent { throw .adapterUnavailable(problem) }
  }

  /// Powers an adapter on or off. Powering off ends its links, discovery and connection attempts at once.
  package func setPowered(_ isPowered: Bool, _ adapter: BluetoothAddress) {
    change(adapter) { $0.isPowered = isPowered }
  }

  /// Makes an adapter deaf, or repairs it. A deaf adapter is discovering but reports nothing (docs/internals/bluez.md,
  /// trap 59), and receives no sensor that it is to connect to. Power-cycling it, plugging it in again or restarting the stack also repairs it.
  package func setDeaf(_ isDeaf: Bool, _ adapter: BluetoothAddress) {
    if isDeaf { deaf.insert(adapter) } else { deaf.remove(adapter) }
  }

  /// Makes the kernel lose track of an adapter's connections, as after an attempt that was given up at the wrong moment
  /// (docs/internals/bluez.md, trap 75): from then on it makes no link. What repairs a deaf adapter also repairs this one.
  package func loseTrack(of adapter: BluetoothAddress) { withoutLinks.insert(adapter) }

  /// Sets the other programs that scan with an adapter. Connecting then takes as long as during a discovery
  /// of the host itself. The scan ends with the adapter's power and with the stack. For the in-process
  /// `Central`; on `org.bluez` other clients really scan.
  package func setForeignScan(_ clients: [String], _ adapter: BluetoothAddress) {
    foreignScans[adapter] = clients.isEmpty ? nil : clients
    emitAdapters(adapter)
  }

  package func setBlocked(_ isBlocked: Bool, _ adapter: BluetoothAddress) {
    change(adapter) { $0.isBlocked = isBlocked }
  }

  /// Unplugs an adapter, or plugs it in again, optionally with another name (`hci3`).
  package func setPresent(_ isPresent: Bool, _ adapter: BluetoothAddress, name: String? = nil) {
    change(adapter) {
      $0.isPresent = isPresent
      if let name { $0.name = name }
    }
  }

  /// Whether the stack of a host runs, or that of any host.
  package func isStackRunning(of hosts: Hosts = .all) -> Bool {
    switch hosts {
    case .all: stopped != self.hosts
    case .one(let host): !stopped.contains(host)
    }
  }

  /// - Throws: `stackStopped` if the stack of the adapter's host does not run.
  func checkStack(of adapter: BluetoothAddress) throws(LinkError) {
    guard isStackRunning(of: .one(host(of: adapter))) else { throw .stackStopped }
  }

  /// Stops the stack of hosts. All its links and discoveries end at once.
  package func stopStack(of hosts: Hosts = .all) {
    let ending = self.hosts.filter { hosts.include($0) && !stopped.contains($0) }
    guard !ending.isEmpty else { return }
    stopped.formUnion(ending)
    for address in adapterOrder where ending.contains(host(of: address)) {
      clear(address, .stackStopped, .stackLost)
    }
    for id in operations.keys.sorted() {
      guard case .host(let adapter) = operations[id]?.kind, ending.contains(host(of: adapter)) else {
        continue
      }
      finish(id, .failure(.stackStopped))
    }
    emitStack(of: hosts)
  }

  /// Starts the stack of hosts again, without links or discoveries.
  package func startStack(of hosts: Hosts = .all) {
    let starting = stopped.filter(hosts.include)
    guard !starting.isEmpty else { return }
    stopped.subtract(starting)
    emitStack(of: hosts)
  }

  private func change(_ address: BluetoothAddress, _ change: (inout AdapterScenario) -> Void) {
    guard var adapter = adapterStates[address] else {
      preconditionFailure("the scenario has no adapter \(address)")
    }
    let before = adapter.scenario
    change(&adapter.scenario)
    guard adapter.scenario != before else { return }
    adapterStates[address] = adapter
    if let problem = adapter.problem { clear(address, .adapterUnavailable(problem), .adapterLost) }
    emitAdapters(address)
  }

  /// Ends all activities of an adapter.
  private func clear(_ address: BluetoothAddress, _ error: LinkError, _ cause: Disconnection.Cause) {
    for id in links.keys.sorted() where links[id]?.adapter == address { linkDown(id, cause) }
    endScan(address)
    deaf.remove(address)
    withoutLinks.remove(address)
    foreignScans[address] = nil
    adapterStates[address]?.attempt = nil
    adapterStates[address]?.waiting = []
    for id in operations.keys.sorted() {
      guard case .connect(_, address) = operations[id]?.kind else { continue }
      finish(id, .failure(error))
    }
  }
}
