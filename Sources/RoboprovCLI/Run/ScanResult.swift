import Bluetooth
import Provisioning
import Reporting

/// What a scan heard, for people and for programs.
struct ScanResult {
  /// Version of the JSON form.
  static let schema = "roboprov/scan/1"

  let adapter: Adapter
  /// Devices that wait to be provisioned, by address.
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
            "rssi": .optional(device.rssi),
            "age_s": .optional(age(device)?.inSeconds),
          ])
        }),
    ])
  }

  /// Address, name, RSSI and age, the strongest first: most likely the nearest.
  var table: String {
    if devices.isEmpty {
      return """
        No sensor waits to be provisioned.
        Its LED must pulse white (provisioning mode), and it should be within a few metres.

        """
    }
    let nearest = devices.sorted { ($0.rssi ?? Int.min, $1.address) > ($1.rssi ?? Int.min, $0.address) }
    let rows = nearest.map { Self.cells($0, age: age($0)) }
    return Table.text(header: ["ADDRESS", "NAME", "RSSI", "AGE"], rows: rows)
  }

  /// One device, as it is told when it is heard for the first time.
  static func line(_ device: AirLedger.Sighting, at now: MonotonicInstant) -> String {
    cells(device, age: device.lastHeard.map { $0.duration(to: now) }).joined(separator: "  ")
  }

  private static func cells(_ device: AirLedger.Sighting, age: Duration?) -> [String] {
    let seconds = age.map { "\($0.components.seconds) s" }
    return [
      device.address.description, (device.name ?? "").visible, device.rssi.map { "\($0) dBm" } ?? "-",
      seconds ?? "-",
    ]
  }

  private func age(_ device: AirLedger.Sighting) -> Duration? {
    device.lastHeard.map { $0.duration(to: at) }
  }
}
