package import Bluetooth
package import Engine
package import Model
package import Reporting

/// The result of a scan, as text and JSON.
package struct ScanResult {
  /// Version of the JSON form.
  package static let schema = "roboprov/scan/1"

  /// The adapters that scanned.
  let adapters: [AdapterScan]
  /// The list without a manifest: the devices that can be provisioned, by address. With a manifest: all
  /// devices of known families, first those without a room.
  let devices: [Device]
  /// The comparison with a delivery; nil without `--expect`.
  package let stock: StockCheck?
  /// The end of the scan.
  let at: MonotonicInstant

  /// A device that was received, and the room it belongs to.
  package struct Device {
    let sighting: AirLedger.Sighting
    let owner: DeviceOwners.Owner?
    /// The name of the adapter that received it most strongly, where several scan.
    var adapter: String?
    /// The time since its last advertisement.
    let age: Duration?
  }

  /// - Parameter owners: The rooms of devices; nil without a manifest.
  package init(
    _ adapters: [AdapterScan], _ air: AirLedger, owners: DeviceOwners?, stock: StockCheck? = nil,
    at now: MonotonicInstant
  ) {
    self.adapters = adapters
    self.stock = stock
    at = now
    let sightings = owners.map { $0.sorted(air.all) } ?? air.writable
    devices = sightings.map { sighting in
      var device = Device(sighting, owners, at: now)
      if adapters.count > 1 {
        device.adapter = adapters.first { $0.adapter == sighting.strongest.adapter }?.name
      }
      return device
    }
    hasManifest = owners != nil
    let delivered = Set(stock?.devices.map(\.entry.address) ?? [])
    recognised = Dictionary(
      uniqueKeysWithValues: air.all.filter { delivered.contains($0.address) }.map { ($0.address, $0) })
  }

  let hasManifest: Bool
  /// The received devices of the delivery that belong to a known family.
  let recognised: [BluetoothAddress: AirLedger.Sighting]
}

extension ScanResult.Device {
  package init(_ sighting: AirLedger.Sighting, _ owners: DeviceOwners?, at now: MonotonicInstant) {
    self.sighting = sighting
    owner = owners?.owner(of: sighting)
    age = sighting.lastReceived.map { $0.duration(to: now) }
  }
}

// MARK: For programs

extension ScanResult {
  package var json: JSONValue { Self.form.value(self) }

  static let form = OutputForm<ScanResult>("scan", "The devices that a scan received.") {
    Field("schema", "Name and version of the format.", constant: schema)
    Field("adapter", "The first adapter that scanned.", form: adapterForm) { $0.adapters[0] }
    Field("adapters", "All adapters that scanned.", each: AdapterScan.form) { $0.adapters }
    Field(
      "devices",
      "The devices: without a manifest those that can be provisioned, by address; with a manifest all of known families, those of no room first.",
      each: deviceForm
    ) { $0.devices }
    Field("expected", "The delivery of `--expect`; null without it.", optional: expectedForm) { scan in
      scan.stock.map { (scan, $0) }
    }
  }

  private static let adapterForm = OutputForm<AdapterScan>("adapter", "An adapter.") {
    Field("name", "Its name on the host: `hci0`.") { $0.name }
    Field("address", "Its Bluetooth address, which does not change.") { $0.adapter }
  }

  private static let deviceForm = OutputForm<Device>("device", "A device.") {
    Field("address", "Its address.") { $0.sighting.address }
    Field("name", "The name that it advertises; null without one.") { $0.sighting.name }
    Field("profile", "Its family; null when it was not recognised.") { $0.sighting.life?.profile }
    Field("state", "Whether it waits to be provisioned; null when it was not recognised.") {
      ($0.sighting.life?.recognition).map(DeviceState.init)
    }
    Field("identity", "The identity that it sends at work; null when it sends none.") {
      $0.sighting.identityAtWork
    }
    Field("adapter", "The adapter that received it most strongly.") { $0.sighting.strongest.adapter }
    Field("rssi", "RSSI in dBm on that adapter.") { $0.sighting.strongest.rssi }
    Field("age_s", "Seconds from its last advertisement to the end of the scan.") { $0.age?.inSeconds }
    Field("room", "The room that it belongs to; null if it belongs to none, or without a manifest.") {
      $0.owner?.room
    }
    Field("room_name", "The name of that room.") { $0.owner?.name }
    Field("room_basis", "The reason why it belongs to that room.") { $0.owner?.basis }
  }

  private static let expectedForm = OutputForm<(ScanResult, StockCheck)>(
    "expected", "A delivery, compared with what was received."
  ) {
    Field("received", "How many of its devices were received.") { $1.devices.count - $1.missing.count }
    Field("missing", "How many were not.") { $1.missing.count }
    Field("devices", "Its devices, in the order of the table.", each: expectedDevice) { scan, stock in
      stock.devices.map { (scan, $0) }
    }
  }

  private static let expectedDevice = OutputForm<(scan: ScanResult, device: StockCheck.Device)>(
    "expected_device", "A device of a delivery."
  ) {
    Field("address", "Its address.") { $0.device.entry.address }
    Field("line", "The line of the table that lists it.") { $0.device.entry.line }
    Field("received", "Whether it was received.") { $0.device.last != nil }
    Field("profile", "Its family; null when it was not received, or not recognised.") {
      $0.scan.recognised[$0.device.entry.address]?.life?.profile
    }
    Field("state", "Whether it waits to be provisioned; null if unknown.") {
      ($0.scan.recognised[$0.device.entry.address]?.life?.recognition).map(DeviceState.init)
    }
    Field("rssi", "RSSI of its last advertisement in dBm.") { $0.device.last?.rssi }
  }
}

/// Whether a device waits to be provisioned. The raw values are frozen.
package enum DeviceState: String, CaseIterable {
  case waiting
  case locked
  case present
  case atWork = "at_work"

  init(_ recognition: Recognition) {
    self =
      switch recognition {
      case .awaitingProvisioning: .waiting
      case .locked: .locked
      case .joining, .present: .present
      case .configured: .atWork
      }
  }
}

extension DeviceState: OutputNames {
  package static let definition = "device_state"
  package static let about = "Whether a device waits to be provisioned."
  package var documentation: String {
    switch self {
    case .waiting: "It waits to be provisioned."
    case .locked: "A person must press its button before it accepts settings."
    case .present: "It is on air; its family does not show on air whether it is provisioned."
    case .atWork: "It is provisioned."
    }
  }
}

extension DeviceOwners.Basis: OutputNames {
  package static let definition = "room_basis"
  package static let about = "The reason why a device belongs to a room."
  package var documentation: String {
    switch self {
    case .manifest: "The manifest has its address for the room."
    case .record: "An earlier run gave it to the room."
    case .retired: "It was the room's device, and is out of service."
    case .identity: "It sends the beacon of the room. A neighbour's device may do that, too."
    }
  }
}
