package import Engine
package import Model
package import Reporting

/// The result of `capture`.
package struct CaptureOutcome: Sendable {
  /// A room whose label was read.
  package struct Row: Sendable {
    let capture: Walk.Assignment
    /// Whether its device was received; nil without a scan.
    let isReceived: Bool?
    let rssi: Int?
  }

  let building: Building
  let rows: [Row]
  /// The rooms that were asked for and whose label must still be read.
  package let missing: [Walk.Stop]
  /// A rehearsal saves nothing.
  let isRehearsal: Bool

  package init(_ walk: Walk, building: Building, air: AirLedger?, isRehearsal: Bool) {
    (self.building, self.isRehearsal) = (building, isRehearsal)
    rows = walk.captured.map { assignment in
      let sighting = air?[assignment.device]
      return Row(capture: assignment, isReceived: air.map { _ in sighting != nil }, rssi: sighting?.rssi)
    }
    missing = walk.missing
  }

  /// The text for the operator.
  package var text: String {
    var text = "\(rows.count.counted("label")) \(isRehearsal ? "read, none saved" : "saved").\n"
    let silent = rows.filter { $0.isReceived == false }.map(\.capture.name)
    if !silent.isEmpty { text += "Not received: \(Walk.list(silent))\n" }
    if !missing.isEmpty { text += "Without label: \(Walk.list(missing.map(\.name)))\n" }
    return text
  }

  package var json: JSONValue {
    .values([
      "schema": "roboprov/capture/1", "building": building.id, "simulated": isRehearsal,
      "captured": rows.map(\.json), "missing": missing.map(\.room.id),
    ])
  }
}

extension CaptureOutcome.Row {
  fileprivate var json: JSONValue {
    .values([
      "room": capture.room, "label": capture.label.device.address, "address": capture.device.address,
      "device": capture.device.name, "received": isReceived, "rssi": rssi,
    ])
  }
}
