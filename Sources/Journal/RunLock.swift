import Synchronization

/// A lock on a resource that only one run on this machine may use at a time. A run holds it from before its
/// first step to its end.
///
/// It is a `flock` on an open file. The kernel releases it when the process ends in any way, so the file of a
/// killed run blocks no other run. The file names the holder, for the message to a refused run. The last
/// reference to the handle releases the lock, so the run must keep the handle.
package final class RunLock: Sendable {
  package enum Subject: Hashable, Sendable {
    /// The record of a building, by its id.
    case building(String)
    /// An adapter of this machine, by its name.
    case adapter(String)
  }

  package let subject: Subject
  package let path: String
  /// Nil after the release.
  private let file: Mutex<File?>

  private init(_ subject: Subject, _ file: File) {
    self.subject = subject
    path = file.path
    self.file = Mutex(file)
  }

  deinit { release() }

  /// Releases the lock. A second call has no effect.
  package func release() {
    let held = file.withLock { file in
      defer { file = nil }
      return file
    }
    guard let held else { return }
    // The file is not removed: removing it could remove a file that the next run has just locked. An empty
    // file names no holder. A failure to empty it is harmless.
    held.truncate(to: 0)
    // Closing is not enough: a child process that is being started may have the descriptor for a moment too.
    held.unlock()
  }

  /// Locks the record of a building with `<reports>/<building>/.lock`. Creates the directories if needed.
  /// - Parameters:
  ///   - building: The building's id.
  ///   - reports: The reports directory.
  ///   - holder: The run that takes the lock.
  /// - Throws: `held` when another run holds the lock; `unusable` when the lock file cannot be used.
  package static func take(
    building: String, in reports: String, for holder: LockHolder
  ) throws(RunLockRefusal) -> RunLock {
    try take(.building(building), for: holder) { () throws(JournalError) in
      LockFile(
        directory: try RunDirectory.makeBuilding(building, in: reports), name: ".lock", belongsToAll: false)
    }
  }

  /// Locks an adapter of this machine for all users with `roboprov-<adapter>.lock`, in the first suitable
  /// directory of a list (`/run/lock`, `/tmp`).
  /// - Parameters:
  ///   - adapter: The adapter's name, such as `hci0`, made unique among hosts.
  ///   - directories: The candidates. A suitable directory lets every user create files and only the owner
  ///     remove them. A directory for some users only is skipped, also by those users, so that all users
  ///     choose the same one.
  ///   - holder: The run that takes the lock.
  /// - Throws: `held` when another run holds the lock; `unusable` when no lock file can be used.
  package static func take(
    adapter: String, in directories: [String], for holder: LockHolder
  ) throws(RunLockRefusal) -> RunLock {
    try take(.adapter(adapter), for: holder) { () throws(JournalError) in
      try RunDirectory.checkName(adapter)
      for path in directories {
        guard let directory = try? File.directory(path), directory.isSharedWithAllUsers else { continue }
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

package enum RunLockRefusal: Error, Hashable, Sendable {
  /// Another run holds the lock; the holder is nil when the file does not name it.
  case held(RunLock.Subject, path: String, by: LockHolder?)
  /// The lock file cannot be used.
  case unusable(JournalError)
}
