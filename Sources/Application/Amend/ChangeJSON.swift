package import Bluetooth
package import Model
package import Reporting

/// `roboprov replace`, `retire` and `accept` with `--output json`: the change of the record.
package enum ChangeJSON {
  package static let schema = "roboprov/change/1"

  /// The raw values are frozen.
  package enum Kind: String, OutputNames {
    case replace
    case retire
    case accept

    package static let definition = "change"
    package static let about = "A change of the record that a person makes."
    package var documentation: String {
      switch self {
      case .replace: "The room's device is out of service; the room gets another."
      case .retire: "The room is out of service, and its devices with it."
      case .accept: "The room is accepted as it is."
      }
    }
  }

  package struct Source {
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
  }

  package static let form = OutputForm<Source>("change_made", "A change of the record that a person made.") {
    Field("schema", "Name and version of the format.", constant: schema)
    Field("change", "What was changed.") { $0.kind }
    Field("building", "The building's stable id.") { $0.building }
    Field("room", "The room's stable id.") { $0.room }
    Field("name", "The room's name for people.") { $0.name }
    Field("run", "The id under which it is on record; null if it was on record before this command.") {
      $0.run
    }
    Field("released", "The devices that the change took out of service.", each: device) { $0.released }
    Field("adapters", "The adapters that scanned for them; empty without a scan.", each: AdapterScan.form) {
      $0.adapters ?? []
    }
    Field("successor", "The device that the room gets instead, of `replace --with`; else null.") {
      $0.successor
    }
    Field("manifest_changed", "Whether the successor's address was written into the manifest.") {
      $0.isManifestChanged
    }
    Field("reason", "The given reason; null without one.") { $0.reason }
    Field("by", "The person who accepted the room; else null.") { $0.by }
  }

  private static let device = OutputForm<(address: BluetoothAddress, silent: Bool?)>(
    "released_device", "A device that is out of service."
  ) {
    Field("address", "Its address.") { $0.address }
    Field("silent", "Whether a scan received nothing from it; null if none was made.") { $0.silent }
  }
}
