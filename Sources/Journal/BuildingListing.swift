import Glibc

/// What lies in a building's folder, before a journal is read.
public struct BuildingListing: Sendable {
  /// The folder of a run that has a journal.
  public struct Entry: Hashable, Sendable {
    /// The run's id: the name of its folder.
    public var id: String
    /// Path of its journal.
    public var journal: String
  }

  /// The runs that have a journal, sorted by id.
  public private(set) var runs: [Entry] = []
  /// Folders that have reports and no journal.
  public private(set) var faults: [BuildingArchive.Fault] = []
  /// Paths of folders that are not runs: by their name, or because they have neither a journal nor reports. A run that was
  /// killed before it had a journal is one of these: it did nothing.
  public private(set) var skipped: [String] = []

  /// Lists a building's folder. A building without one has no runs.
  /// - Throws: when the directory cannot be read.
  public init(_ building: String, in reports: String) throws(JournalError) {
    try RunDirectory.checkName(building)
    let folder: File
    do throws(JournalError) {
      folder = try File.directory(reports).directory(building)
    } catch  where error.cause == .missing {
      return
    }
    try list(folder)
  }

  /// Lists the folder of whatever building.
  init(_ folder: File) throws(JournalError) {
    try list(folder)
  }

  private mutating func list(_ folder: File) throws(JournalError) {
    for name in try folder.names() where folder.kind(of: name) == S_IFDIR && !name.hasPrefix(".") {
      if name == RunDirectory.latest || name == RunDirectory.rehearsals { continue }
      guard RunDirectory.isRunName(name) else {
        skipped.append(folder.path + "/" + name)
        continue
      }
      let directory = try folder.directory(name)
      let journal = directory.path + "/" + JournalWriter.fileName
      if directory.kind(of: JournalWriter.fileName) != nil {
        runs.append(Entry(id: name, journal: journal))
      } else if directory.kind(of: RunDirectory.report) != nil {
        faults.append(BuildingArchive.Fault(run: name, journal: journal, kind: .noJournal))
      } else {
        skipped.append(directory.path)
      }
    }
  }
}
