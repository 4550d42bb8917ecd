public import Model

/// All real runs of a building that a reports directory has on record, read from their journals. Rehearsals are none,
/// wherever they lie: earlier versions left them among the runs.
public struct BuildingArchive: Sendable {
  /// One run's record.
  public struct Run: Sendable {
    /// Its id: the name of its directory.
    public var id: String
    /// Path of its journal.
    public var journal: String
    /// What it says.
    public var record: JournalRecord

    /// A run's record.
    public init(id: String, journal: String, record: JournalRecord) {
      self.id = id
      self.journal = journal
      self.record = record
    }
  }

  /// A run of which not all is known.
  public struct Fault: Hashable, Sendable {
    /// What is wrong.
    public enum Kind: Hashable, Sendable {
      /// Its journal is damaged: what it had on record after that is not known.
      case damaged(JournalDamage)
      /// Its folder has reports and no journal: it was not copied whole.
      case noJournal
      /// It is a run of another building, whose id this is.
      case otherBuilding(String)
    }

    /// The run's id: the name of its folder.
    public var run: String
    /// Path of its journal.
    public var journal: String
    /// What is wrong.
    public var kind: Kind
  }

  /// The runs, in the order in which they began.
  public private(set) var runs: [Run]
  /// What is wrong with the record, by run. A damaged journal is among the runs as well, as far as it can be trusted; the
  /// others are not.
  public private(set) var faults: [Fault] = []
  /// Paths of folders that are not runs: by their name, or because they have neither a journal nor reports. A run that was
  /// killed before it had a journal is one of these: it did nothing.
  public private(set) var skipped: [String] = []

  /// Reads all journals of a building; none is passed over in silence. A building without any is none.
  /// - Throws: when the directory, or a journal in it, cannot be read. What is wrong *in* a journal is part of the
  ///   result.
  public static func read(in reports: String, building: String) throws(JournalError) -> BuildingArchive {
    try BuildingArchive(try BuildingListing(building, in: reports), of: building)
  }

  /// Reads all journals in a folder, of whatever building.
  /// - Throws: as `read(in:building:)`; `missing` where there is no such folder.
  static func read(folder: String) throws(JournalError) -> BuildingArchive {
    try BuildingArchive(try BuildingListing(try File.directory(folder)), of: nil)
  }

  /// An archive of these runs.
  public init(runs: [Run]) {
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

  /// The building's name when it was last recorded.
  public var buildingName: String? { runs.reversed().lazy.compactMap { $0.started?.buildingName }.first }

  /// The building's present state.
  public var state: BuildingRecord {
    var state = BuildingRecord()
    for run in runs { state.apply(run.record.events) }
    return state
  }
}

extension BuildingArchive.Run {
  /// How it began; nil of one that was killed before that was on record.
  public var started: RunStarted? {
    if case .runStarted(let fact)? = record.events.first?.fact { fact } else { nil }
  }

  /// The building's id.
  var building: String? { started?.building }

  /// Whether it is a run that provisions: others are changes of the record, which have no reports.
  public var isProvisioning: Bool { started?.command == .apply }

  /// What is wrong with it as a run of this building (nil: of whatever building); nil where nothing is, and of a rehearsal:
  /// nothing is decided by it.
  public func fault(in building: String?) -> BuildingArchive.Fault? {
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

  /// Whether it worked in a virtual building.
  var isRehearsal: Bool { started?.simulated ?? false }
}
