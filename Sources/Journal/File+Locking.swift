import Glibc

/// The operations that lock files need.
extension File {
  /// Identifies a file independently of its name.
  struct Identity: Hashable {
    var device: dev_t
    var number: ino_t

    init(_ status: stat) { (device, number) = (status.st_dev, status.st_ino) }
  }

  /// Opens a file of this directory for reading and writing. It never creates the file: in a directory that
  /// every user may write to, the kernel refuses `O_CREAT` on another user's file (`fs.protected_regular`). A
  /// symbolic link is an error. A pipe or a device does not block.
  func updating(_ name: String) throws(JournalError) -> File {
    try Self.opened(.open, path + "/" + name) {
      openat(descriptor, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    }
  }

  /// Whether it is a regular file.
  var isPlain: Bool { status.map { $0.st_mode & S_IFMT } == S_IFREG }

  /// Whether every user may create files in this directory and only a file's owner may remove it.
  var isSharedWithAllUsers: Bool {
    let needed = S_ISVTX | S_IWOTH | S_IXOTH
    return status.map { $0.st_mode & needed } == needed
  }

  var identity: Identity? { status.map { Identity($0) } }

  /// The file with this name in this directory, without following links; nil when there is none.
  func identity(of name: String) -> Identity? { status(of: name).map { Identity($0) } }

  /// The status of an entry, without following links; nil when there is none.
  func status(of name: String) -> stat? {
    var status = stat()
    return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  var status: stat? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : nil
  }

  /// Takes an exclusive `flock` without waiting, held until `unlock()` or until the last descriptor is
  /// closed.
  /// - Returns: false when another open file holds the lock.
  func lock() throws(JournalError) -> Bool {
    if Self.retried({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 { return true }
    if errno == EWOULDBLOCK { return false }
    throw JournalError(.lock, path, errno: errno)
  }

  /// Unlocks the open file, also for a child process that inherited the descriptor.
  func unlock() {
    _ = flock(descriptor, LOCK_UN)
  }

  /// Sets the mode to 0666, independently of the umask.
  func letAllReadAndWrite() throws(JournalError) {
    guard fchmod(descriptor, 0o666) == 0 else { throw JournalError(.create, path, errno: errno) }
  }

  /// Returns at most `count` bytes from the start of the file.
  func beginning(_ count: Int) throws(JournalError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let found = Self.retried { pread(descriptor, &bytes, count, 0) }
    guard found >= 0 else { throw JournalError(.read, path, errno: errno) }
    return Array(bytes[..<found])
  }

  /// Replaces the content with a line, or with nothing when the disk is full. A concurrent reader finds the
  /// first line whole, old or new: one `pwrite` writes the line, and the rest of a longer old line is cut off
  /// afterwards.
  func replaceContent(with line: [UInt8]) {
    let isWritten = pwrite(descriptor, line, line.count, 0) == line.count
    truncate(to: isWritten ? line.count : 0)
  }
}
