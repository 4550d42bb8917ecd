import Foundation

/// A file that a person named, as it was read.
struct InputFile {
  /// Its bytes.
  let bytes: [UInt8]

  /// Why a file cannot be read.
  enum Problem: Error {
    /// There is none.
    case missing
    /// It has more bytes than are allowed.
    case tooLarge
    /// Anything else, by its `errno`.
    case system(Int32)
  }

  /// Reads a file, or a pipe to its end.
  /// - Parameters:
  ///   - limit: How many bytes there may be; no more are read.
  ///   - cure: What to do where there is no such file.
  /// - Throws: `CommandFailure` that says why it cannot be read.
  static func read(
    _ path: String, atMost limit: Int, ifMissing cure: String = "Look at the path."
  ) throws -> InputFile {
    do throws(Problem) {
      return try contents(of: path, atMost: limit)
    } catch {
      switch error {
      case .missing: throw CommandFailure(.manifest, "there is no file \(path)", cure: cure)
      case .tooLarge:
        throw CommandFailure(
          .manifest, "\(path) has more than \(limit >> 20) MiB", cure: "Name the right file.")
      case .system(let code): throw failure(path, code)
      }
    }
  }

  /// A path that a file names, relative to that file, as this process opens it.
  static func path(_ path: String, beside file: String) -> String {
    guard !path.hasPrefix("/"), let end = file.lastIndex(of: "/") else { return path }
    return file[...end] + path
  }

  /// Reads a file, or a pipe to its end; no more than `limit` bytes.
  static func contents(of path: String, atMost limit: Int) throws(Problem) -> InputFile {
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
      let count = Foundation.read(descriptor, &buffer, buffer.count)
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

  /// The bytes of a file of a record; nil where there is none, or something else has its name: a pipe holds nobody up, and a
  /// device has no end.
  static func recorded(_ path: String, atMost limit: Int = 1 << 30) -> [UInt8]? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return try? read(path, atMost: limit).bytes
  }

  private static func failure(_ path: String, _ code: Int32) -> CommandFailure {
    switch code {
    case EISDIR: CommandFailure(.manifest, "\(path) is a directory", cure: "Name the file in it.")
    case EACCES, EPERM:
      CommandFailure(.manifest, "this user may not read \(path)", cure: "Give yourself the right to read it.")
    default:
      CommandFailure(.manifest, "\(path) cannot be read: \(String(cString: strerror(code)))")
    }
  }
}
