import Synchronization

/// What only one run at a time may have, on this machine: held from before its first step to its end.
///
/// The kernel holds it for the open file (`flock`) and lets go of it when the process ends, however it ends: a file
/// that a killed run left behind refuses nobody. In the file stands who holds it, for whoever is refused. Whoever
/// has a handle must keep it: the last reference to it releases the lock.
public final class RunLock: Sendable {
  /// What is locked.
  public enum Subject: Hashable, Sendable {
    /// The record of a building, by its id.
    case building(String)
    /// An adapter of this machine, by its name.
    case adapter(String)
  }

  /// What is locked.
  public let subject: Subject
  /// The lock file.
  public let path: String
  /// Nil when it is released.
  private let file: Mutex<File?>

  private init(_ subject: Subject, _ file: File) {
    self.subject = subject
    path = file.path
    self.file = Mutex(file)
  }

  deinit { release() }

  /// Lets go of it, for the next run. Doing so twice does nothing.
  public func release() {
    let held = file.withLock { file in
      defer { file = nil }
      return file
    }
    guard let held else { return }
    // The file stays: whoever removed it could remove the one that the next run has just locked. Empty, it names
    // nobody; that it could not be emptied changes nothing.
    _ = held.truncate(to: 0)
    // Closing would do, but for a child process that was begun this instant and has the file for a moment too.
    held.unlock()
  }

  /// Takes the record of a building, for one run: `<reports>/<building>/.lock`. Directories are made.
  /// - Parameters:
  ///   - building: The building's id.
  ///   - reports: The reports directory.
  ///   - holder: Who takes it.
  /// - Throws: `held` by whom; `unusable` when no lock can be had there.
  public static func take(
    building: String, in reports: String, for holder: LockHolder
  ) throws(RunLockRefusal) -> RunLock {
    try take(.building(building), for: holder) { () throws(JournalError) in
      LockFile(
        directory: try RunDirectory.makeBuilding(building, in: reports), name: ".lock", belongsToAll: false)
    }
  }

  /// Takes an adapter of this machine, among all its users: `roboprov-<adapter>.lock` in the first of some
  /// directories that belong to everybody (`/run/lock`, `/tmp`).
  /// - Parameters:
  ///   - adapter: Its name, such as `hci0`, with whatever tells it from one of the same name elsewhere.
  ///   - directories: Where to look for one that everybody may write to, while nobody may take away another's
  ///     files. Every user must come to the same one, so one that is for some users only is passed over, also by
  ///     those.
  ///   - holder: Who takes it.
  /// - Throws: `held` by whom; `unusable` when no lock can be had.
  public static func take(
    adapter: String, in directories: [String], for holder: LockHolder
  ) throws(RunLockRefusal) -> RunLock {
    try take(.adapter(adapter), for: holder) { () throws(JournalError) in
      try RunDirectory.checkName(adapter)
      for path in directories {
        guard let directory = try? File.directory(path), directory.isEverybodys else { continue }
        return LockFile(directory: directory, name: "roboprov-\(adapter).lock", belongsToAll: true)
      }
      throw JournalError(.open, directories.joined(separator: ", "), .missing)
    }
  }

  private static func take(
    _ subject: Subject, for holder: LockHolder, _ place: () throws(JournalError) -> LockFile
  ) throws(RunLockRefusal) -> RunLock {
    let taking: LockFile.Taking
    do throws(JournalError) {
      try RunDirectory.checkName(holder.run)
      taking = try place().take(for: holder)
    } catch {
      throw .unusable(error)
    }
    switch taking {
    case .taken(let file): return RunLock(subject, file)
    case .held(let file, let other): throw .held(subject, path: file.path, by: other)
    }
  }
}

/// Why a lock was not to be had.
public enum RunLockRefusal: Error, Hashable, Sendable {
  /// Another run has it: which, as far as it says so.
  case held(RunLock.Subject, path: String, by: LockHolder?)
  /// No lock can be had there.
  case unusable(JournalError)
}
