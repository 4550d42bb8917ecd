import Glibc
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
    try RunDirectory.checkName(building)
    let folder: File
    do throws(JournalError) {
      folder = try File.directory(reports).directory(building)
    } catch  where error.cause == .missing {
      return BuildingArchive(runs: [])
    }
    var archive = try BuildingArchive(folder)
    let others = archive.runs.filter { run in run.building.map { $0 != building } ?? false }
    archive.runs.removeAll { run in others.contains { $0.id == run.id } }
    archive.faults += others.map { run in
      Fault(run: run.id, journal: run.journal, kind: .otherBuilding(run.building ?? ""))
    }
    return archive
  }

  /// Reads all journals in a folder, of whatever building.
  /// - Throws: as `read(in:building:)`; `missing` where there is no such folder.
  static func read(folder: String) throws(JournalError) -> BuildingArchive {
    try BuildingArchive(try File.directory(folder))
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

  private init(_ folder: File) throws(JournalError) {
    var runs: [Run] = []
    var faults: [Fault] = []
    var skipped: [String] = []
    for name in try folder.names() where folder.kind(of: name) == S_IFDIR && !name.hasPrefix(".") {
      if name == RunDirectory.latest || name == RunDirectory.rehearsals { continue }
      guard RunDirectory.isRunName(name) else {
        skipped.append(folder.path + "/" + name)
        continue
      }
      let directory = try folder.directory(name)
      let journal = directory.path + "/" + JournalWriter.fileName
      guard directory.kind(of: JournalWriter.fileName) != nil else {
        if directory.kind(of: RunDirectory.report) != nil {
          faults.append(Fault(run: name, journal: journal, kind: .noJournal))
        } else {
          skipped.append(directory.path)
        }
        continue
      }
      let run = Run(id: name, journal: journal, record: try JournalReader.read(journal))
      if run.isRehearsal { continue }
      runs.append(run)
      if let damage = run.record.damage {
        faults.append(Fault(run: name, journal: journal, kind: .damaged(damage)))
      }
    }
    self.init(runs: runs)
    self.faults = faults
    self.skipped = skipped
  }

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

  /// Whether it worked in a virtual building.
  var isRehearsal: Bool { started?.simulated ?? false }
}
