import Bluetooth
import DBus

/// Adapters: their objects, power, and discovery.
extension BluetoothDaemon {
  func adapterAddress(at path: ObjectPath) -> BluetoothAddress? {
    adapters.first { $0.value.path == path }?.key
  }

  // MARK: Adding, removing, power

  /// Updates the adapters from the kernel's list of those that are plugged in.
  func adaptersChanged(_ present: [VirtualAdapter]) {
    for gone in adapters.keys.sorted() where !present.contains(where: { $0.address == gone }) {
      unplugged(gone)
    }
    for adapter in present {
      if let record = adapters[adapter.address], record.adapter.name == adapter.name {
        // The task that switches an adapter signals the change itself when it is done.
        if !record.isSwitching { takeIn(adapter) }
      } else {
        // With another `hci` number it is another object.
        removeAdapter(adapter.address)
        comeUp(adapter, signalling: ["Alias"])
      }
    }
  }

  private func takeIn(_ adapter: VirtualAdapter) {
    let wasPowered = adapters[adapter.address]?.adapter.isPowered
    adapters[adapter.address]?.adapter = adapter
    if wasPowered == true, !adapter.isPowered { powerIsGone(on: adapter.address) }
    if wasPowered != adapter.isPowered { announcePower(on: adapter.address) }
    announceBlocking(on: adapter.address)
  }

  /// Recorded traces: a new adapter is off and is switched on at once (`AutoEnable`, the default since 5.65).
  /// Before its power, its services and some other properties are signalled again, changed or not.
  func comeUp(_ adapter: VirtualAdapter, signalling properties: [String] = []) {
    var asItComes = adapter
    asItComes.isPowered = false
    addAdapter(asItComes)
    guard adapter.isPowered else { return }
    adapters[adapter.address]?.beginSwitching()
    let delay = random.duration(in: DaemonTiming.powerOn)
    tasks.start {
      await self.pause(delay / 2)
      await self.announceAgain(["UUIDs"], of: adapter.address)
      await self.pause(delay / 2)
      await self.hasSwitched(adapter.address, signalling: properties)
    }
  }

  private func announceAgain(_ properties: [String], of address: BluetoothAddress) {
    guard let path = adapters[address]?.path else { return }
    for property in properties {
      guard let value = tree[path, BlueZInterfaces.adapter, property] else { continue }
      tree.set(path, BlueZInterfaces.adapter, property, value, again: true)
    }
    emit()
  }

  /// Exports an adapter and its stored devices.
  func addAdapter(_ adapter: VirtualAdapter) {
    let record = AdapterRecord(adapter: adapter)
    adapters[adapter.address] = record
    let name = "virtual-" + adapter.name
    var properties: [(String, DBusValue)] = [
      ("Address", .string(adapter.address.description)), ("AddressType", .string("public")),
      ("Name", .string(name)), ("Alias", .string(name)), ("Class", .uint32(0)),
      ("Powered", .bool(adapter.isPowered)), ("PowerState", .string(Self.powerState(adapter))),
      ("Discoverable", .bool(false)), ("DiscoverableTimeout", .uint32(180)), ("Pairable", .bool(false)),
      ("PairableTimeout", .uint32(0)), ("Discovering", .bool(false)),
      ("UUIDs", .array(element: "s", Self.ownServices.map { .uuid(BluetoothUUID(short: $0)) })),
      ("Modalias", .string(version.modalias)), ("Roles", .strings(["central", "peripheral"])),
    ]
    // The Linux Foundation's company identifier, and Bluetooth 5.3 [assumed].
    if version == .debian13 { properties += [("Manufacturer", .uint16(0x05F1)), ("Version", .byte(12))] }
    tree.add(record.path, [.init(BlueZInterfaces.adapter, properties)])
    // docs/internals/bluez.md, "Names of failure", adapter plugged in again: stored devices become objects again.
    for (address, stored) in (storage[adapter.address] ?? [:]).sorted(by: { $0.key < $1.key }) {
      addStoredDevice(stored, DeviceID(adapter: adapter.address, address: address))
    }
  }

  /// It distinguishes rfkill from `Powered: false`. (5.66 has it only in experimental mode, later versions
  /// always.)
  private static func powerState(_ adapter: VirtualAdapter) -> String {
    adapter.isBlocked ? "off-blocked" : adapter.isPowered ? "on" : "off"
  }

  /// The host's own services, as 5.66 lists them on a dual-mode adapter: GATT, GAP, PnP, AVRCP (both roles),
  /// device information.
  private static let ownServices: [UInt16] = [0x1801, 0x1800, 0x1200, 0x110C, 0x110E, 0x180A]

  /// Recorded traces: the state that an adapter loses with its power. Temporary devices are removed.
  private func powerIsGone(on address: BluetoothAddress) {
    adapters[address]?.sessions.removeAll()
    adapters[address]?.discovering = false
    for (device, state) in (adapters[address]?.devices ?? [:]).sorted(by: { $0.key < $1.key }) {
      let id = DeviceID(adapter: address, address: device)
      if state.temporary { remove(id) } else { self[id]?.announcedRSSI = nil }
    }
  }

  /// Recorded traces: `Discovering: false` is signalled together with `Powered: false`, even if it was false
  /// before.
  private func announcePower(on address: BluetoothAddress) {
    guard let record = adapters[address] else { return }
    let isPowered = record.adapter.isPowered
    if !isPowered {
      tree.set(record.path, BlueZInterfaces.adapter, "Discovering", .bool(false), again: true)
    }
    tree.set(record.path, BlueZInterfaces.adapter, "Powered", .bool(isPowered))
    announceBlocking(on: address)
  }

  private func announceBlocking(on address: BluetoothAddress) {
    guard let record = adapters[address] else { return }
    tree.set(record.path, BlueZInterfaces.adapter, "PowerState", .string(Self.powerState(record.adapter)))
  }

  /// `Set` of `Powered`. Recorded traces: whatever ends with the power is signalled before the reply, the
  /// power itself after it.
  func setPowered(_ isPowered: Bool, on address: BluetoothAddress) async {
    guard adapters[address]?.adapter.isPowered != isPowered else { return }
    adapters[address]?.beginSwitching()
    if version == .debian13, !isPowered, let path = adapters[address]?.path {
      tree.set(path, BlueZInterfaces.adapter, "PowerState", .string("on-disabling"))
      emit()
    }
    await pause(random.duration(in: isPowered ? DaemonTiming.powerOn : DaemonTiming.powerOff))
    await world.setPowered(isPowered, address)
    // Its links end in the meantime.
    await pause(DaemonTiming.powerSettles)
    if !isPowered { powerIsGone(on: address) }
    follow(after: DaemonTiming.signalDelay) { await self.hasSwitched(address) }
  }

  private func hasSwitched(_ address: BluetoothAddress, signalling properties: [String] = []) async {
    let now = await world.adapters().first { $0.address == address }
    guard adapters[address]?.isSwitching == true else { return }
    if let now { takeIn(now) }
    announceAgain(properties, of: address)
    adapters[address]?.endSwitching()
  }

  /// docs/internals/bluez.md, "Names of failure", adapter unplugged: links and power end first, then the objects are
  /// removed from the leaves up to the adapter.
  private func unplugged(_ address: BluetoothAddress) {
    guard adapters[address]?.adapter.isPowered == true else { return removeAdapter(address) }
    adapters[address]?.adapter.isPowered = false
    adapters[address]?.sessions.removeAll()
    adapters[address]?.discovering = false
    announcePower(on: address)
    let delay = random.duration(in: DaemonTiming.unplug)
    tasks.start {
      guard await self.pause(delay) else { return }
      let present = await self.world.adapters()
      if !present.contains(where: { $0.address == address }) { await self.removeAdapter(address) }
    }
  }

  private func removeAdapter(_ address: BluetoothAddress) {
    guard var record = adapters.removeValue(forKey: address) else { return }
    tree.remove(record.path)
    emit()
    record.endSwitching()
  }

  /// docs/internals/bluez.md, "Names of failure", orderly stop: `Connected: false`, `Powered: false`, then all objects
  /// are removed.
  func shutDown() async {
    for device in devices { linkIsDown(device, .stackLost) }
    await pause(random.duration(in: DaemonTiming.stopOfPower))
    for address in adapters.keys.sorted() {
      adapters[address]?.adapter.isPowered = false
      powerIsGone(on: address)
      announcePower(on: address)
    }
    emit()
    await pause(random.duration(in: DaemonTiming.stopOfManagers))
    tree.removeAlone("/org/bluez")
    emit()
    await pause(random.duration(in: DaemonTiming.stopOfObjects))
    for address in adapters.keys.sorted() { removeAdapter(address) }
    await pause(random.duration(in: DaemonTiming.stopOfName))
  }

  // MARK: Methods

  func carryOutAdapter(_ call: MethodCall) async throws(DBusError) -> [DBusValue] {
    guard let address = adapterAddress(at: call.path), let client = call.sender else {
      throw BlueZFailure.unknownObject(call)
    }
    if call.member == "GetDiscoveryFilters" { return [.strings(DiscoveryFilter.accepted)] }
    if call.member == "RemoveDevice" {
      try await removeDevice(call, on: address)
      return []
    }
    guard adapters[address]?.adapter.isPowered == true else { throw BlueZFailure.notReady }
    switch call.member {
    case "SetDiscoveryFilter":
      let filter = try DiscoveryFilter(call.body[0])
      let isCleared = call.body[0].asEntries?.isEmpty == true
      let before = adapters[address]?.sessions.merged
      adapters[address]?.sessions.setFilter(isCleared ? nil : filter, for: client)
      // The reply is immediate; the scan follows.
      if isOtherFilter(than: before, on: address) {
        afterAnswer { try? await self.world.restartScan(on: address) }
      }
    case "StartDiscovery":
      try await startDiscovery(for: client, on: address)
    case "StopDiscovery":
      guard var sessions = adapters[address]?.sessions else { return [] }
      let before = sessions.merged
      try sessions.stop(client)
      adapters[address]?.sessions = sessions
      await discoverySessionsChanged(on: address, since: before)
    default:
      throw BlueZFailure.unknownMethod(call)
    }
    return []
  }

  // MARK: Discovery

  private func startDiscovery(for client: BusName, on address: BluetoothAddress) async throws(DBusError) {
    guard var sessions = adapters[address]?.sessions else { return }
    let (before, wasActive) = (sessions.merged, sessions.active)
    try sessions.start(client)
    adapters[address]?.sessions = sessions
    do throws(LinkError) {
      if wasActive, isOtherFilter(than: before, on: address) {
        try await world.restartScan(on: address)
      } else {
        try await world.startDiscovery(on: address)
      }
    } catch {
      adapters[address]?.sessions.forget(client)
      throw BlueZFailure.notReady
    }
    // Discovery was stopped again during the start.
    guard adapters[address]?.sessions.active == true else { return await world.stopDiscovery(on: address) }
    // docs/internals/bluez.md, "Discovery": the reply first, then `Discovering: true`.
    follow(after: DaemonTiming.signalDelay) { await self.discoveryHasStarted(on: address) }
  }

  private func discoveryHasStarted(on address: BluetoothAddress) {
    guard let record = adapters[address], record.sessions.active else { return }
    adapters[address]?.discovering = true
    tree.set(record.path, BlueZInterfaces.adapter, "Discovering", .bool(true))
    emit()
  }

  /// Whether the kernel must restart the scan of a discovering adapter, because the merged filter of all
  /// clients has changed (`update_discovery_filter`: "filters were equal, deciding to not restart the scan").
  private func isOtherFilter(than before: MergedFilter?, on address: BluetoothAddress) -> Bool {
    guard let record = adapters[address], record.discovering, record.sessions.active else { return false }
    return record.sessions.merged != before
  }

  /// A client has stopped. Ends discovery if no other client uses it, and returns when the adapter no longer
  /// scans.
  /// - Parameter before: The merged filter until then.
  func discoverySessionsChanged(on address: BluetoothAddress, since before: MergedFilter?) async {
    if isOtherFilter(than: before, on: address) {
      afterAnswer { try? await self.world.restartScan(on: address) }
    }
    guard adapters[address]?.sessions.active == false else { return }
    for device in devices where device.adapter == address { keep(device) }
    await world.stopDiscovery(on: address)
    // Another client may have started in the meantime.
    if adapters[address]?.sessions.active == true {
      try? await world.startDiscovery(on: address)
    } else {
      // docs/internals/bluez.md, "Discovery": with the end of the discovery, what takes no connection is removed.
      for device in devices where device.adapter == address {
        if let state = self[device], state.temporary, !state.isConnectable { remove(device) }
      }
    }
    // Recorded traces: the reply first, then the signal.
    follow(after: DaemonTiming.signalDelay) { await self.discoveryHasEnded(on: address) }
  }

  private func discoveryHasEnded(on address: BluetoothAddress) {
    guard adapters[address]?.sessions.active == false else { return }
    announceDiscoveryEnded(on: address)
    emit()
  }

  /// docs/internals/bluez.md, "Discovery": when the last client stops, the RSSI of each device is invalidated, then
  /// `Discovering: false` follows.
  private func announceDiscoveryEnded(on address: BluetoothAddress) {
    guard let record = adapters[address], record.discovering else { return }
    for (device, state) in record.devices.sorted(by: { $0.key < $1.key }) {
      tree.clear(state.path, BlueZInterfaces.device, "RSSI")
      adapters[address]?.devices[device]?.announcedRSSI = nil
    }
    adapters[address]?.discovering = false
    tree.set(record.path, BlueZInterfaces.adapter, "Discovering", .bool(false))
  }
}
