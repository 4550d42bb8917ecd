package import Model

/// All real runs of a building, read from the journals in a reports directory. Rehearsals are left out,
/// even those that earlier versions stored among the real runs.
package struct BuildingArchive: Sendable {
  package struct Run: Sendable {
    /// The name of the run's directory.
    package var id: String
    package var journal: String
    package var record: JournalRecord

    package init(id: String, journal: String, record: JournalRecord) {
      self.id = id
      self.journal = journal
      self.record = record
    }
  }

  /// A run whose record is incomplete or belongs to another building.
  package struct Fault: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
      /// The journal is damaged; the events after the damage are not known.
      case damaged(JournalDamage)
      /// The folder has reports but no journal: it was copied only in part.
      case noJournal
      /// The run belongs to another building, with this id.
      case otherBuilding(String)
    }

    /// The run's id: the name of its folder.
    package var run: String
    package var journal: String
    package var kind: Kind
  }

  /// In the order in which the runs began.
  package private(set) var runs: [Run]
  /// The defects of the record, by run. A run with a damaged journal is also in `runs`, with the events
  /// before the damage; other runs with a fault are not.
  package private(set) var faults: [Fault] = []
  /// Paths of folders that are not runs: the name is not a run id, or the folder has neither a journal nor
  /// reports. A run that was killed before it created its journal is among them; it did nothing.
  package private(set) var skipped: [String] = []

  /// Reads all journals of a building. A building without a folder has no runs.
  /// - Throws: when the directory or a journal cannot be read. Damage *in* a journal is part of the result.
  package static func read(in reports: String, building: String) throws(JournalError) -> BuildingArchive {
    try BuildingArchive(try BuildingListing(building, in: reports), of: building)
  }

  /// Reads all journals in a folder, whichever building they belong to.
  /// - Throws: as `read(in:building:)`; `missing` when the folder does not exist.
  static func read(folder: String) throws(JournalError) -> BuildingArchive {
    try BuildingArchive(try BuildingListing(try File.directory(folder)), of: nil)
  }

  /// Sorts the runs by the time of their first event, then by id.
  package init(runs: [Run]) {
    self.runs = runs.sorted { a, b in
      guard let first = a.record.events.first, let second = b.record.events.first else {
        return (a.record.events.count, a.id) < (b.record.events.count, b.id)
      }
      return (first.at, a.id) < (second.at, b.id)
    }
  }

  private init(_ listing: BuildingListing, of building: String?) throws(JournalError) {
    let records = try Parallel.map(listing.runs) { (entry) throws(JournalError) in
      try JournalReader.read(entry.journal)
    }
    let runs = zip(listing.runs, records).map { Run(id: $0.id, journal: $0.journal, record: $1) }
    self.init(runs: runs.filter { !$0.isRehearsal && !$0.isOfAnother(than: building) })
    faults = listing.faults + runs.compactMap { $0.fault(in: building) }
    skipped = listing.skipped
  }

  /// The name of the building in the newest run that has a `run_started`.
  package var buildingName: String? { runs.reversed().lazy.compactMap { $0.started?.buildingName }.first }

  /// The fold over all runs.
  package var state: BuildingRecord {
    var state = BuildingRecord()
    for run in runs { state.apply(run.record.events) }
    return state
  }
}

extension BuildingArchive.Run {
  /// The run's first event; nil when the run was killed before that event was written.
  package var started: RunStarted? {
    if case .runStarted(let fact)? = record.events.first?.fact { fact } else { nil }
  }

  /// The building's id.
  var building: String? { started?.building }

  /// Whether the run provisions rooms. Other runs only amend the record and have no reports.
  package var isProvisioning: Bool { started?.command == .apply }

  /// The fault of this run in the record of `building` (nil: any building). Nil without a fault, and for a
  /// rehearsal, because no decision uses a rehearsal.
  package func fault(in building: String?) -> BuildingArchive.Fault? {
    if isRehearsal { return nil }
    if isOfAnother(than: building), let own = self.building {
      return .init(run: id, journal: journal, kind: .otherBuilding(own))
    }
    return record.damage.map { .init(run: id, journal: journal, kind: .damaged($0)) }
  }

  fileprivate func isOfAnother(than building: String?) -> Bool {
    guard let building, let own = self.building else { return false }
    return own != building
  }

  /// Whether the run used a virtual building.
  var isRehearsal: Bool { started?.simulated ?? false }
}
