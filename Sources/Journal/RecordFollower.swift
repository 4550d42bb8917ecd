import Digest
import Glibc
package import Model

/// The record of a building while other processes add to it. It takes no lock, writes nothing, and reads again only what
/// has changed: of the run in progress, the lines that were added.
package struct RecordFollower: Sendable {
  private let building: String
  private let reports: String
  /// The folder when it was last examined; nil before that.
  private var seen: Folder?
  /// The run that is read on, from this place: the last one of the record, without an end.
  private var open: (run: BuildingListing.Entry, place: JournalPlace)?
  /// The runs that had events at any time, and those that have some now.
  private var known: Set<String> = []
  private var present: Set<String> = []

  /// What has happened since the last look.
  package enum Change: Sendable {
    /// Events of the last run, its id, and SHA-256 of its last line.
    case events([RunEvent], of: String, last: String)
    /// Anything else: the whole record.
    case record(BuildingArchive)
  }

  private struct Folder: Equatable {
    var runs: [BuildingListing.Entry]
    var faults: [BuildingArchive.Fault]
    var marks: [File.Mark?]
  }

  package init(_ building: String, in reports: String) {
    (self.building, self.reports) = (building, reports)
  }

  /// Reads what has changed; nil if nothing has.
  /// - Throws: when the folder or a journal cannot be read. The next look then reads everything.
  package mutating func look() throws(JournalError) -> Change? {
    let before = seen
    seen = nil
    let listing = try BuildingListing(building, in: reports)
    let folder = Folder(
      runs: listing.runs, faults: listing.faults, marks: listing.runs.map { File.mark($0.journal) })
    if folder == before {
      seen = before
      return nil
    }
    if let before, let added = try added(from: before, to: folder) {
      seen = folder
      return added
    }
    let archive = try BuildingArchive.read(in: reports, building: building, .outcomes)
    // The marks are older than the content: what was added meanwhile is read next time.
    seen = folder
    present = Set(archive.runs.filter { $0.started != nil }.map(\.id))
    known.formUnion(present)
    open = archive.runs.last.flatMap { run -> (run: BuildingListing.Entry, place: JournalPlace)? in
      // A damaged journal may be repaired in its place.
      guard run.started != nil, run.record.damage == nil, !run.record.hasEnded,
        let entry = folder.runs.first(where: { $0.id == run.id })
      else { return nil }
      return (entry, run.record.end)
    }
    return .record(archive)
  }

  /// The runs that had events and have none any more, sorted.
  package var lost: [String] { known.subtracting(present).sorted() }

  /// The events that were added to the open run; nil if anything else has changed, or if the run has ended: then its whole
  /// journal is verified once more. (A change within lines that were read before shows only then, or if nothing is added.)
  private mutating func added(from before: Folder, to folder: Folder) throws(JournalError) -> Change? {
    guard var open, before.runs == folder.runs, before.faults == folder.faults,
      let index = folder.runs.firstIndex(of: open.run)
    else { return nil }
    for other in folder.runs.indices where other != index && before.marks[other] != folder.marks[other] {
      return nil
    }
    guard let mark = folder.marks[index], mark.identity == before.marks[index]?.identity,
      mark.size > open.place.bytes
    else { return nil }
    // What was added since the mark is read next time.
    let bytes = try File.reading(open.run.journal).readAll(from: open.place.bytes)
    let added = JournalReader.read(Array(bytes.prefix(mark.size - open.place.bytes)), after: open.place)
    guard added.damage == nil, !added.hasEnded else { return nil }
    open.place = added.end
    self.open = open
    return .events(added.events, of: open.run.id, last: added.lastHash)
  }
}

extension File {
  /// What changes when a file is written or replaced.
  struct Mark: Hashable {
    var identity: Identity
    var size: Int
    /// Seconds and nanoseconds.
    var modified: [Int]
  }

  /// The mark of the file at a path; nil when there is none.
  static func mark(_ path: String) -> Mark? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Mark(
      identity: Identity(status), size: Int(status.st_size),
      modified: [status.st_mtim.tv_sec, status.st_mtim.tv_nsec])
  }
}

extension RunLock {
  /// The run that holds the lock of a building now, by the kernel's list of locks, so that no lock has to be tried: a run
  /// that begins at that moment would be refused. Nil if none does.
  package static func holder(ofBuilding building: String, in reports: String) -> LockHolder? {
    guard let file = try? File.reading("\(reports)/\(building)/.lock"),
      let holder = (try? file.beginning(LockHolder.longest)).flatMap({ LockHolder(line: $0) }),
      let number = file.identity?.number, let locks = try? File.reading("/proc/locks").readAll()
    else { return nil }
    // `3: FLOCK  ADVISORY  WRITE 4711 fd:01:1234567 0 EOF`. The device is left out: a file system such as btrfs gives stat(2)
    // another one.
    let isHeld = String(decoding: locks, as: UTF8.self).split(separator: "\n").contains { line in
      let words = line.split(separator: " ").dropFirst(4)
      return words.first == "\(holder.process)" && words.dropFirst().first?.hasSuffix(":\(number)") == true
    }
    return isHeld ? holder : nil
  }
}
