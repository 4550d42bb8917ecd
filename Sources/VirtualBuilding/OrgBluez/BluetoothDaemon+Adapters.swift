import Bluetooth
import DBus
import VirtualTime

/// Adapters: their objects, power, and discovery.
extension BluetoothDaemon {
  func adapterAddress(at path: ObjectPath) -> BluetoothAddress? {
    adapters.first { $0.value.path == path }?.key
  }

  // MARK: Coming, going, power

  /// Takes in what the kernel says of the adapters that are plugged in.
  func adaptersChanged(_ present: [VirtualAdapter]) {
    for gone in adapters.keys.sorted() where !present.contains(where: { $0.address == gone }) {
      unplugged(gone)
    }
    for adapter in present {
      if let record = adapters[adapter.address], record.adapter.name == adapter.name {
        adapters[adapter.address]?.adapter = adapter
        powerChanged(on: adapter.address)
      } else {
        // Under another number it is another object.
        removeAdapter(adapter.address)
        addAdapter(adapter)
      }
    }
  }

  /// Exports an adapter, and what is on disk about its devices.
  func addAdapter(_ adapter: VirtualAdapter) {
    let record = AdapterRecord(adapter: adapter)
    adapters[adapter.address] = record
    let name = "virtual-" + adapter.name
    tree.add(
      record.path,
      [
        .init(
          BlueZInterfaces.adapter,
          [
            ("Address", .string(adapter.address.description)), ("AddressType", .string("public")),
            ("Name", .string(name)), ("Alias", .string(name)), ("Class", .uint32(0)),
            ("Powered", .bool(adapter.isPowered)), ("PowerState", .string(Self.powerState(adapter))),
            ("Discoverable", .bool(false)), ("DiscoverableTimeout", .uint32(180)), ("Pairable", .bool(true)),
            ("PairableTimeout", .uint32(0)), ("Discovering", .bool(false)),
            (
              "UUIDs",
              .array(
                element: "s", [.uuid(BluetoothUUID(short: 0x1800)), .uuid(BluetoothUUID(short: 0x1801))])
            ),
            // The Linux Foundation's identifiers, and 5.66 in the device field.
            ("Modalias", .string("usb:v1D6Bp0246d0542")), ("Roles", .strings(["central", "peripheral"])),
          ])
      ])
    // BLUEZ.md "Names of failure", plugged in again: known devices come back as objects.
    for (address, stored) in (storage[adapter.address] ?? [:]).sorted(by: { $0.key < $1.key }) {
      addStoredDevice(stored, DeviceID(adapter: adapter.address, address: address))
    }
  }

  /// It tells rfkill's doing from ours. (5.66 shows it in experimental mode only, later ones always.)
  private static func powerState(_ adapter: VirtualAdapter) -> String {
    adapter.isBlocked ? "off-blocked" : adapter.isPowered ? "on" : "off"
  }

  private func powerChanged(on address: BluetoothAddress) {
    guard let record = adapters[address] else { return }
    if !record.adapter.isPowered {
      adapters[address]?.sessions.removeAll()
      tellDiscoveryEnded(on: address)
    }
    tree.set(record.path, BlueZInterfaces.adapter, "Powered", .bool(record.adapter.isPowered))
    tree.set(record.path, BlueZInterfaces.adapter, "PowerState", .string(Self.powerState(record.adapter)))
  }

  /// BLUEZ.md "Names of failure", adapter unplugged: links and power go first, then the objects from the leaves
  /// to the adapter.
  private func unplugged(_ address: BluetoothAddress) {
    guard adapters[address]?.adapter.isPowered == true else { return removeAdapter(address) }
    adapters[address]?.adapter.isPowered = false
    powerChanged(on: address)
    let delay = random.duration(in: DaemonTiming.unplug)
    tasks.start {
      guard await self.pause(delay) else { return }
      let present = await self.world.adapters()
      if !present.contains(where: { $0.address == address }) { await self.removeAdapter(address) }
    }
  }

  private func removeAdapter(_ address: BluetoothAddress) {
    guard let path = adapters.removeValue(forKey: address)?.path else { return }
    tree.remove(path)
    tell()
  }

  /// BLUEZ.md "Names of failure", stopped in order: `Connected: false`, `Powered: false`, everything removed.
  func shutDown() {
    for address in adapters.keys.sorted() {
      for device in devices where device.adapter == address { linkIsDown(device) }
      adapters[address]?.adapter.isPowered = false
      powerChanged(on: address)
      tell()
      removeAdapter(address)
    }
    tree.remove("/org/bluez")
    tell()
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
      adapters[address]?.sessions.setFilter(isCleared ? nil : filter, for: client)
    case "StartDiscovery":
      try await startDiscovery(for: client, on: address)
    case "StopDiscovery":
      guard var sessions = adapters[address]?.sessions else { return [] }
      try sessions.stop(client)
      adapters[address]?.sessions = sessions
      await discoverySessionsChanged(on: address)
    default:
      throw BlueZFailure.unknownMethod(call)
    }
    return []
  }

  // MARK: Discovery

  private func startDiscovery(for client: BusName, on address: BluetoothAddress) async throws(DBusError) {
    guard var sessions = adapters[address]?.sessions else { return }
    try sessions.start(client)
    adapters[address]?.sessions = sessions
    do throws(LinkError) {
      try await world.startDiscovery(on: address)
    } catch {
      adapters[address]?.sessions.forget(client)
      throw BlueZFailure.notReady
    }
    // Stopped again while it started.
    guard adapters[address]?.sessions.active == true else { return await world.stopDiscovery(on: address) }
    // BLUEZ.md "Discovery": the answer first, `Discovering: true` follows.
    let delay = random.duration(in: DaemonTiming.discoveringFollows)
    tasks.start {
      await self.pause(delay)
      await self.discoveryHasStarted(on: address)
    }
  }

  private func discoveryHasStarted(on address: BluetoothAddress) {
    guard let record = adapters[address], record.sessions.active else { return }
    adapters[address]?.discovering = true
    tree.set(record.path, BlueZInterfaces.adapter, "Discovering", .bool(true))
    tell()
  }

  /// Ends discovery when nobody wants it any more; returns when the adapter listens no longer.
  func discoverySessionsChanged(on address: BluetoothAddress) async {
    guard adapters[address]?.sessions.active == false else { return }
    tellDiscoveryEnded(on: address)
    tell()
    await world.stopDiscovery(on: address)
    // Somebody may have begun anew while it stopped.
    if adapters[address]?.sessions.active == true { try? await world.startDiscovery(on: address) }
  }

  /// BLUEZ.md "Discovery": when the last one stops, RSSI is invalidated at each device, then `Discovering: false`.
  private func tellDiscoveryEnded(on address: BluetoothAddress) {
    guard let record = adapters[address], record.discovering else { return }
    for (device, state) in record.devices.sorted(by: { $0.key < $1.key }) {
      tree.clear(state.path, BlueZInterfaces.device, "RSSI")
      adapters[address]?.devices[device]?.toldRSSI = nil
    }
    adapters[address]?.discovering = false
    tree.set(record.path, BlueZInterfaces.adapter, "Discovering", .bool(false))
  }
}
