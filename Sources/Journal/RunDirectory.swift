import Glibc
package import Model

package enum RunSort: Hashable, Sendable {
  /// A run in the building itself.
  case real
  /// A run in a virtual building. It leaves no record, and no decision uses it.
  case rehearsal
}

/// The directory of a run: `<reports>/<building>/<run>/`, with `<reports>/<building>/latest` beside it. A
/// rehearsal has `<reports>/<building>/rehearsals/<run>/` and a `latest` of its own.
///
/// Directories have mode 0700, files 0600. `latest` moves when a run's reports are complete, so it always
/// leads to a complete set. A killed run is found by its id; it moves `latest` after `roboprov report` has
/// made its reports from its journal. On a file system without links `latest` is a text file with the run's
/// id.
package final class RunDirectory: Sendable {
  /// The name of the mark of the newest run; see `LatestMark`.
  package static let latest = LatestMark.name
  /// The folder of a building's rehearsals, beside its real runs.
  package static let rehearsals = "rehearsals"
  /// The JSON report. A run that has it also had a journal.
  package static let report = "report.json"
  /// The folder of the device logs.
  package static let devices = "devices"
  /// The free space that a run requires, in bytes. A run of 2,000 rooms with many retries writes about half
  /// of it.
  package static let spaceWanted: UInt64 = 16 << 20

  /// The path, beginning with the reports directory as given.
  package let path: String
  package let run: String
  package let sort: RunSort

  /// The folder of the building's runs, or of its rehearsals.
  private let parent: File
  private let directory: File

  private init(run: String, _ sort: RunSort, in parent: File, _ directory: File) {
    (self.run, self.sort, self.parent, self.directory) = (run, sort, parent, directory)
    path = directory.path
  }

  /// Creates the directory of a new run and tests that all files of the run can be written, before any device
  /// is touched.
  /// - Parameters:
  ///   - reports: The reports directory, created with its parents if needed.
  ///   - building: The building's id, `[a-z0-9-]+`.
  ///   - run: The run's id: letters, digits, `-`, `_` and inner dots. It must be new.
  ///   - sort: Whether the run is real or a rehearsal.
  ///   - spaceWanted: Required free space in bytes.
  package static func create(
    in reports: String, building: String, run: String, _ sort: RunSort = .real,
    spaceWanted: UInt64 = RunDirectory.spaceWanted
  ) throws(JournalError) -> RunDirectory {
    try checkRun(run)
    var parent = try makeBuilding(building, in: reports)
    if sort == .rehearsal {
      if try parent.createDirectory(rehearsals) { try parent.sync() }
      parent = try parent.directory(rehearsals)
    }
    guard try parent.createDirectory(run) else {
      throw JournalError(.createDirectory, parent.path + "/" + run, .exists)
    }
    let result = RunDirectory(run: run, sort, in: parent, try parent.directory(run))
    try result.prove(spaceWanted)
    try parent.sync()
    return result
  }

  /// Opens the directory of an existing run. Creates nothing.
  /// - Throws: `missing` when there is none, or another failure.
  package static func open(
    in reports: String, building: String, run: String, _ sort: RunSort = .real
  ) throws(JournalError) -> RunDirectory {
    try checkName(building)
    try checkRun(run)
    var parent = try File.directory(reports).directory(building)
    if sort == .rehearsal { parent = try parent.directory(rehearsals) }
    return RunDirectory(run: run, sort, in: parent, try parent.directory(run))
  }

  /// Opens the directory of an existing run, real or rehearsal; the real run takes precedence.
  /// - Throws: `missing` when there is neither, or another failure.
  package static func find(
    in reports: String, building: String, run: String
  ) throws(JournalError) -> RunDirectory {
    do throws(JournalError) {
      return try open(in: reports, building: building, run: run)
    } catch let error where error.cause == .missing {
      guard let rehearsal = try? open(in: reports, building: building, run: run, .rehearsal) else {
        throw error
      }
      return rehearsal
    }
  }

  /// The bytes of a run's journal; nil without the run or without its journal.
  /// - Throws: when the journal cannot be read.
  static func journalBytes(
    in reports: String, building: String, run: String
  ) throws(JournalError) -> [UInt8]? {
    do throws(JournalError) {
      return try File.reading("\(reports)/\(building)/\(run)/\(JournalWriter.fileName)").readAll()
    } catch  where error.cause == .missing {
      return nil
    }
  }

  /// Replaces this run's journal atomically with the bytes of a journal from another place.
  func adoptJournal(_ bytes: [UInt8]) throws(JournalError) {
    try Self.replace(JournalWriter.fileName, in: directory, with: bytes, synced: true)
    try directory.sync()
  }

  static func openOrCreate(
    in reports: String, building: String, run: String
  ) throws(JournalError) -> RunDirectory {
    do throws(JournalError) {
      return try create(in: reports, building: building, run: run)
    } catch  where error.cause == .exists {
      return try open(in: reports, building: building, run: run)
    }
  }

  package var journalPath: String { path + "/" + JournalWriter.fileName }

  /// Creates the journal.
  /// - Throws: `exists` when the run has one, or another failure.
  package func createJournal() throws(JournalError) -> JournalWriter {
    let file = try directory.create(JournalWriter.fileName)
    try directory.sync()
    return JournalWriter(file)
  }

  /// Reads the journal.
  /// - Parameter end: The end of the journal that its writer reports, if known. A difference is damage.
  /// - Throws: when the journal does not exist or cannot be read.
  package func readJournal(writtenTo end: JournalEnd? = nil) throws(JournalError) -> JournalRecord {
    try JournalReader.read(journalPath, writtenTo: end)
  }

  /// Writes a report, such as `report.json`, atomically. It replaces an older one.
  /// - Throws: the first failure; the older report is then unchanged.
  package func writeReport(_ name: String, _ text: String) throws(JournalError) {
    try Self.writeReport(name, text, in: directory)
  }

  static func writeReport(_ name: String, _ text: String, in directory: File) throws(JournalError) {
    try checkName(name)
    try replace(name, in: directory, with: Array(text.utf8), synced: true)
    try directory.sync()
  }

  /// Writes the device logs, each atomically but without a sync per file: syncing thousands of files takes
  /// too long, and after a power cut `roboprov report` makes them again.
  /// - Throws: the first failure.
  package func writeDeviceLogs(_ texts: some Sequence<(RoomID, String)>) throws(JournalError) {
    let logs = try logs()
    for (room, text) in texts {
      try Self.checkName(room.rawValue)
      try Self.replace(room.rawValue + ".log", in: logs, with: Array(text.utf8), synced: false)
    }
    try logs.sync()
  }

  /// Points `latest` to this run, atomically. Call it after the reports are written.
  /// - Throws: the first failure; `latest` is then unchanged.
  package func publish() throws(JournalError) {
    try LatestMark.place(run, in: parent)
  }

  /// The ids of a building's rehearsals, sorted.
  package static func rehearsalIDs(of building: String, in reports: String) throws(JournalError) -> [String] {
    try checkName(building)
    let folder = try File.directory(reports).directory(building).directory(rehearsals)
    return try folder.names().filter { isRunName($0) && folder.kind(of: $0) == S_IFDIR }
  }

  /// The ids of the buildings that have a folder, sorted.
  package static func buildings(in reports: String) throws(JournalError) -> [String] {
    let folder = try File.directory(reports)
    return try folder.names().filter { $0.isFileName && folder.kind(of: $0) == S_IFDIR }
  }

  /// The id of the real run that `latest` names; nil without `latest`.
  package static func latestRun(in reports: String, building: String) throws(JournalError) -> String? {
    try checkName(building)
    return try LatestMark.run(in: try File.directory(reports).directory(building))
  }

  /// Tests whether there is enough space, whether reports can be written and whether `latest` can be moved.
  /// Removes what the test creates.
  private func prove(_ spaceWanted: UInt64) throws(JournalError) {
    let free = try directory.freeSpace()
    guard free >= spaceWanted else {
      throw JournalError(.write, path, .littleSpace(free: free, wanted: spaceWanted))
    }
    for place in [directory, try logs()] {
      _ = try place.create(".probe")
      place.remove(".probe")
    }
    try LatestMark.prove(for: run, in: parent)
  }

  /// The directory of the device logs, created if needed.
  private func logs() throws(JournalError) -> File {
    _ = try directory.createDirectory(Self.devices)
    return try directory.directory(Self.devices)
  }

  static func replace(
    _ name: String, in directory: File, with bytes: [UInt8], synced: Bool
  ) throws(JournalError) {
    let temporary = "." + name + ".new"
    try directory.replace(name, through: temporary) { () throws(JournalError) in
      try directory.create(temporary, with: bytes, synced: synced)
    }
  }

  /// The directory of a building, created if needed.
  static func makeBuilding(_ building: String, in reports: String) throws(JournalError) -> File {
    try checkName(building)
    let top = try makeAll(reports)
    if try top.createDirectory(building) { try top.sync() }
    return try top.directory(building)
  }

  /// Creates a directory and its parents, and opens it.
  static func makeAll(_ path: String) throws(JournalError) -> File {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw JournalError(.createDirectory, path, .unsafeName)
    }
    var made = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: false) {
      made += part + "/"
      if mkdir(made, 0o700) != 0, errno != EEXIST {
        let code = errno
        // `mkdir` on an existing directory fails with another error than EEXIST where this user may not
        // create one (`/home`), or on a read-only disk.
        if access(made, F_OK) != 0 {
          throw JournalError(.createDirectory, String(made.dropLast()), errno: code)
        }
      }
    }
    return try File.directory(path)
  }

  private static func checkRun(_ run: String) throws(JournalError) {
    guard isRunName(run) else { throw JournalError(.create, run, .unsafeName) }
  }

  /// Whether a name can be a run's id.
  static func isRunName(_ name: String) -> Bool {
    name.isFileName && ![latest, rehearsals, SignedFolders.name].contains(name)
  }

  /// Ids become file names. Throws `unsafeName` for one that could leave its directory or be hidden.
  static func checkName(_ name: String) throws(JournalError) {
    guard name.isFileName else { throw JournalError(.create, name, .unsafeName) }
  }
}
