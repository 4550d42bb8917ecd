import Bluetooth
import DBus

/// Device objects: how they are created from advertisements and from storage, their signals, and their
/// removal.
extension BluetoothDaemon {
  func deviceID(at path: ObjectPath) -> DeviceID? {
    guard let parent = path.parent, let adapter = adapterAddress(at: parent),
      let address = BluetoothAddress(path.text.suffix(17).replacing("_", with: ":"))
    else { return nil }
    let id = DeviceID(adapter: adapter, address: address)
    return self[id]?.path == path ? id : nil
  }

  // MARK: Advertisements

  /// Handles one advertisement.
  func receive(_ received: AdvertisingReport) {
    let id = DeviceID(adapter: received.adapter, address: received.address)
    // Not the adapter's whole record: a change of its devices would copy all of them.
    guard let sessions = adapters[received.adapter]?.sessions, sessions.active else { return }
    // Recorded traces: nothing is received before `Discovering: true`. Earlier reports of the controller are
    // lost. A controller that reports each device once per scan does not repeat them (docs/internals/bluez.md, "Reports
    // lost at the start of a scan").
    guard adapters[received.adapter]?.discovering == true else { return }
    let expires = nextExpiry()
    self[id]?.expires = expires
    let knownName = self[id].flatMap { tree[$0.path, BlueZInterfaces.device, "Name"]?.asString }
    guard sessions.wants(received, name: received.payload.localName ?? knownName) else { return }
    if self[id] == nil {
      // Without a filter, only discoverable devices become objects (`device_is_discoverable`).
      guard sessions.isFiltered || (received.payload.flags ?? 0) & 0x03 != 0 else { return }
      addDevice(id, name: nil, alias: nil, expires: expires)
      tasks.start { await self.expire(id) }
    }
    takeIn(received, id, sessions)
  }

  private func takeIn(_ received: AdvertisingReport, _ id: DeviceID, _ sessions: DiscoverySessions) {
    guard let device = self[id] else { return }
    self[id]?.isConnectable = received.payload.isConnectable
    // Without a filter, changes of the RSSI below 8 dB are not signalled. The comparison uses the last
    // signalled value, so a slow drift is signalled at some point.
    if device.announcedRSSI.map({ ($0 - received.rssi).magnitude >= sessions.rssiThreshold }) ?? true {
      self[id]?.announcedRSSI = received.rssi
      tree.set(
        device.path, BlueZInterfaces.device, "RSSI", .int16(Int16(clamping: received.rssi)), again: true)
    }
    // docs/internals/bluez.md, traps 10 and 11: fields that this advertisement does not carry stay unchanged.
    let payload = received.payload
    if version == .debian13, let flags = payload.flags {
      tree.set(device.path, BlueZInterfaces.device, "AdvertisingFlags", .bytes([flags]))
    }
    if let name = payload.localName { setName(name, of: id) }
    if !payload.serviceUUIDs.isEmpty { addUUIDs(payload.serviceUUIDs, to: device.path) }
    if !payload.manufacturerData.isEmpty {
      emit(manufacturerData: payload.manufacturerData, of: device.path, again: sessions.duplicateData)
    }
    if !payload.serviceData.isEmpty {
      let entries = payload.serviceData.sorted { $0.key < $1.key }
        .map { ($0.key.description.lowercased(), DBusValue.bytes($0.value)) }
      tree.set(
        device.path, BlueZInterfaces.device, "ServiceData", .vardict(entries), again: sessions.duplicateData)
    }
  }

  /// Updates the data per company; the data of other companies stays.
  private func emit(manufacturerData data: [UInt16: [UInt8]], of path: ObjectPath, again: Bool) {
    let held = tree[path, BlueZInterfaces.device, "ManufacturerData"]?.asEntries ?? []
    var merged = Dictionary(held.compactMap { entry in entry.key.asUInt16.map { ($0, entry.value) } }) { $1 }
    for (company, bytes) in data { merged[company] = .variant(.bytes(bytes)) }
    let entries = merged.sorted { $0.key < $1.key }.map { DBusEntry(.uint16($0.key), $0.value) }
    tree.set(
      path, BlueZInterfaces.device, "ManufacturerData", .dictionary(key: "q", value: "v", entries),
      again: again)
  }

  func addUUIDs(_ uuids: [BluetoothUUID], to path: ObjectPath) {
    let held = tree[path, BlueZInterfaces.device, "UUIDs"]?.asStrings ?? []
    let all = Set(held + uuids.map { $0.description.lowercased() })
    tree.set(path, BlueZInterfaces.device, "UUIDs", .strings(all.sorted()))
  }

  // MARK: Objects

  private func addDevice(
    _ id: DeviceID, name: String?, alias: String?, expires: MonotonicInstant, hasBond: Bool = false
  ) {
    guard let adapter = adapters[id.adapter]?.path,
      let path = adapter.appending("dev_" + id.address.description.replacing(":", with: "_"))
    else { return }
    var properties: [(String, DBusValue)] = [
      ("Address", .string(id.address.description)), ("AddressType", .string("public")),
    ]
    if let name { properties.append(("Name", .string(name))) }
    properties += [
      ("Alias", .string(alias ?? name ?? Self.nameless(id.address))), ("Paired", .bool(hasBond)),
      ("Bonded", .bool(hasBond)), ("Trusted", .bool(false)), ("Blocked", .bool(false)),
      ("LegacyPairing", .bool(false)), ("Connected", .bool(false)), ("UUIDs", .strings([])),
      ("Adapter", .objectPath(adapter)), ("ServicesResolved", .bool(false)),
    ]
    self[id] = DeviceRecord(path: path, expires: expires)
    self[id]?.aliasIsOwn = alias != nil
    self[id]?.hasBond = hasBond
    tree.add(path, [.init(BlueZInterfaces.device, properties)])
  }

  /// docs/internals/bluez.md, "Names of failure", adapter plugged in again: stored devices become objects again.
  func addStoredDevice(_ stored: StoredDevice, _ id: DeviceID) {
    addDevice(
      id, name: stored.name, alias: stored.alias, expires: clock.now, hasBond: stored.hasBond)
    self[id]?.temporary = false
    if let path = self[id]?.path { tree.set(path, BlueZInterfaces.device, "UUIDs", .strings(stored.uuids)) }
  }

  /// The name of a device without a name: its address with dashes.
  private static func nameless(_ address: BluetoothAddress) -> String {
    address.description.replacing(":", with: "-")
  }

  private func setName(_ name: String, of id: DeviceID) {
    guard let device = self[id] else { return }
    tree.set(device.path, BlueZInterfaces.device, "Name", .string(name))
    if !device.aliasIsOwn { tree.set(device.path, BlueZInterfaces.device, "Alias", .string(name)) }
    store(id)
  }

  /// An empty alias restores the name.
  func setAlias(_ alias: String, of id: DeviceID) {
    guard let device = self[id] else { return }
    self[id]?.aliasIsOwn = !alias.isEmpty
    let name = tree[device.path, BlueZInterfaces.device, "Name"]?.asString ?? Self.nameless(id.address)
    tree.set(device.path, BlueZInterfaces.device, "Alias", .string(alias.isEmpty ? name : alias))
    store(id)
  }

  /// Stores the data of a device, unless it is temporary.
  func store(_ id: DeviceID) {
    guard let device = self[id], !device.temporary else { return }
    storage[id.adapter, default: [:]][id.address] = StoredDevice(
      uuids: tree[device.path, BlueZInterfaces.device, "UUIDs"]?.asStrings ?? [],
      name: tree[device.path, BlueZInterfaces.device, "Name"]?.asString,
      alias: device.aliasIsOwn ? tree[device.path, BlueZInterfaces.device, "Alias"]?.asString : nil,
      hasBond: device.hasBond)
  }

  // MARK: Removal

  /// docs/internals/bluez.md, "Discovery": temporary devices are removed about 30 s after discovery has stopped,
  /// whenever they were last received, because a controller that reports each device once per scan reports
  /// nothing more of them. (Ends when the device is removed, becomes permanent, or is a new one.)
  func expire(_ id: DeviceID) async {
    while self[id]?.temporary == true {
      if adapters[id.adapter]?.sessions.active == true { keep(id) }
      guard let device = self[id], clock.now < device.expires else { return remove(id) }
      guard await pause(clock.now.duration(to: device.expires)) else { return }
    }
  }

  /// Extends the lifetime of a temporary device by 30 s.
  func keep(_ id: DeviceID) { self[id]?.expires = nextExpiry() }

  /// When a temporary device that is extended now will be removed.
  private func nextExpiry() -> MonotonicInstant {
    let life = world.scenario.radio.objectLifetime + random.duration(in: DaemonTiming.temporaryLifeExtra)
    return clock.now.advanced(by: life)
  }

  /// Removes the object, its attributes and its stored data.
  func remove(_ id: DeviceID) {
    guard let device = self[id] else { return }
    self[id] = nil
    storage[id.adapter]?[id.address] = nil
    tree.remove(device.path)
    emit()
  }

  /// `RemoveDevice`. It first ends the link, which takes as long as `Disconnect`. It cancels a pending
  /// `Connect`, whose caller gets no reply (docs/internals/bluez.md, "Connecting").
  func removeDevice(_ call: MethodCall, on adapter: BluetoothAddress) async throws(DBusError) {
    guard let path = call.body[0].asObjectPath, let id = deviceID(at: path), id.adapter == adapter else {
      throw BlueZFailure.doesNotExist
    }
    guard adapters[adapter]?.adapter.isPowered == true else { throw BlueZFailure.notReady }
    if self[id]?.temporary == false { await pause(random.duration(in: DaemonTiming.forgetting)) }
    if self[id]?.upLink != nil { await takeDownForGood(id) } else { remove(id) }
    // It throws if the adapter is gone; then there is nothing to forget.
    _ = try? await world.forget(id.address, on: id.adapter)
  }
}
