import CMinizip
import Glibc

/// Writes a zip archive, by minizip: whole or not at all, never over a file that is there, and readable by its owner only.
///
/// What is added is in a hidden file beside the archive until `finish`. One that is dropped before leaves nothing.
public final class ZipWriter {
  /// Where the archive will be.
  public let path: String

  private let temporary: String
  private let descriptor: Int32
  /// minizip's handle; nil once it is closed. It is never handed out, and one task at a time uses it, since this class is not
  /// `Sendable`.
  private var archive: OpaquePointer?
  private var isFinished = false

  /// Version of zlib, of which minizip is a part: `zlib 1.2.13`.
  public static var libraryVersion: String { "zlib " + String(cString: zlibVersion()) }

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
    // By its descriptor: nothing that has taken the name meanwhile is written to.
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

  /// So many bytes are given to minizip at once.
  private static let portion = 1 << 20
  /// From here on a file needs the 64-bit form of its entry.
  private static let large = 0xFFFF_FFFF

  /// Adds a file.
  /// - Parameters:
  ///   - name: Its path in the archive, ASCII, parts separated by `/`.
  ///   - modified: Its time, in seconds since 1970; a zip archive has it to 2 s.
  /// - Throws: when it cannot be written.
  public func add(_ name: String, _ bytes: [UInt8], modified: Int) throws(ZipError) {
    try check(cminizip_begin(archive, name, modified, 0o600, bytes.count >= Self.large ? 1 : 0))
    var rest = bytes[...]
    while !rest.isEmpty {
      let portion = Array(rest.prefix(Self.portion))
      try check(cminizip_write(archive, portion, UInt32(portion.count)))
      rest = rest.dropFirst(portion.count)
    }
    try check(cminizip_end(archive))
  }

  /// Ends the archive and gives it its name.
  /// - Throws: `exists` where a file has got that name meanwhile; else what stands in the way. There is no archive then.
  public func finish() throws(ZipError) {
    let closing = archive
    archive = nil
    try check(cminizip_close(closing))
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

  private func check(_ result: Int32) throws(ZipError) {
    // `ZIP_ERRNO` is what the system says.
    if result == -1 { throw ZipError(.write, path, errno: errno) }
    guard result == 0 else { throw ZipError(.write, path, "minizip: error \(result)") }
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
