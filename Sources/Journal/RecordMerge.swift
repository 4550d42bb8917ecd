import Model

/// The records of one building from several laptops, joined: every run of each, once.
public struct RecordMerge: Sendable {
  /// Why records cannot be joined.
  public enum Refusal: Error, Hashable, Sendable {
    /// They are of several buildings.
    case severalBuildings([String])
    /// A run has different records in two places: one of them was tampered with.
    case differentRuns(run: String, String, String)
    /// Of a run not all is known.
    case faulty(BuildingArchive.Fault)
    /// A folder is not there.
    case noFolder(String)
    /// There is no run in a folder: it is no building's.
    case noRuns(String)
    /// Something on disk.
    case disk(JournalError)
  }

  /// All runs.
  public let archive: BuildingArchive
  /// The building's id.
  public let building: String
  /// Paths of folders beside the runs that are none.
  public let skipped: [String]

  private struct Source: Sendable {
    var journal: String
    var bytes: [UInt8]
  }

  /// The journal of each run, by run.
  private let sources: [String: Source]

  /// Joins the records in these folders, each a building's folder of a reports directory.
  /// - Throws: why they cannot be joined.
  public init(_ folders: [String]) throws(Refusal) {
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
          // A copy may have been taken while the run went on.
          if other.bytes.count >= source.bytes.count { continue }
        }
        sources[run.id] = source
        runs[run.id] = run
      }
    }
    let buildings = Set(runs.values.compactMap(\.building)).sorted()
    if buildings.count > 1 { throw .severalBuildings(buildings) }
    guard let building = buildings.first else { throw .noRuns(folders.first ?? "") }
    archive = BuildingArchive(runs: runs.sorted { $0.key < $1.key }.map(\.value))
    self.building = building
    self.skipped = skipped
    self.sources = sources
  }

  /// Puts the runs that are not there yet into a reports directory, journals byte for byte.
  /// - Returns: their directories, in the order in which they began.
  /// - Throws: what stands in the way; `differentRuns` where a run is there with another record.
  public func store(in reports: String) throws(Refusal) -> [RunDirectory] {
    var stored: [RunDirectory] = []
    for run in archive.runs {
      guard let source = sources[run.id] else { continue }
      do throws(JournalError) {
        let there = try RunDirectory.journalBytes(in: reports, building: building, run: run.id)
        if let there, there.starts(with: source.bytes) { continue }
        guard source.bytes.starts(with: there ?? []) else {
          throw JournalError(.create, source.journal, .exists)
        }
        // New, begun by a merge that was cut off, or of a copy that was taken while the run went on.
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
    // A run that was killed before it began says of no building that it was there.
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
