import Glibc

/// What lock files need.
extension File {
  /// Which file it is, whatever its name.
  struct Identity: Hashable {
    var device: dev_t
    var number: ino_t
  }

  /// Opens a file of this directory for reading and writing. Never creates it: in a directory that belongs to
  /// everybody the kernel refuses that for another user's file (`fs.protected_regular`). A link is an error, and a
  /// pipe or a device holds nobody up.
  func updating(_ name: String) throws(JournalError) -> File {
    try Self.opened(.open, path + "/" + name) {
      openat(descriptor, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    }
  }

  /// Whether it is a file with content, no directory, pipe or device.
  var isPlain: Bool { status.map { $0.st_mode & S_IFMT == S_IFREG } ?? false }

  /// Whether every user may write here, and none take another's files away.
  var isEverybodys: Bool {
    let needed = S_ISVTX | S_IWOTH | S_IXOTH
    return status.map { $0.st_mode & needed == needed } ?? false
  }

  /// Which file it is.
  var identity: Identity? {
    status.map { Identity(device: $0.st_dev, number: $0.st_ino) }
  }

  /// Which file has a name in this directory, links not followed; nil for none.
  func identity(of name: String) -> Identity? {
    var status = stat()
    guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    return Identity(device: status.st_dev, number: status.st_ino)
  }

  private var status: stat? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : nil
  }

  /// Tries to lock it against all who do the same, until it is unlocked or closed; whether that worked.
  func lock() throws(JournalError) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      if errno != EINTR { throw JournalError(.lock, path, errno: errno) }
    }
    return true
  }

  /// Unlocks it, for every process that has it open by inheritance.
  func unlock() {
    _ = flock(descriptor, LOCK_UN)
  }

  /// Lets every user read and write it, whatever the umask says.
  func letAllReadAndWrite() throws(JournalError) {
    guard fchmod(descriptor, 0o666) == 0 else { throw JournalError(.create, path, errno: errno) }
  }

  /// The first bytes that are in it, at most so many.
  func beginning(_ count: Int) throws(JournalError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    while true {
      let found = pread(descriptor, &bytes, count, 0)
      if found >= 0 { return Array(bytes[..<found]) }
      if errno != EINTR { throw JournalError(.read, path, errno: errno) }
    }
  }

  /// Puts a line in place of what is in it, or nothing where the disk is full. Whoever reads it meanwhile finds the
  /// whole of it, or what was there: it is written in one call, and what is left of a longer one is cut off
  /// afterwards.
  func replaceContent(with line: [UInt8]) {
    let isWritten = pwrite(descriptor, line, line.count, 0) == line.count
    _ = truncate(to: isWritten ? line.count : 0)
  }
}
