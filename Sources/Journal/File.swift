import FoundationEssentials
import Glibc

/// An open file or directory. The last reference closes it. Entries of a directory are opened relative to its
/// descriptor, so that no other process can replace a part of the path in between.
final class File: Sendable {
  let descriptor: Int32
  /// The path that was opened, for error messages.
  let path: String

  /// Takes ownership of a descriptor.
  init(descriptor: Int32, path: String) {
    (self.descriptor, self.path) = (descriptor, path)
  }

  deinit { close(descriptor) }

  /// Opens a directory. Symbolic links in the path belong to the user and are followed.
  static func directory(_ path: String) throws(JournalError) -> File {
    try opened(.open, path) { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
  }

  /// Opens a subdirectory, which must not be a symbolic link.
  func directory(_ name: String) throws(JournalError) -> File {
    try Self.opened(.open, path + "/" + name) {
      openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }
  }

  /// Opens a file for reading. A symbolic link is followed. A pipe or a device does not block and is an
  /// error.
  static func reading(_ path: String) throws(JournalError) -> File {
    let file = try opened(.open, path) { open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) }
    guard file.isPlain else { throw JournalError(.open, path, .inTheWay) }
    return file
  }

  /// Opens a file of this directory for reading. A symbolic link is an error.
  func reading(_ name: String) throws(JournalError) -> File {
    try Self.opened(.open, path + "/" + name) {
      openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    }
  }

  /// Creates a file in this directory with mode 0600. An existing entry, also a symbolic link, is an error.
  func create(_ name: String) throws(JournalError) -> File {
    try Self.opened(.create, path + "/" + name) {
      openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
  }

  /// Creates such a file with these bytes.
  func create(_ name: String, with bytes: [UInt8], synced: Bool) throws(JournalError) {
    let file = try create(name)
    try file.write(bytes)
    if synced { try file.sync() }
  }

  /// Creates a directory in this one with mode 0700.
  /// - Returns: false when the name exists.
  func createDirectory(_ name: String) throws(JournalError) -> Bool {
    if mkdirat(descriptor, name, 0o700) == 0 { return true }
    if errno == EEXIST { return false }
    throw JournalError(.createDirectory, path + "/" + name, errno: errno)
  }

  /// Writes all bytes, in one `write` call unless the kernel accepts only a part.
  func write(_ bytes: [UInt8]) throws(JournalError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Self.retried { Glibc.write(descriptor, Array(rest), rest.count) }
      guard count >= 0 else { throw JournalError(.write, path, errno: errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// Returns when the content is on the disk.
  func syncData() throws(JournalError) {
    guard fdatasync(descriptor) == 0 else { throw JournalError(.sync, path, errno: errno) }
  }

  /// Returns when the file or the directory's entries are on the disk. A file system that cannot sync a
  /// directory (EINVAL) is not an error.
  func sync() throws(JournalError) {
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw JournalError(.sync, path, errno: errno) }
  }

  /// Sets the file's length, if that is possible. What is written next follows there.
  func truncate(to length: Int) {
    _ = ftruncate(descriptor, length)
    _ = lseek(descriptor, length, SEEK_SET)
  }

  /// The default limit of `readAll`, in bytes. The journal of a run with 2,000 rooms and many retries has
  /// less than 1 % of it, and its positions have 32 bits.
  static let largest = 1 << 30

  /// Reads the whole file of text, or what follows its first `start` bytes. What a disk loses are zeros, maybe the whole
  /// file, which no text has: the rest after some of them is left out, except the newline of a line.
  /// - Throws: `tooLarge` when that has more than `limit` bytes.
  func readAll(from start: Int = 0, atMost limit: Int = largest) throws(JournalError) -> [UInt8] {
    let size = max(0, Int(status?.st_size ?? 0) - start)
    if size > limit { throw JournalError(.read, path, .tooLarge) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size)
    // Files such as those in /proc have size 0, and a file may grow.
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var place = start
    var hasZeros = false
    var hasLines = false
    while true {
      let count = Self.retried { pread(descriptor, &buffer, buffer.count, place) }
      guard count >= 0 else { throw JournalError(.read, path, errno: errno) }
      if count == 0 { break }
      place += count
      if hasZeros {
        hasLines = hasLines || memchr(&buffer, 0x0A, count) != nil
      } else {
        bytes += buffer[..<count]
        hasZeros = memchr(&buffer, 0, count) != nil
      }
      if bytes.count > limit { throw JournalError(.read, path, .tooLarge) }
    }
    if hasLines { bytes.append(0x0A) }
    return bytes
  }

  /// Renames an entry of this directory and replaces an entry that has the new name.
  func rename(_ old: String, to new: String) throws(JournalError) {
    guard renameat(descriptor, old, descriptor, new) == 0 else {
      throw JournalError(.rename, path + "/" + new, errno: errno)
    }
  }

  /// Replaces an entry of this directory atomically.
  /// - Parameter make: Creates the new one under its temporary name.
  func replace(
    _ name: String, through temporary: String, _ make: () throws(JournalError) -> Void
  ) throws(JournalError) {
    remove(temporary)
    do throws(JournalError) {
      try make()
      try rename(temporary, to: name)
    } catch {
      remove(temporary)
      throw error
    }
  }

  /// Makes a symbolic link to a target, in the directory with this descriptor, with this name: `symlinkat`.
  typealias MakingLink = (_ target: String, _ directory: Int32, _ name: String) -> Int32

  /// Creates a symbolic link in this directory.
  /// - Returns: false when the file system does not support links (EPERM on FAT, ENOSYS on some FUSE file
  ///   systems).
  func link(
    _ name: String, to target: String, by symlinkat: MakingLink
  ) throws(JournalError) -> Bool {
    if symlinkat(target, descriptor, name) == 0 { return true }
    if [EPERM, EOPNOTSUPP, ENOSYS].contains(errno) { return false }
    throw JournalError(.link, path + "/" + name, errno: errno)
  }

  /// Creates a hard link in this directory.
  /// - Returns: false when the new name exists.
  func hardLink(_ name: String, as other: String) throws(JournalError) -> Bool {
    if linkat(descriptor, name, descriptor, other, 0) == 0 { return true }
    if errno == EEXIST { return false }
    throw JournalError(.create, path + "/" + other, errno: errno)
  }

  /// Whether only the owner may read, write or execute it.
  func isPrivate() throws(JournalError) -> Bool {
    guard let status else { throw JournalError(.open, path, errno: errno) }
    return status.st_mode & 0o077 == 0
  }

  /// The length of a file; nil when there is none.
  static func size(_ path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }

  /// The entries of this directory, sorted, without `.` and `..`.
  func names() throws(JournalError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    } catch {
      throw JournalError(.read, path, .inputOutput)
    }
  }

  /// Removes a file; a missing file is not an error.
  func remove(_ name: String) {
    _ = unlinkat(descriptor, name, 0)
  }

  /// The file type of an entry, without following links (`S_IFLNK` and so on); nil when there is none.
  func kind(of name: String) -> mode_t? { status(of: name).map { $0.st_mode & S_IFMT } }

  /// The target of a symbolic link; nil when the entry is not one.
  func target(of name: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlinkat(descriptor, name, &buffer, buffer.count)
    return count < 0
      ? nil : String(decoding: buffer[..<count].map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
  }

  /// The free space for this user, in bytes.
  func freeSpace() throws(JournalError) -> UInt64 {
    var status = statvfs()
    guard fstatvfs(descriptor, &status) == 0 else { throw JournalError(.measure, path, errno: errno) }
    return status.freeBytes
  }

  static func opened(
    _ operation: JournalError.Operation, _ path: String, _ open: () -> Int32
  ) throws(JournalError) -> File {
    let descriptor = retried(open)
    guard descriptor >= 0 else { throw JournalError(operation, path, errno: errno) }
    return File(descriptor: descriptor, path: path)
  }

  /// The result of a system call, which is made again when a signal has interrupted it.
  static func retried<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }
}

extension statvfs {
  /// The free space for this user; the largest number if the file system claims more.
  package var freeBytes: UInt64 {
    let (bytes, overflow) = UInt64(f_bavail).multipliedReportingOverflow(by: UInt64(f_frsize))
    return overflow ? .max : bytes
  }
}
