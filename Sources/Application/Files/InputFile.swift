import FoundationEssentials
import Glibc

/// A file from the command line, and its contents.
package struct InputFile {
  package let bytes: [UInt8]

  /// Why a file cannot be read.
  package enum Problem: Error {
    /// The file does not exist.
    case missing
    /// The file exceeds the limit.
    case tooLarge
    /// Another failure, with its `errno`.
    case system(Int32)

    /// The reason, to follow "cannot be read:".
    package var text: String {
      switch self {
      case .missing: "there is no such file"
      case .tooLarge: "it is too large"
      case .system(let code): String(cString: strerror(code))
      }
    }
  }

  /// Reads a file, or a pipe to its end.
  /// - Parameters:
  ///   - limit: The maximum number of bytes; no more are read.
  ///   - advice: The advice if the file does not exist.
  /// - Throws: `CommandFailure` with the reason.
  package static func read(
    _ path: String, atMost limit: Int, ifMissing advice: String = "Check the path."
  ) throws -> InputFile {
    do throws(Problem) {
      return try contents(of: path, atMost: limit)
    } catch {
      switch error {
      case .missing: throw CommandFailure(.manifest, "there is no file \(path)", advice: advice)
      case .tooLarge:
        throw CommandFailure(
          .manifest, "\(path) has more than \(limit >> 20) MiB", advice: "Name the right file.")
      case .system(let code): throw failure(path, code)
      }
    }
  }

  /// The path that this process opens for a path in `file`, which is relative to that file.
  package static func path(_ path: String, beside file: String) -> String {
    guard !path.hasPrefix("/"), let end = file.lastIndex(of: "/") else { return path }
    return file[...end] + path
  }

  /// Reads at most `limit` bytes of a file or a pipe.
  package static func contents(of path: String, atMost limit: Int) throws(Problem) -> InputFile {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw errno == ENOENT || errno == ENOTDIR ? .missing : .system(errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
    let isFile = status.st_mode & S_IFMT == S_IFREG
    if isFile, status.st_size > limit { throw .tooLarge }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { break }
      if count < 0 {
        if errno == EINTR { continue }
        throw .system(errno)
      }
      bytes += buffer[..<count]
      if bytes.count > limit { throw .tooLarge }
    }
    return InputFile(bytes: bytes)
  }

  /// The bytes of a file of the record; nil if it does not exist or is not a regular file. A pipe would
  /// block, and a device has no end.
  package static func recorded(_ path: String, atMost limit: Int = 1 << 30) -> [UInt8]? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return try? read(path, atMost: limit).bytes
  }

  private static func failure(_ path: String, _ code: Int32) -> CommandFailure {
    switch code {
    case EISDIR: CommandFailure(.manifest, "\(path) is a directory", advice: "Name the file in it.")
    case EACCES, EPERM:
      CommandFailure(.manifest, "this user cannot read \(path)", advice: "Give yourself read permission.")
    default:
      CommandFailure(.manifest, "\(path) cannot be read: \(String(cString: strerror(code)))")
    }
  }
}
