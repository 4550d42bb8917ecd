import Engine
import Journal
import Model

/// A building as commands know it that only receive: its manifest and what is on record. Nothing is decided by it.
struct KnownBuilding: Sendable {
  let building: Building
  let standing: BuildingStanding
  let owners: DeviceOwners

  /// Reads the manifest and the record. A damaged record is told of, and what can be trusted of it is used.
  /// - Throws: `CommandFailure` when the manifest cannot be used, or the record cannot be read.
  static func load(_ manifest: String, reports: String) throws -> KnownBuilding {
    let building = try ManifestSource.load(manifest).building
    let record = try SiteRecord.read(building.id, in: reports, damagedToo: true)
    return KnownBuilding(building, record.archive.state.standing)
  }

  init(_ building: Building, _ standing: BuildingStanding = .init()) {
    self.building = building
    self.standing = standing
    owners = DeviceOwners(building, standing)
  }

  /// What a rehearsal is made from.
  var subject: Rehearsal.Subject { .init(building: building, known: Known(standing: standing)) }

  /// A ledger that recognises the families, and the beacons of the building's rooms.
  var ledger: AirLedger { Verification.ledger(for: building.rooms) }
}
