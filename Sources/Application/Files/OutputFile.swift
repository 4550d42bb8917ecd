import FoundationEssentials
import Glibc
import Host
import Journal

/// Writes files for the operator.
package enum OutputFile {
  /// Writes a text: atomically to a regular or new file, directly to a pipe or device. A link is followed.
  /// - Throws: `CommandFailure` if it cannot be written.
  package static func write(_ text: String, to path: String) throws {
    // Replaces the target of a link, not the link.
    let place = destination(of: path)
    var status = stat()
    let exists = stat(place, &status) == 0
    let isReplaceable = !exists || status.st_mode & S_IFMT == S_IFREG
    do {
      if isReplaceable {
        try replace(place, by: Array(text.utf8), like: exists ? status : nil, mode: 0o666)
      } else {
        let descriptor = open(place, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw POSIXError.last }
        defer { close(descriptor) }
        try Descriptor.write(Array(text.utf8), to: descriptor)
      }
    } catch {
      throw CommandFailure(
        .record, "\(path) cannot be written: \(POSIXError.text(of: error))",
        advice: "Name a place that you can write.")
    }
  }

  /// Writes a new file that only its owner can read. It gets its name when it is complete.
  /// - Parameter fill: Receives what writes the next bytes.
  /// - Throws: `CommandFailure` if it cannot be written or already exists; what `fill` throws.
  package static func create(
    _ path: String, _ fill: (_ write: ([UInt8]) throws -> Void) throws -> Void
  ) throws {
    do {
      try place(path, replacing: false, like: nil) { descriptor in
        try fill { try Descriptor.write($0, to: descriptor) }
      }
    } catch let error as POSIXError {
      throw CommandFailure(
        .record, "\(path) cannot be written: \(error.text)",
        advice: "Name a place that you can write.")
    }
  }

  /// Changes a file of the operator atomically; the change is on disk when this returns. Links, owner and
  /// permissions stay. A new file is one that only its owner can read.
  /// - Parameter original: The expected contents; nil if there is no file. With other contents the file was changed in
  ///   the meantime.
  /// - Throws: `CommandFailure` if it was not changed.
  package static func change(_ path: String, from original: [UInt8]?, to bytes: [UInt8]) throws {
    let place = destination(of: path)
    var status = stat()
    if stat(place, &status) != 0, errno == ENOENT, original == nil {
      return try write(bytes, to: path, at: place, like: nil)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw CommandFailure(.record, "\(path) cannot be changed: it is not a regular file")
    }
    guard access(place, W_OK) == 0 else {
      throw CommandFailure(
        .record, "this user cannot change \(path)", advice: "Give yourself write permission.")
    }
    let current: InputFile
    do throws(InputFile.Problem) {
      current = try InputFile.contents(of: place, atMost: 1 << 30, patience: nil)
    } catch {
      throw CommandFailure(.record, "\(path) is no longer readable")
    }
    guard current.bytes == original else {
      throw CommandFailure(
        .record, "another program has just changed \(path); it was not overwritten",
        advice: "Save and close it in the other program, and run the same command again.")
    }
    try write(bytes, to: path, at: place, like: status)
  }

  private static func write(
    _ bytes: [UInt8], to path: String, at place: String, like status: stat?
  ) throws {
    do {
      try replace(place, by: bytes, like: status, mode: 0o600)
    } catch {
      throw CommandFailure(
        .record, "\(path) cannot be written: \(POSIXError.text(of: error))",
        advice: "It was not changed.")
    }
  }

  private static func replace(_ path: String, by bytes: [UInt8], like status: stat?, mode: mode_t) throws {
    try place(path, replacing: true, like: status, mode: mode) { try Descriptor.write(bytes, to: $0) }
  }

  /// Gives a file its name when it is complete; it is on disk when this returns.
  /// - Parameters:
  ///   - replaces: Whether it may replace another file.
  ///   - status: The file whose owner and permissions it gets; nil for a new file.
  ///   - mode: The permissions of a new file, less the umask.
  ///   - fill: Writes to its descriptor.
  private static func place(
    _ path: String, replacing replaces: Bool, like status: stat?, mode: mode_t = 0o600,
    _ fill: (Int32) throws -> Void
  ) throws {
    let file = URL(fileURLWithPath: path)
    let (folder, name) = (file.deletingLastPathComponent().path, file.lastPathComponent)
    let opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard opened >= 0 else { throw POSIXError.last }
    defer { close(opened) }
    // No other user may read it before it has the permissions of the file that it replaces.
    let (descriptor, temporary) = TemporaryFile.create(
      for: name, in: opened, at: folder, mode: status == nil ? mode : 0o600)
    guard descriptor >= 0 else { throw POSIXError.last }
    // The descriptor holds the lock.
    defer { close(descriptor) }
    do {
      try fill(descriptor)
      // Only root can change the owner of a file; other users write files of their own or of their group.
      if let status {
        _ = fchown(descriptor, status.st_uid, status.st_gid)
        guard fchmod(descriptor, status.st_mode & 0o7777) == 0 else { throw POSIXError.last }
      }
      guard fsync(descriptor) == 0,
        replaces
          ? renameat(opened, temporary, opened, name) == 0 : publish(temporary, as: name, in: opened)
      else { throw POSIXError.last }
    } catch {
      _ = unlinkat(opened, temporary, 0)
      throw error
    }
    // Some file systems cannot sync a directory; the failure is ignored.
    _ = fsync(opened)
  }

  /// Gives a file a name that no file has; false with the reason in `errno`.
  private static func publish(_ temporary: String, as name: String, in folder: Int32) -> Bool {
    // Unlike a rename, a link never replaces an existing file.
    if linkat(folder, temporary, folder, name, 0) == 0 {
      _ = unlinkat(folder, temporary, 0)
      return true
    }
    // The file system, as on most USB sticks, has no links.
    guard [EPERM, EOPNOTSUPP, ENOSYS].contains(errno) else { return false }
    if faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 {
      errno = EEXIST
      return false
    }
    return renameat(folder, temporary, folder, name) == 0
  }

  /// Removes what processes that are no more left beside a file.
  static func removeAbandoned(beside path: String) {
    TemporaryFile.removeAbandoned(
      in: URL(fileURLWithPath: destination(of: path)).deletingLastPathComponent().path)
  }

  /// The target of links, whether it exists or not.
  private static func destination(of path: String) -> String {
    var place = path
    for _ in 0..<40 {
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: place) else { break }
      place =
        target.hasPrefix("/")
        ? target : URL(fileURLWithPath: place).deletingLastPathComponent().path + "/" + target
    }
    return place
  }
}
