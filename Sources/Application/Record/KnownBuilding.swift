package import Engine
import Journal
package import Model

/// A building, and what is known of it.
package struct KnownBuilding: Sendable {
  package let building: Building
  let known: Known

  package init(_ building: Building, _ known: Known = Known()) {
    (self.building, self.known) = (building, known)
  }

  /// Reads the manifest and the record, for commands that only receive: no decision depends on them. A damaged
  /// record produces a warning, and its intact part is used.
  /// - Throws: `CommandFailure` when the manifest cannot be used, or the record cannot be read.
  package static func load(_ manifest: String, reports: String) throws -> KnownBuilding {
    let building = try ManifestSource.load(manifest).building
    let archive = try BuildingArchive.load(building.id, in: reports, .outcomes, damagedToo: true)
    return KnownBuilding(building, Known(lastKnown: archive.state.lastKnown))
  }

  var lastKnown: LastKnownBuilding { known.lastKnown }

  /// The rooms of devices.
  package var owners: DeviceOwners { DeviceOwners(building, known.lastKnown) }

  /// A ledger that recognises the families, and the beacons of the building's rooms.
  package var ledger: AirLedger { Verification.ledger(for: building.rooms, of: building.families) }
}
