import FoundationEssentials
import Glibc

/// A file that gets its name when it is complete. Until then it has another one in the same directory, and a lock (flock):
/// one without a lock is left over from a process that was killed, on whatever host.
package enum TemporaryFile {
  /// Creates one, and removes those that are left over in its directory.
  /// - Parameters:
  ///   - directory: A descriptor of the directory; `path` is its path.
  ///   - mode: Its permissions, less the umask.
  /// - Returns: Its descriptor, which holds the lock, below 0 with the reason in `errno`; and its present name.
  package static func create(
    for name: String, in directory: Int32, at path: String, mode: UInt32 = 0o600
  ) -> (descriptor: Int32, name: String) {
    create(for: name, in: directory, at: path, mode: mode) { flock($0, $1) }
  }

  /// - Parameter lock: Another way than the kernel's to lock a file, for tests.
  static func create(
    for name: String, in directory: Int32, at path: String, mode: UInt32 = 0o600,
    by lock: (_ descriptor: Int32, _ operation: Int32) -> Int32
  ) -> (descriptor: Int32, name: String) {
    removeAbandoned(in: path)
    for number in 1...100 {
      let temporary = ".\(name)\(mark)\(getpid())-\(number)"
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      let descriptor = openat(directory, temporary, flags, mode)
      if descriptor < 0 {
        if errno == EEXIST { continue }
        // A lost network may take minutes to refuse each name.
        break
      }
      // Without waiting: the other process may be stopped. On a file system without locks nothing is removed.
      let isLocked = lock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
      var status = stat()
      if isLocked, fstat(descriptor, &status) == 0, status.st_nlink > 0 { return (descriptor, temporary) }
      // Another process has locked it first, and removes it.
      close(descriptor)
    }
    return (-1, "")
  }

  /// Removes those that processes left in a directory which are no more. Other files stay, and what cannot be removed.
  package static func removeAbandoned(in path: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    for name in names where isTemporary(name) {
      let file = path + "/" + name
      let flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
      // It may already have the permissions of the file that it was to replace, which nobody may write.
      var descriptor = open(file, O_WRONLY | flags)
      if descriptor < 0 { descriptor = open(file, O_RDONLY | flags) }
      defer { close(descriptor) }
      var (status, now) = (stat(), stat())
      // By now the file may be complete, or another one may have its name.
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        flock(descriptor, LOCK_EX | LOCK_NB) == 0, lstat(file, &now) == 0,
        File.Identity(now) == File.Identity(status)
      else { continue }
      _ = unlink(file)
    }
  }

  private static let mark = ".roboprov-"

  private static func isTemporary(_ name: String) -> Bool {
    guard name.first == ".", let end = name.ranges(of: mark).last?.upperBound else { return false }
    let numbers = name[end...].split(separator: "-", omittingEmptySubsequences: false)
    return numbers.count == 2 && numbers.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isASCIIDigit) }
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
