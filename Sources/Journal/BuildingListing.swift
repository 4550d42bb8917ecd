import Glibc

/// The content of a building's folder, without reading a journal.
package struct BuildingListing: Sendable {
  /// The folder of a run that has a journal.
  package struct Entry: Hashable, Sendable {
    /// The name of the run's folder.
    package var id: String
    package var journal: String
    /// Whether the run's report was written: then its journal has events.
    package var hasReport: Bool
  }

  /// The runs that have a journal, sorted by id.
  package private(set) var runs: [Entry] = []
  /// The folders that have reports but no journal.
  package private(set) var faults: [BuildingArchive.Fault] = []
  /// Paths of folders that are not runs: the name is not a run id, or the folder has neither a journal nor
  /// reports. A run that was killed before it created its journal is among them; it did nothing.
  package private(set) var skipped: [String] = []

  /// Lists a building's folder. A building without a folder has no runs.
  /// - Throws: when the directory cannot be read.
  package init(_ building: String, in reports: String) throws(JournalError) {
    try RunDirectory.checkName(building)
    let folder: File
    do throws(JournalError) {
      folder = try File.directory(reports).directory(building)
    } catch  where error.cause == .missing {
      return
    }
    try list(folder)
  }

  /// Lists a folder, whichever building it belongs to.
  init(_ folder: File) throws(JournalError) {
    try list(folder)
  }

  private mutating func list(_ folder: File) throws(JournalError) {
    for name in try folder.names() where folder.kind(of: name) == S_IFDIR && !name.hasPrefix(".") {
      if [RunDirectory.latest, RunDirectory.rehearsals, SignedFolders.name].contains(name) { continue }
      guard RunDirectory.isRunName(name) else {
        skipped.append(folder.path + "/" + name)
        continue
      }
      let directory = try folder.directory(name)
      let journal = directory.path + "/" + JournalWriter.fileName
      let hasReport = directory.kind(of: RunDirectory.report) != nil
      if directory.kind(of: JournalWriter.fileName) != nil {
        runs.append(Entry(id: name, journal: journal, hasReport: hasReport))
      } else if hasReport {
        faults.append(BuildingArchive.Fault(run: name, journal: journal, kind: .noJournal))
      } else {
        skipped.append(directory.path)
      }
    }
  }
}
