import Model

/// The union of the records of one building from several laptops: each run once.
package struct RecordMerge: Sendable {
  package enum Refusal: Error, Hashable, Sendable {
    /// The records belong to several buildings, with these ids.
    case severalBuildings([String])
    /// A run has two journals that contradict each other, at these paths: one of them was changed.
    case differentRuns(run: String, String, String)
    case faulty(BuildingArchive.Fault)
    case noFolder(String)
    /// A folder without the run of a building.
    case noRuns(String)
    case disk(JournalError)
  }

  package let archive: BuildingArchive
  /// The building's id.
  package let building: String
  /// Paths of folders beside the runs that are not runs.
  package let skipped: [String]

  private struct Source: Sendable {
    var journal: String
    var bytes: [UInt8]
  }

  /// The chosen journal of each run.
  private let sources: [String: Source]

  /// Reads and joins the records in these folders; each is a building's folder of a reports directory.
  package init(_ folders: [String]) throws(Refusal) {
    var sources: [String: Source] = [:]
    var runs: [String: BuildingArchive.Run] = [:]
    var skipped: [String] = []
    for folder in folders {
      let archive = try Self.read(folder)
      skipped += archive.skipped
      for run in archive.runs {
        let source = Source(journal: run.journal, bytes: try Self.bytes(run.journal))
        if let other = sources[run.id] {
          guard source.bytes.starts(with: other.bytes) || other.bytes.starts(with: source.bytes) else {
            throw .differentRuns(run: run.id, other.journal, run.journal)
          }
          // A copy may be a prefix, taken while the run was active. The longer journal counts.
          if other.bytes.count >= source.bytes.count { continue }
        }
        sources[run.id] = source
        runs[run.id] = run
      }
    }
    let buildings = Set(runs.values.compactMap(\.building)).sorted()
    // There is at least one: each folder has runs of a building.
    guard let building = buildings.first, buildings.count == 1 else { throw .severalBuildings(buildings) }
    var archive = BuildingArchive(runs: runs.sorted { $0.key < $1.key }.map(\.value))
    do throws(JournalError) {
      try archive.checkPredecessors(in: folders.first ?? "")
    } catch {
      throw .disk(error)
    }
    if let fault = archive.faults.first { throw .faulty(fault) }
    (self.archive, self.building, self.skipped, self.sources) = (archive, building, skipped, sources)
  }

  /// Copies the runs that are missing, or only there in part, into a reports directory, with journals byte
  /// for byte.
  /// - Returns: the directories of the copied runs, each after the runs that it knows.
  /// - Throws: `differentRuns` when the target has a contradicting journal of a run; `disk` for a failure.
  package func store(in reports: String) throws(Refusal) -> [RunDirectory] {
    var stored: [RunDirectory] = []
    for run in archive.runs {
      guard let source = sources[run.id] else { continue }
      do throws(JournalError) {
        let there = try RunDirectory.journalBytes(in: reports, building: building, run: run.id)
        if let there, there.starts(with: source.bytes) { continue }
        guard source.bytes.starts(with: there ?? []) else {
          throw JournalError(.create, source.journal, .exists)
        }
        // The run is new, or the target has a prefix from an interrupted merge or from a copy of an active
        // run.
        let directory = try RunDirectory.openOrCreate(in: reports, building: building, run: run.id)
        try directory.adoptJournal(source.bytes)
        stored.append(directory)
      } catch {
        if error.cause == .exists {
          throw .differentRuns(run: run.id, source.journal, "\(reports)/\(building)/\(run.id)")
        }
        throw .disk(error)
      }
    }
    return stored
  }

  private static func read(_ folder: String) throws(Refusal) -> BuildingArchive {
    let path = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    let archive: BuildingArchive
    do throws(JournalError) {
      archive = try BuildingArchive.read(folder: path)
    } catch {
      throw [.missing, .inTheWay].contains(error.cause) && error.path == path
        ? .noFolder(folder) : .disk(error)
    }
    if let fault = archive.faults.first { throw .faulty(fault) }
    // A run that was killed before its first event names no building.
    if !archive.runs.contains(where: { $0.building != nil }) { throw .noRuns(folder) }
    return archive
  }

  private static func bytes(_ journal: String) throws(Refusal) -> [UInt8] {
    do throws(JournalError) {
      return try File.reading(journal).readAll()
    } catch {
      throw .disk(error)
    }
  }
}
