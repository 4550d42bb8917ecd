package import Bluetooth
package import Model
package import Reporting

/// `roboprov replace`, `retire` and `accept` with `--output json`: the change of the record.
package struct ChangeJSON {
  /// The raw values are names in JSON.
  package enum Kind: String {
    case replace
    case retire
    case accept
  }

  var kind: Kind
  var building: String
  var room: RoomID
  var name: String
  /// The id of the change in the record; nil if it was on record before.
  var run: String?
  /// The devices that the change took out of service, and whether each was silent.
  var released: [(address: BluetoothAddress, silent: Bool?)]
  /// The adapters that searched them; nil without a scan.
  var adapters: [AdapterScan]?
  var successor: BluetoothAddress?
  var isManifestChanged: Bool
  var reason: String?
  var by: String?

  package init(
    kind: Kind, building: String, room: RoomID, name: String, run: String? = nil,
    released: [(address: BluetoothAddress, silent: Bool?)] = [], adapters: [AdapterScan]? = nil,
    successor: BluetoothAddress? = nil,
    isManifestChanged: Bool = false, reason: String? = nil, by: String? = nil
  ) {
    (
      self.kind, self.building, self.room, self.name, self.run, self.released, self.adapters,
      self.successor, self.isManifestChanged, self.reason, self.by
    ) = (kind, building, room, name, run, released, adapters, successor, isManifestChanged, reason, by)
  }

  package var value: JSONValue {
    let devices = released.map { JSONValue.values(["address": $0.address, "silent": $0.silent]) }
    let scans = (adapters ?? []).map { AdapterScan.form.value($0) }
    return .values([
      "schema": "roboprov/change/1", "change": kind.rawValue, "building": building, "room": room,
      "name": name, "run": run, "released": devices, "adapters": scans, "successor": successor,
      "manifest_changed": isManifestChanged, "reason": reason, "by": by,
    ])
  }
}
