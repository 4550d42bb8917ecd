import Bluetooth
import Engine
import Families
import Model
import Reporting

/// What a scan heard, for people and for programs.
struct ScanResult {
  /// Version of the JSON form.
  static let schema = "roboprov/scan/1"

  let adapter: Adapter
  /// Devices that can be provisioned, by address.
  let devices: [AirLedger.Sighting]
  /// When the scan ended.
  let at: MonotonicInstant

  var json: JSONValue { Self.form.value(self) }

  /// The JSON form, field by field.
  static let form = OutputForm<ScanResult>(
    "scan", "The devices that a scan received and that can be provisioned."
  ) {
    Field("schema", "Name and version of the format.", constant: schema)
    Field("adapter", "The adapter that scanned.", form: adapterForm) { $0.adapter }
    Field("devices", "The devices, by address.", each: deviceForm) { scan in
      scan.devices.map { ($0, scan.age($0)) }
    }
  }

  private static let adapterForm = OutputForm<Adapter>("adapter", "An adapter.") {
    Field("name", "What the host calls it: `hci0`.") { $0.name }
    Field("address", "Its Bluetooth address, which stays.") { $0.id }
  }

  private static let deviceForm = OutputForm<(device: AirLedger.Sighting, age: Duration?)>(
    "device", "A device."
  ) {
    Field("address", "Its address.") { $0.device.address }
    Field("name", "The name that it advertises; null without one.") { $0.device.name }
    Field("profile", "Its family; null when it was not recognised.") { $0.device.life?.profile }
    Field("state", "Whether it waits to be provisioned; null when it was not recognised.") {
      ($0.device.life?.recognition).map(DeviceState.init)
    }
    Field("beacon", "The beacon that it sends; null when it sends none.", optional: beaconForm) {
      $0.device.life?.recognition.beacon
    }
    Field("rssi", "RSSI in dBm.") { $0.device.rssi }
    Field("age_s", "Seconds from its last advertisement to the end of the scan.") { $0.age?.inSeconds }
  }

  private static let beaconForm = OutputForm<IBeacon>("beacon", "An iBeacon.") {
    Field("uuid", "Its uuid.") { $0.uuid }
    Field("major", "Its major.") { $0.major }
    Field("minor", "Its minor.") { $0.minor }
  }

  /// Who is there and in which life, the strongest first: most likely the nearest.
  var table: String {
    if devices.isEmpty { return Self.nothing }
    let nearest = devices.sorted { ($0.rssi ?? Int.min, $1.address) > ($1.rssi ?? Int.min, $0.address) }
    let rows = nearest.map { Self.cells($0, age: age($0)) }
    return Table.text(header: ["ADDRESS", "PROFILE", "RSSI", "AGE", "STATE"], rows: rows)
  }

  /// What a person is told who expected something.
  private static var nothing: String {
    let families = DeviceProfiles.all.map { "  \($0.title): \($0.words.makeItWait ?? "switch it on")\n" }
      .joined()
    return """
      No device was heard that can be provisioned. It should be within a few metres, and wait:
      \(families)
      """
  }

  /// One device, as it is told when it is heard for the first time.
  static func line(_ device: AirLedger.Sighting, at now: MonotonicInstant) -> String {
    cells(device, age: device.lastHeard.map { $0.duration(to: now) }).joined(separator: "  ")
  }

  private static func cells(_ device: AirLedger.Sighting, age: Duration?) -> [String] {
    let seconds = age.map { "\($0.components.seconds) s" }
    return [
      device.address.description, device.life?.profile.rawValue ?? "-",
      device.rssi.map { "\($0) dBm" } ?? "-", seconds ?? "-", device.life?.recognition.words ?? "-",
    ]
  }

  private func age(_ device: AirLedger.Sighting) -> Duration? {
    device.lastHeard.map { $0.duration(to: at) }
  }
}

/// Whether a device waits to be provisioned, for programs. The names are frozen.
enum DeviceState: String, CaseIterable {
  case waiting
  case present
  case atWork = "at_work"

  fileprivate init(_ recognition: Recognition) {
    self =
      switch recognition {
      case .awaitingProvisioning: .waiting
      case .present: .present
      case .configured: .atWork
      }
  }
}

extension DeviceState: OutputNames {
  static let definition = "device_state"
  static let about = "Whether a device waits to be provisioned."
  var documentation: String {
    switch self {
    case .waiting: "It waits to be provisioned."
    case .present: "It is there; its family does not tell on air whether it is provisioned."
    case .atWork: "It is provisioned, and sends its beacon."
    }
  }
}

extension Recognition {
  /// The beacon that it is, where it tells.
  fileprivate var beacon: IBeacon? {
    if case .configured(let beacon) = self { beacon } else { nil }
  }

  /// The same for people.
  fileprivate var words: String {
    switch self {
    case .awaitingProvisioning: "waits"
    case .present: "is there"
    case .configured(let beacon):
      "at work: uuid \(beacon.uuid), major \(beacon.major), minor \(beacon.minor)"
    }
  }
}
