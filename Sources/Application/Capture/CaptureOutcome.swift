package import Engine
package import Model
package import Reporting

/// The result of `capture`.
package struct CaptureOutcome: Sendable {
  /// A room whose label was read.
  package struct Row: Sendable {
    let capture: Capture.Assignment
    /// Whether its device was received; nil without a scan.
    let isReceived: Bool?
    let rssi: Int?
  }

  let building: Building
  let rows: [Row]
  /// The rooms that were asked for and whose label must still be read.
  package let missing: [Capture.Stop]
  package let wasInterrupted: Bool
  /// A rehearsal saves nothing.
  let isRehearsal: Bool

  package init(
    _ capture: Capture, building: Building, air: AirLedger?, wasInterrupted: Bool = false, isRehearsal: Bool
  ) {
    (self.building, self.isRehearsal) = (building, isRehearsal)
    rows = capture.captured.map { assignment in
      let sighting = air?[assignment.device]
      return Row(capture: assignment, isReceived: air.map { _ in sighting != nil }, rssi: sighting?.rssi)
    }
    missing = capture.missing
    self.wasInterrupted = wasInterrupted
  }

  /// The text for the operator.
  package var text: String {
    var text = "\(rows.count.counted("label")) \(isRehearsal ? "read, none saved" : "saved").\n"
    let silent = rows.filter { $0.isReceived == false }.map(\.capture.stop.name)
    if !silent.isEmpty { text += "Not received: \(Self.list(silent))\n" }
    if !missing.isEmpty { text += "Without label: \(Self.list(missing.map(\.name)))\n" }
    return text
  }

  private static func list(_ names: [String]) -> String {
    names.prefix(12).joined(separator: ", ") + (names.count > 12 ? " and \(names.count - 12) more" : "")
  }

  package var json: JSONValue {
    .values([
      "schema": "roboprov/capture/1", "building": building.id, "simulated": isRehearsal,
      "captured": rows.map(\.json), "missing": missing.map(\.room),
    ])
  }
}

extension CaptureOutcome.Row {
  fileprivate var json: JSONValue {
    .values([
      "room": capture.stop.room, "label": capture.label.device.address, "address": capture.device.address,
      "device": capture.device.name, "received": isReceived, "rssi": rssi,
    ])
  }
}
