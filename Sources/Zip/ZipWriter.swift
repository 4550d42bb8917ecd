import CMinizip
import Glibc

/// Writes a zip archive with minizip: atomically, without replacing a file, with mode 0600.
///
/// Until `finish` the archive is a hidden file beside its final path. A writer that is released before
/// `finish` removes it.
package final class ZipWriter {
  /// The final path of the archive.
  package let path: String

  private let temporary: String
  private let descriptor: Int32
  /// minizip's handle; nil after it is closed. It never leaves this class, and the class is not `Sendable`,
  /// so only one task at a time uses it.
  private var archive: OpaquePointer?
  private var isFinished = false

  /// The version of zlib, which includes minizip: `zlib 1.2.13`.
  package static var libraryVersion: String { "zlib " + String(cString: zlibVersion()) }

  /// Begins an archive.
  /// - Throws: `exists` when the path exists, or another failure.
  package init(_ path: String) throws(ZipError) {
    guard access(path, F_OK) != 0 else { throw ZipError(.exists, path) }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let name = parts.last, !name.isEmpty else { throw ZipError(.create, path, "it names a folder") }
    let temporary = (parts.dropLast() + [".\(name).partial"]).joined(separator: "/")
    // A killed process may have left a partial file.
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw ZipError(.create, path, errno: errno) }
    // minizip opens a path. This one leads to our descriptor, even if another file takes the temporary name.
    guard let archive = cminizip_create("/proc/self/fd/\(descriptor)") else {
      let error = errno
      close(descriptor)
      unlink(temporary)
      throw ZipError(.create, path, errno: error)
    }
    self.path = path
    self.temporary = temporary
    self.descriptor = descriptor
    self.archive = archive
  }

  deinit {
    if let archive { _ = cminizip_close(archive) }
    close(descriptor)
    if !isFinished { unlink(temporary) }
  }

  /// The number of bytes per call of minizip.
  private static let portion = 1 << 20
  /// From this size on an entry needs the zip64 format, in bytes.
  private static let large = 0xFFFF_FFFF

  /// Adds a file.
  /// - Parameters:
  ///   - name: The path in the archive: ASCII, parts separated by `/`.
  ///   - modified: Modification time in seconds since 1970; zip stores it with a resolution of 2 s.
  /// - Throws: when the archive cannot be written.
  package func add(_ name: String, _ bytes: [UInt8], modified: Int) throws(ZipError) {
    try check(cminizip_begin(archive, name, modified, 0o600, bytes.count >= Self.large ? 1 : 0))
    var rest = bytes[...]
    while !rest.isEmpty {
      let portion = Array(rest.prefix(Self.portion))
      try check(cminizip_write(archive, portion, UInt32(portion.count)))
      rest = rest.dropFirst(portion.count)
    }
    try check(cminizip_end(archive))
  }

  /// Completes the archive and gives it its final name.
  /// - Throws: `exists` when the path exists by now, or another failure. There is no archive then.
  package func finish() throws(ZipError) {
    let closing = archive
    archive = nil
    try check(cminizip_close(closing))
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw ZipError(.write, path, errno: errno) }
    try publish()
    isFinished = true
  }

  private func publish() throws(ZipError) {
    // Unlike a rename, a link never replaces an existing file.
    if link(temporary, path) == 0 {
      unlink(temporary)
      return
    }
    let error = errno
    if error == EEXIST { throw ZipError(.exists, path) }
    // The file system, as on most USB sticks, has no links.
    guard [EPERM, EOPNOTSUPP, ENOSYS].contains(error) else { throw ZipError(.create, path, errno: error) }
    guard access(path, F_OK) != 0 else { throw ZipError(.exists, path) }
    guard rename(temporary, path) == 0 else { throw ZipError(.create, path, errno: errno) }
  }

  private func check(_ result: Int32) throws(ZipError) {
    // `ZIP_ERRNO`: the error is in `errno`.
    if result == -1 { throw ZipError(.write, path, errno: errno) }
    guard result == 0 else { throw ZipError(.write, path, "minizip: error \(result)") }
  }
}

/// Why the archive was not written.
package struct ZipError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// The path exists.
    case exists
    /// The file could not be created.
    case create
    /// The file could not be written.
    case write
  }

  package var code: Code
  /// The archive's path.
  package var path: String
  /// The system's error text.
  package var text: String

  init(_ code: Code, _ path: String, _ text: String = "a file has that name") {
    self.code = code
    self.path = path
    self.text = text
  }

  init(_ code: Code, _ path: String, errno: Int32) {
    self.init(code, path, String(cString: strerror(errno)))
  }

  package var description: String { "\(path): \(text)" }
}
