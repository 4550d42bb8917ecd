import Foundation

/// A file that a person had written.
enum OutputFile {
  /// Writes a text: whole or not at all where that is a file, or where nothing is; a link leads to the file that is written.
  /// To a pipe or a device it is written as it is, and these stay what they are.
  /// - Throws: `CommandFailure` when it cannot be written.
  static func write(_ text: String, to path: String) throws {
    // The file behind a link is replaced, not the link.
    let place = destination(of: path)
    var status = stat()
    let isReplaceable = stat(place, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    do {
      if isReplaceable {
        try Data(text.utf8).write(to: URL(fileURLWithPath: place), options: .atomic)
      } else {
        let descriptor = open(place, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: Data(text.utf8))
      }
    } catch {
      throw CommandFailure(
        .record, "\(path) cannot be written: \((error as NSError).localizedDescription)",
        cure: "Name a place that you can write.")
    }
  }

  /// Writes a new file, for its owner alone.
  /// - Throws: `CommandFailure` when it cannot be written, or is there already.
  static func create(_ path: String, _ text: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    do throws(POSIXError) {
      guard descriptor >= 0 else { throw POSIXError.last }
      defer { close(descriptor) }
      try write(Array(text.utf8), to: descriptor)
      guard fsync(descriptor) == 0 else { throw POSIXError.last }
    } catch {
      if descriptor >= 0 { _ = unlink(path) }
      throw CommandFailure(
        .record, "\(path) cannot be written: \(String(cString: strerror(error.code.rawValue)))",
        cure: "Name a place that you can write.")
    }
  }

  /// Changes a file that a person wrote: whole or not at all, on the disk when this returns. Links, owner and rights stay.
  /// - Parameter original: What is in it now. Where something else is, somebody changed it meanwhile.
  /// - Throws: `CommandFailure` when it was not changed.
  static func change(_ path: String, from original: [UInt8], to bytes: [UInt8]) throws {
    let place = destination(of: path)
    var status = stat()
    guard stat(place, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw CommandFailure(.record, "\(path) cannot be changed: it is no plain file")
    }
    guard access(place, W_OK) == 0 else {
      throw CommandFailure(
        .record, "this user may not change \(path)", cure: "Give yourself the right to write it.")
    }
    let current: InputFile
    do throws(InputFile.Problem) {
      current = try InputFile.contents(of: place, atMost: 1 << 30)
    } catch {
      throw CommandFailure(.record, "\(path) cannot be read any more")
    }
    guard current.bytes == original else {
      throw CommandFailure(
        .record, "\(path) was changed by somebody else just now, and is left as it is",
        cure: "Save and close it where it is edited, and give the same command again.")
    }
    do throws(POSIXError) {
      try replace(place, by: bytes, like: status)
    } catch {
      throw CommandFailure(
        .record, "\(path) cannot be written: \(String(cString: strerror(error.code.rawValue)))",
        cure: "It is as it was.")
    }
  }

  private static func replace(_ place: String, by bytes: [UInt8], like status: stat) throws(POSIXError) {
    let directory = (place as NSString).deletingLastPathComponent
    let folder = directory.isEmpty ? "." : directory
    let temporary = "\(folder)/.\((place as NSString).lastPathComponent).roboprov-\(getpid())"
    _ = unlink(temporary)
    // Nobody else may read it before it has the rights of the file that it replaces.
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw POSIXError.last }
    do throws(POSIXError) {
      defer { close(descriptor) }
      try write(bytes, to: descriptor)
      // Only root can give a file away; everybody else writes what is theirs, or their group's.
      _ = fchown(descriptor, status.st_uid, status.st_gid)
      guard fchmod(descriptor, status.st_mode & 0o7777) == 0, fsync(descriptor) == 0,
        rename(temporary, place) == 0
      else { throw POSIXError.last }
    } catch {
      _ = unlink(temporary)
      throw error
    }
    let opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard opened >= 0 else { return }
    // Where a file system cannot sync a directory there is nothing to be done about it.
    _ = fsync(opened)
    close(opened)
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(POSIXError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(1 << 20))
      let count = Foundation.write(descriptor, part, part.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw POSIXError.last
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Where links lead, be something there or not.
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

extension POSIXError {
  /// The system's last error.
  fileprivate static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
