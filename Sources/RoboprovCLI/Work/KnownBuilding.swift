import Engine
import Journal
import Model

/// A building as commands know it that only receive: its manifest and what is on record. Nothing is decided by it.
struct KnownBuilding: Sendable {
  let building: Building
  let lastKnown: LastKnownBuilding
  let owners: DeviceOwners

  /// Reads the manifest and the record. A damaged record is told of, and what can be trusted of it is used.
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

  /// What a rehearsal is made from.
  var subject: Rehearsal.Subject { .init(building: building, known: Known(lastKnown: lastKnown)) }

  /// A ledger that recognises the families, and the beacons of the building's rooms.
  var ledger: AirLedger { Verification.ledger(for: building.rooms) }
}
