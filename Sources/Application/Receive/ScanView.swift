import Engine
import Bluetooth
import Model
import Reporting

// The text output of a scan.
extension ScanResult {
  /// The comparison with a delivery, or the table of devices.
  package var text: String { stock.map(deliveryText) ?? table }

  /// The table of devices. Without a manifest the strongest signal is first: most likely the nearest device.
  private var table: String {
    if devices.isEmpty { return Self.nothing }
    guard hasManifest else {
      let nearest = devices.sorted {
        ($0.sighting.strongest.rssi ?? Int.min, $1.sighting.address) > (
          $1.sighting.strongest.rssi ?? Int.min, $0.sighting.address
        )
      }
      return Table.text(
        header: header + names + ["STATE"], rows: nearest.map { $0.cells + name($0) + [$0.state] })
    }
    return Table.text(
      header: header + names + ["ROOM", "STATE"],
      rows: devices.map { $0.cells + name($0) + [$0.room, $0.state] })
  }

  /// The column of the names that devices advertise, if any does.
  private var names: [String] { devices.contains { $0.sighting.name != nil } ? ["NAME"] : [] }

  private func name(_ device: Device) -> [String] {
    names.isEmpty ? [] : [device.sighting.name?.visible ?? "-"]
  }

  private var header: [String] {
    ["ADDRESS", "PROFILE", "RSSI"] + (adapters.count > 1 ? ["ADAPTER"] : []) + ["AGE"]
  }

  /// Advice for a scan without a result.
  private static var nothing: String {
    let families = BuiltIn.families.all.map {
      "  \($0.title): \($0.words.makeItWait ?? "switch it on")\n"
    }
    .joined()
    return """
      No device was received that can be provisioned. Stand within a few metres of it, and:
      \(families)
      """
  }

  // MARK: A delivery

  private func deliveryText(_ stock: StockCheck) -> String {
    let received = stock.devices.filter { $0.last != nil }
    var text = "\(received.count) of \(stock.devices.count) devices of \(stock.file.visible) were received\n"
    if !received.isEmpty {
      text += Table.text(
        header: ["ADDRESS", "LINE", "PROFILE", "RSSI", "STATE"], rows: received.map(cells))
    }
    let missing = stock.missing
    guard !missing.isEmpty else { return text }
    text += "Not received:\n"
    text += Table.text(header: ["ADDRESS", "LINE"], rows: missing.map { ["\($0.address)", "\($0.line)"] })
    return text + """
      Check that each has power and is within 10 m, and scan again for longer: --scan-time 30.
      Compare its address with its label.

      """
  }

  private func cells(_ device: StockCheck.Device) -> [String] {
    let address = device.entry.address
    let sighting = recognised[address]
    return [
      address.description, "\(device.entry.line)", sighting?.life?.profile.rawValue ?? "-",
      device.last?.rssi.map { "\($0) dBm" } ?? "-", sighting?.life?.recognition.words ?? "not recognised",
    ]
  }
}

extension ScanResult.Device {
  /// One line, shown when the device is received for the first time.
  package var line: String {
    let name = [sighting.name?.visible].compactMap(\.self)
    return (cells + name + (owner == nil ? [] : [room]) + [state]).joined(separator: "  ")
  }

  fileprivate var cells: [String] {
    [
      sighting.address.description, sighting.life?.profile.rawValue ?? "-",
      sighting.strongest.rssi.map { "\($0) dBm" } ?? "-",
    ] + [adapter].compactMap(\.self) + [age.map { "\($0.components.seconds) s" } ?? "-"]
  }

  /// `Room 101 (manifest)`
  fileprivate var room: String { owner.map { "\($0.name) (\($0.basis.words))" } ?? "-" }

  fileprivate var state: String {
    sighting.life?.recognition.words ?? sighting.identity.map { Recognition.configured($0).words } ?? "-"
  }
}

extension DeviceOwners.Basis {
  var words: String {
    switch self {
    case .manifest: "manifest"
    case .record: "record"
    case .retired: "retired"
    case .identity: "by its beacon"
    }
  }
}

extension Recognition {
  fileprivate var words: String { words { ": \($0.description.visible)" } }
}
