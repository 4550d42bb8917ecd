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

  var json: JSONValue {
    .object([
      "schema": .string(Self.schema),
      "adapter": .object(["name": .string(adapter.name), "address": .string(adapter.id.description)]),
      "devices": .array(
        devices.map { device in
          .object([
            "address": .string(device.address.description),
            "name": .optional(device.name),
            "profile": .optional(device.life?.profile.rawValue),
            "state": .optional(device.life?.recognition.name),
            "beacon": device.life?.recognition.beacon.map(Self.json) ?? .null,
            "rssi": .optional(device.rssi),
            "age_s": .optional(age(device)?.inSeconds),
          ])
        }),
    ])
  }

  private static func json(_ beacon: IBeacon) -> JSONValue {
    .object([
      "uuid": .string(beacon.uuid.description), "major": .integer(Int(beacon.major)),
      "minor": .integer(Int(beacon.minor)),
    ])
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

extension Recognition {
  /// Its name for programs. Frozen.
  fileprivate var name: String {
    switch self {
    case .awaitingProvisioning: "waiting"
    case .present: "present"
    case .configured: "at_work"
    }
  }

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
