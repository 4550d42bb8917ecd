import Glibc
public import Model

/// Whether a run counts for its building.
public enum RunSort: Hashable, Sendable {
  /// It worked in the building itself: its record is the building's.
  case real
  /// It worked in a virtual building, and leaves no record: nothing is decided by it.
  case rehearsal
}

/// Where a run leaves everything: `<reports>/<building>/<run>/`, with `<reports>/<building>/latest` beside it; a
/// rehearsal `<reports>/<building>/rehearsals/<run>/`, with a `latest` of its own beside it.
///
/// Directories that are made here are 0700, files 0600. `latest` is moved when a run's reports are whole, so
/// whoever follows it always finds all of them; a run that was killed is found by its id, and moves `latest`
/// once its reports were made again from its journal. Where the file system has no links, on a USB stick, `latest`
/// is a text with the run's id.
public final class RunDirectory: Sendable {
  /// The name of what leads to the newest run: a link, or a text with its id where there are no links.
  public static let latest = LatestMark.name
  /// Where the rehearsals of a building lie, beside its runs.
  public static let rehearsals = "rehearsals"
  /// The report for programs: a run that has it had a journal.
  public static let report = "report.json"
  /// Where the logs of the devices lie.
  public static let devices = "devices"
  /// Less free space than this is refused: a run of 2,000 rooms with all their retries writes about half.
  public static let spaceWanted: UInt64 = 16 << 20

  /// Its path, beginning with the reports directory as it was given.
  public let path: String
  /// The run's id.
  public let run: String
  /// Among which runs it lies.
  public let sort: RunSort

  /// The folder of the building's runs, or of its rehearsals.
  private let parent: File
  private let directory: File

  private init(run: String, _ sort: RunSort, in parent: File, _ directory: File) {
    self.run = run
    self.sort = sort
    self.parent = parent
    self.directory = directory
    path = directory.path
  }

  /// Makes the directory of a new run, and finds out whether it can be written to the end: before the first
  /// device is touched.
  /// - Parameters:
  ///   - reports: The reports directory; made when it is not there, with all that leads to it.
  ///   - building: The building's id, `[a-z0-9-]+`.
  ///   - run: The run's id; letters, digits, `-`, `_` and inner dots. It must be new.
  ///   - sort: Among which runs it lies.
  ///   - spaceWanted: How many bytes must be free.
  /// - Throws: what stands in the way.
  public static func create(
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

  /// Opens the directory of a run that was. Nothing is made there.
  /// - Throws: `missing`, or what stands in the way.
  public static func open(
    in reports: String, building: String, run: String, _ sort: RunSort = .real
  ) throws(JournalError) -> RunDirectory {
    try checkName(building)
    try checkRun(run)
    var parent = try File.directory(reports).directory(building)
    if sort == .rehearsal { parent = try parent.directory(rehearsals) }
    return RunDirectory(run: run, sort, in: parent, try parent.directory(run))
  }

  /// Opens the directory of a run that was, be it a real one or a rehearsal.
  /// - Throws: `missing`, or what stands in the way.
  public static func find(
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

  /// The bytes of a run's journal, or nil when there is no such run or it has none.
  /// - Throws: when it cannot be read.
  static func journalBytes(
    in reports: String, building: String, run: String
  ) throws(JournalError) -> [UInt8]? {
    do throws(JournalError) {
      return try File.reading("\(reports)/\(building)/\(run)/\(JournalWriter.fileName)").readAll()
    } catch  where error.cause == .missing {
      return nil
    }
  }

  /// Takes the bytes of another place's journal of this run for its own: whole or not at all.
  func adoptJournal(_ bytes: [UInt8]) throws(JournalError) {
    let temporary = "." + JournalWriter.fileName
    directory.remove(temporary)
    let file = try directory.create(temporary)
    try file.write(bytes)
    try file.sync()
    try directory.rename(temporary, to: JournalWriter.fileName)
    try directory.sync()
  }

  /// The directory of a run, be it there or not.
  static func openOrCreate(
    in reports: String, building: String, run: String
  ) throws(JournalError) -> RunDirectory {
    do throws(JournalError) {
      return try create(in: reports, building: building, run: run)
    } catch  where error.cause == .exists {
      return try open(in: reports, building: building, run: run)
    }
  }

  /// Path of its journal.
  public var journalPath: String { path + "/" + JournalWriter.fileName }

  /// Creates the journal; it must not be there yet.
  /// - Throws: `exists`, or what stands in the way.
  public func createJournal() throws(JournalError) -> JournalWriter {
    let file = try directory.create(JournalWriter.fileName)
    try directory.sync()
    return JournalWriter(file)
  }

  /// Reads the journal.
  /// - Parameter end: How far it was written, where its writer says so: what differs from that is damage.
  /// - Throws: when there is none or it cannot be read.
  public func readJournal(writtenTo end: JournalEnd? = nil) throws(JournalError) -> JournalRecord {
    try JournalReader.read(journalPath, writtenTo: end)
  }

  /// Writes a report, such as `report.json`: whole or not at all, replacing an older one.
  /// - Throws: what stands in the way; the older one is then untouched.
  public func writeReport(_ name: String, _ text: String) throws(JournalError) {
    try Self.checkName(name)
    try Self.replace(name, in: directory, with: text, synced: true)
    try directory.sync()
  }

  /// Writes the logs of devices. Each takes its name when it is whole, but none is waited for until it is on
  /// the disk: thousands would take their time, and after a power cut `roboprov report` makes them again.
  /// - Throws: what stands in the way of the first that could not be written.
  public func writeDeviceLogs(_ texts: some Sequence<(RoomID, String)>) throws(JournalError) {
    let logs = try logs()
    for (room, text) in texts {
      try Self.checkName(room.rawValue)
      try Self.replace(room.rawValue + ".log", in: logs, with: text, synced: false)
    }
    try logs.sync()
  }

  /// Makes `latest` point to this run, in one step. To be called when its reports are written.
  /// - Throws: what stands in the way; `latest` then points where it did.
  public func publish() throws(JournalError) {
    try LatestMark.place(run, in: parent)
  }

  /// The directory of the run that the `latest` beside this one leads to; nil where there is none.
  /// - Throws: what stands in the way.
  public func latest() throws(JournalError) -> RunDirectory? {
    guard let run = try LatestMark.run(in: parent), Self.isRunName(run) else { return nil }
    do throws(JournalError) {
      return RunDirectory(run: run, sort, in: parent, try parent.directory(run))
    } catch  where error.cause == .missing {
      // It was taken away.
      return nil
    }
  }

  /// The id of the real run that `latest` points to, or nil when there is none.
  public static func latestRun(in reports: String, building: String) throws(JournalError) -> String? {
    try checkName(building)
    return try LatestMark.run(in: try File.directory(reports).directory(building))
  }

  /// Finds out whether reports can be written and `latest` be moved, leaving no trace.
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

  /// The directory of the devices' logs, made when it is not there.
  private func logs() throws(JournalError) -> File {
    _ = try directory.createDirectory(Self.devices)
    return try directory.directory(Self.devices)
  }

  static func replace(_ name: String, in directory: File, with text: String, synced: Bool)
    throws(JournalError)
  {
    let temporary = "." + name + ".new"
    directory.remove(temporary)
    do throws(JournalError) {
      let file = try directory.create(temporary)
      try file.write(Array(text.utf8))
      if synced { try file.sync() }
      try directory.rename(temporary, to: name)
    } catch {
      directory.remove(temporary)
      throw error
    }
  }

  /// The directory of a building, made when it is not there.
  static func makeBuilding(_ building: String, in reports: String) throws(JournalError) -> File {
    try checkName(building)
    let top = try makeAll(reports)
    if try top.createDirectory(building) { try top.sync() }
    return try top.directory(building)
  }

  /// Makes a directory and all that leads to it.
  static func makeAll(_ path: String) throws(JournalError) -> File {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw JournalError(.createDirectory, path, .unsafeName)
    }
    var made = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: false) {
      made += part + "/"
      if part.isEmpty || part == "." || part == ".." { continue }
      if mkdir(made, 0o700) != 0, errno != EEXIST {
        let code = errno
        // A directory that is there may lie where this user may not make one (`/home`), or on a read-only disk.
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

  /// Whether a name may be a run's id.
  static func isRunName(_ name: String) -> Bool {
    isSafeName(name) && name != latest && name != rehearsals
  }

  /// Names become file names: nothing in one may lead elsewhere or hide.
  static func checkName(_ name: String) throws(JournalError) {
    guard isSafeName(name) else { throw JournalError(.create, name, .unsafeName) }
  }

  /// Whether a name may be a file's.
  static func isSafeName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 200 && name.utf8.first != UInt8(ascii: ".")
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }
}
