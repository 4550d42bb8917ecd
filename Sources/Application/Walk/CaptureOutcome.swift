package import Engine
package import Model
package import Reporting

/// The result of `capture`.
package struct CaptureOutcome: Sendable {
  /// Version of the JSON form.
  package static let schema = "roboprov/capture/1"

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

  package var json: JSONValue { Self.form.value(self) }

  static let form = OutputForm<CaptureOutcome>("capture", "The labels that were read.") {
    Field("schema", "Name and version of the format.", constant: schema)
    Field("building", "The building's stable id.") { $0.building.id }
    Field("simulated", "Whether it was a rehearsal, which saves nothing.") { $0.isRehearsal }
    Field("captured", "The rooms whose label was read, in the manifest's order.", each: row) { $0.rows }
    Field("missing", "The ids of the selected rooms whose label must still be read.") {
      $0.missing.map(\.room.id)
    }
  }

  private static let row = OutputForm<Row>("captured", "A room whose label was read.") {
    Field("room", "Its stable id.") { $0.capture.room }
    Field("label", "The address that the label shows; null if it shows a name.") {
      $0.capture.label.device.address
    }
    Field("address", "The room's address: that of the label, plus the accepted offset; null for a name.") {
      $0.capture.device.address
    }
    Field("device", "The name of the device that the label shows; null if it shows an address.") {
      $0.capture.device.name
    }
    Field("received", "Whether an advertisement of the device was received; null without a scan.") {
      $0.isReceived
    }
    Field("rssi", "RSSI in dBm; null when it was not received.") { $0.rssi }
  }
}
