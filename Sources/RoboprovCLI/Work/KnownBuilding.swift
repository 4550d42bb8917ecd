import Engine
import Journal
import Model

/// A building for commands that only receive: its manifest and its record. No decision depends on it.
struct KnownBuilding: Sendable {
  let building: Building
  let lastKnown: LastKnownBuilding
  let owners: DeviceOwners

  /// Reads the manifest and the record. A damaged record produces a warning, and its intact part is used.
  /// - Throws: `CommandFailure` when the manifest cannot be used, or the record cannot be read.
  static func load(_ manifest: String, reports: String) throws -> KnownBuilding {
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
  var subject: Rehearsal.Subject { .init(building: building, known: Known(lastKnown: lastKnown)) }

  /// A ledger that recognises the families, and the beacons of the building's rooms.
  var ledger: AirLedger { Verification.ledger(for: building.rooms, of: building.families) }
}
