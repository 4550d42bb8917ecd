package import Engine
import Journal
package import Model

/// A building for commands that only receive: its manifest and its record. No decision depends on it.
package struct KnownBuilding: Sendable {
  package let building: Building
  package let lastKnown: LastKnownBuilding
  package let owners: DeviceOwners

  /// Reads the manifest and the record. A damaged record produces a warning, and its intact part is used.
  /// - Throws: `CommandFailure` when the manifest cannot be used, or the record cannot be read.
  package static func load(_ manifest: String, reports: String) throws -> KnownBuilding {
    let building = try ManifestSource.load(manifest).building
    let record = try SiteRecord.read(building.id, in: reports, damagedToo: true)
    return KnownBuilding(building, record.archive.state.lastKnown)
  }

  init(_ building: Building, _ lastKnown: LastKnownBuilding = .init()) {
    self.building = building
    self.lastKnown = lastKnown
    owners = DeviceOwners(building, lastKnown)
  }

  /// The manifest and the record for a rehearsal.
  package var subject: Rehearsal.Subject { .init(building: building, known: Known(lastKnown: lastKnown)) }

  /// A ledger that recognises the families, and the beacons of the building's rooms.
  package var ledger: AirLedger { Verification.ledger(for: building.rooms, of: building.families) }
}
