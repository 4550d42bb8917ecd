import Model

/// All runs of a building that a reports directory has on record, read from their journals.
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

  /// The runs, in the order in which they began.
  public var runs: [Run]

  /// Reads all journals of a building; none is passed over in silence. A building without any is none.
  /// - Throws: when the directory, or a journal in it, cannot be read. What is wrong *in* a journal is part of the
  ///   result.
  public static func read(in reports: String, building: String) throws(JournalError) -> BuildingArchive {
    var runs: [Run] = []
    for directory in try RunDirectory.all(in: reports, building: building) {
      // A run that was killed before it had a journal did nothing.
      guard let record = try directory.journalIfAny() else { continue }
      runs.append(Run(id: directory.run, journal: directory.journalPath, record: record))
    }
    return BuildingArchive(runs: runs)
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

  /// The building's present state.
  public func state(simulated: Bool) -> BuildingRecord {
    var state = BuildingRecord(simulated: simulated)
    for run in runs { state.apply(run.record.events) }
    return state
  }

  /// The journals in which something is wrong beyond a torn last line: what they had on record is not all known.
  public var damaged: [Run] { runs.filter { $0.record.damage != nil } }
}
