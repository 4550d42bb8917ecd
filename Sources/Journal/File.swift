import FoundationEssentials
import Glibc

/// An open file or directory, closed when nobody holds it any more. Everything in a directory is reached
/// through its descriptor, so that nobody can swap a part of the path under us.
final class File: Sendable {
  /// The descriptor.
  let descriptor: Int32
  /// Where it was found, for messages.
  let path: String

  /// Takes over a descriptor.
  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  /// Opens a directory. Links on the way there are the user's own and are followed.
  static func directory(_ path: String) throws(JournalError) -> File {
    try opened(.open, path) { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
  }

  /// Opens a directory in this one, which must not be a link.
  func directory(_ name: String) throws(JournalError) -> File {
    try Self.opened(.open, path + "/" + name) {
      openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }
  }

  /// Opens a file for reading. A link is followed; a pipe or a device holds nobody up, and is an error.
  static func reading(_ path: String) throws(JournalError) -> File {
    let file = try opened(.open, path) { open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) }
    guard file.isPlain else { throw JournalError(.open, path, .inTheWay) }
    return file
  }

  /// Opens a file of this directory for reading; a link is an error.
  func reading(_ name: String) throws(JournalError) -> File {
    try Self.opened(.open, path + "/" + name) {
      openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    }
  }

  /// Creates a file in this directory that only its owner may read. One that is there already, be it a link, is an error.
  func create(_ name: String) throws(JournalError) -> File {
    try Self.opened(.create, path + "/" + name) {
      openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
  }

  /// Creates a directory in this one that only its owner may enter; whether it is new.
  func createDirectory(_ name: String) throws(JournalError) -> Bool {
    if mkdirat(descriptor, name, 0o700) == 0 { return true }
    if errno == EEXIST { return false }
    throw JournalError(.createDirectory, path + "/" + name, errno: errno)
  }

  /// Writes all of it, in one call of the system when it takes it whole.
  func write(_ bytes: [UInt8]) throws(JournalError) {
    var done = 0
    while done < bytes.count {
      let rest = done == 0 ? bytes : Array(bytes[done...])
      let count = Glibc.write(descriptor, rest, rest.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw JournalError(.write, path, errno: errno)
      }
      done += count
    }
  }

  /// Returns when its content is on the disk.
  func syncData() throws(JournalError) {
    guard fdatasync(descriptor) == 0 else { throw JournalError(.sync, path, errno: errno) }
  }

  /// Returns when the file, or a directory's entries, are on the disk. Where a file system cannot sync a
  /// directory there is nothing to be done about it.
  func sync() throws(JournalError) {
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw JournalError(.sync, path, errno: errno) }
  }

  /// Cuts it to a length; whether that worked.
  func truncate(to length: Int) -> Bool {
    ftruncate(descriptor, length) == 0
  }

  /// The most bytes that are read of a file. A journal of 2,000 rooms with all their retries has less than 1 % of that.
  static let largest = 1 << 30

  /// All that is in it.
  /// - Throws: `tooLarge` when that is more than so many bytes.
  func readAll(atMost limit: Int = largest) throws(JournalError) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw JournalError(.read, path, errno: errno)
      }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      if bytes.count > limit { throw JournalError(.read, path, .tooLarge) }
    }
  }

  /// Gives an entry of this directory another name, replacing what has it.
  func rename(_ old: String, to new: String) throws(JournalError) {
    guard renameat(descriptor, old, descriptor, new) == 0 else {
      throw JournalError(.rename, path + "/" + new, errno: errno)
    }
  }

  /// Places a symbolic link in this directory.
  /// - Returns: false when its file system has none (FAT: EPERM; some in user space: ENOSYS).
  func link(_ name: String, to target: String) throws(JournalError) -> Bool {
    if symlinkat(target, descriptor, name) == 0 { return true }
    if [EPERM, EOPNOTSUPP, ENOSYS].contains(errno) { return false }
    throw JournalError(.link, path + "/" + name, errno: errno)
  }

  /// Gives an entry of this directory a second name; whether that name was free.
  func hardLink(_ name: String, as other: String) throws(JournalError) -> Bool {
    if linkat(descriptor, name, descriptor, other, 0) == 0 { return true }
    if errno == EEXIST { return false }
    throw JournalError(.create, path + "/" + other, errno: errno)
  }

  /// Whether nobody but its owner may read or write it.
  func isPrivate() throws(JournalError) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw JournalError(.open, path, errno: errno) }
    return status.st_mode & 0o077 == 0
  }

  /// The names in this directory, sorted; `.` and `..` left out.
  func names() throws(JournalError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    } catch {
      throw JournalError(.read, path, .inputOutput)
    }
  }

  /// Removes an entry, where there is one.
  func remove(_ name: String) {
    _ = unlinkat(descriptor, name, 0)
  }

  /// What sort of thing an entry of this directory is, links not followed (`S_IFLNK` and so on); nil for none.
  func kind(of name: String) -> mode_t? {
    var status = stat()
    guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    return status.st_mode & S_IFMT
  }

  /// Where the link of this name leads, or nil when it is none.
  func target(of name: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlinkat(descriptor, name, &buffer, buffer.count)
    return count < 0 ? nil : String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// How many bytes this user may still write here.
  func freeSpace() throws(JournalError) -> UInt64 {
    var status = statvfs()
    guard fstatvfs(descriptor, &status) == 0 else { throw JournalError(.measure, path, errno: errno) }
    return UInt64(status.f_bavail) * UInt64(status.f_frsize)
  }

  static func opened(
    _ operation: JournalError.Operation, _ path: String, _ open: () -> Int32
  ) throws(JournalError) -> File {
    while true {
      let descriptor = open()
      if descriptor >= 0 { return File(descriptor: descriptor, path: path) }
      if errno != EINTR { throw JournalError(operation, path, errno: errno) }
    }
  }
}
