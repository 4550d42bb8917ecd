import CArchive
import Glibc

/// Writes a zip archive, by libarchive: whole or not at all, never over a file that is there, and readable by its owner only.
///
/// What is added is in a hidden file beside the archive until `finish`. One that is dropped before leaves nothing.
public final class ZipWriter {
  /// Where the archive will be.
  public let path: String

  private let temporary: String
  private let descriptor: Int32
  /// libarchive's handle. It is never handed out, one task at a time uses it, since this class is not `Sendable`, and `deinit`
  /// frees it.
  private let archive: OpaquePointer
  private var isFinished = false

  /// Version of libarchive, as it names itself: `libarchive 3.6.2`.
  public static var libraryVersion: String { String(cString: archive_version_string()) }

  /// Begins an archive.
  /// - Throws: `exists` where a file has the name; else what stands in the way.
  public init(_ path: String) throws(ZipError) {
    guard access(path, F_OK) != 0 else { throw ZipError(.exists, path) }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let name = parts.last, !name.isEmpty else { throw ZipError(.create, path, "it names a folder") }
    let temporary = (parts.dropLast() + [".\(name).partial"]).joined(separator: "/")
    // Left behind by one that was killed.
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw ZipError(.create, path, errno: errno) }
    guard let archive = archive_write_new() else {
      close(descriptor)
      unlink(temporary)
      throw ZipError(.create, path, errno: ENOMEM)
    }
    self.path = path
    self.temporary = temporary
    self.descriptor = descriptor
    self.archive = archive
    try check(archive_write_set_format_zip(archive), .create)
    try check(archive_write_zip_set_compression_deflate(archive), .create)
    try check(archive_write_open_fd(archive, descriptor), .create)
  }

  deinit {
    archive_write_free(archive)
    close(descriptor)
    if !isFinished { unlink(temporary) }
  }

  /// Adds a file.
  /// - Parameters:
  ///   - name: Its path in the archive, ASCII, parts separated by `/`.
  ///   - modified: Its time, in seconds since 1970.
  /// - Throws: when it cannot be written.
  public func add(_ name: String, _ bytes: [UInt8], modified: Int) throws(ZipError) {
    guard let entry = archive_entry_new() else { throw ZipError(.write, path, errno: ENOMEM) }
    defer { archive_entry_free(entry) }
    archive_entry_set_pathname(entry, name)
    archive_entry_set_filetype(entry, UInt32(Glibc.S_IFREG))
    archive_entry_set_perm(entry, 0o600)
    archive_entry_set_size(entry, Int64(bytes.count))
    archive_entry_set_mtime(entry, modified, 0)
    try check(archive_write_header(archive, entry), .write)
    if !bytes.isEmpty {
      let written = archive_write_data(archive, bytes, bytes.count)
      guard written == bytes.count else { throw failure(.write) }
    }
    try check(archive_write_finish_entry(archive), .write)
  }

  /// Ends the archive and gives it its name.
  /// - Throws: `exists` where a file has got that name meanwhile; else what stands in the way. There is no archive then.
  public func finish() throws(ZipError) {
    try check(archive_write_close(archive), .write)
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw ZipError(.write, path, errno: errno) }
    try publish()
    isFinished = true
  }

  private func publish() throws(ZipError) {
    // Unlike a rename, a link never replaces what has the name.
    if link(temporary, path) == 0 {
      unlink(temporary)
      return
    }
    let error = errno
    if error == EEXIST { throw ZipError(.exists, path) }
    // A USB stick has no links.
    guard [EPERM, EOPNOTSUPP, ENOSYS].contains(error) else { throw ZipError(.create, path, errno: error) }
    guard access(path, F_OK) != 0 else { throw ZipError(.exists, path) }
    guard rename(temporary, path) == 0 else { throw ZipError(.create, path, errno: errno) }
  }

  private func check(_ result: Int32, _ code: ZipError.Code) throws(ZipError) {
    guard result >= ARCHIVE_WARN else { throw failure(code) }
  }

  private func failure(_ code: ZipError.Code) -> ZipError {
    let text = archive_error_string(archive).map { String(cString: $0) }
    return ZipError(code, path, text ?? "libarchive does not say why")
  }
}

/// Why there is no archive.
public struct ZipError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What failed.
  public enum Code: Hashable, Sendable {
    /// A file has that name.
    case exists
    /// It could not be made.
    case create
    /// It could not be written.
    case write
  }

  /// What failed.
  public var code: Code
  /// The archive's path.
  public var path: String
  /// The system's words.
  public var text: String

  init(_ code: Code, _ path: String, _ text: String = "a file has that name") {
    self.code = code
    self.path = path
    self.text = text
  }

  init(_ code: Code, _ path: String, errno: Int32) {
    self.init(code, path, String(cString: strerror(errno)))
  }

  /// Path and words.
  public var description: String { "\(path): \(text)" }
}
