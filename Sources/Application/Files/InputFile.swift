import CLinux
import FoundationEssentials
import Glibc
import Manifest
import Model

/// A file from the command line, and its contents. Every file that a person or another file names is read here:
/// with a bound, and without waiting for ever.
package struct InputFile {
  package let bytes: [UInt8]

  /// Why a file cannot be read.
  package enum Problem: Error {
    /// The file does not exist.
    case missing
    /// The file exceeds the limit.
    case tooLarge
    /// It is a device or a terminal.
    case notAFile
    /// It is a pipe, and none is allowed here.
    case pipe
    /// It is a pipe, into which nothing was written for this time.
    case silent(Duration)
    /// Another failure, with its `errno`.
    case system(Int32)

    /// The reason, to follow "cannot be read:".
    package var text: String {
      switch self {
      case .missing: "there is no such file"
      case .tooLarge: "it is too large"
      case .notAFile: "it is a device, not a file"
      case .pipe: "it is a pipe, not a file"
      case .silent(let limit): "nothing was written into this pipe for \(limit.components.seconds) s"
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
    _ path: String, atMost limit: Int, patience: Patience? = Patience(),
    ifMissing advice: String = "Check the path."
  ) throws -> InputFile {
    do throws(Problem) {
      return try contents(of: path, atMost: limit, patience: patience)
    } catch {
      switch error {
      case .missing:
        let near = neighbour(of: path).map { "Did you mean \($0.visible)? " } ?? ""
        throw CommandFailure(.manifest, "there is no file \(path)", advice: near + advice)
      case .tooLarge:
        throw CommandFailure(
          .manifest, "\(path) has more than \(limit >> 20) MiB", advice: "Name the right file.")
      case .notAFile, .pipe:
        throw CommandFailure(
          .manifest, "\(path) cannot be read: \(error.text)", advice: "Name the right file.")
      case .silent:
        throw CommandFailure(
          .manifest, "\(path) cannot be read: \(error.text)",
          advice: "Start the program that writes into it first, or name a file.")
      case .system(let code): throw failure(path, code)
      }
    }
  }

  /// The path that this process opens for a path in `file`, which is relative to that file.
  package static func path(_ path: String, beside file: String) -> String {
    guard !path.hasPrefix("/"), let end = file.lastIndex(of: "/") else { return path }
    return file[...end] + path
  }

  /// How long to wait for a pipe.
  package struct Patience: Sendable {
    /// Until a program has opened it for writing.
    package var opening: Duration
    /// Until that program writes. It may have to ask a person.
    package var writing: Duration

    package init(opening: Duration = .seconds(2), writing: Duration = .seconds(120)) {
      (self.opening, self.writing) = (opening, writing)
    }
  }

  /// Reads at most `limit` bytes of a file or a pipe. A device is refused, except /dev/null, which is empty.
  /// - Parameter patience: How long to wait for a pipe; nil refuses pipes.
  package static func contents(
    of path: String, atMost limit: Int, patience: Patience? = Patience()
  ) throws(Problem) -> InputFile {
    // Without O_NONBLOCK, a pipe that nobody writes into would block here.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw errno == ENOENT || errno == ENOTDIR ? .missing : .system(errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      if status.st_size > limit { throw .tooLarge }
      return InputFile(bytes: try bytes(of: descriptor, atMost: limit))
    case S_IFIFO, S_IFSOCK:
      guard let patience else { throw .pipe }
      return InputFile(bytes: try bytes(of: descriptor, atMost: limit, patience))
    case S_IFDIR: throw .system(EISDIR)
    default:
      if isNull(status) { return InputFile(bytes: []) }
      throw .notAFile
    }
  }

  private static func isNull(_ status: stat) -> Bool {
    var null = stat()
    return stat("/dev/null", &null) == 0 && null.st_rdev == status.st_rdev
      && status.st_mode & S_IFMT == S_IFCHR
  }

  /// - Parameter patience: How long to wait for a pipe; nil for a file.
  private static func bytes(
    of descriptor: Int32, atMost limit: Int, _ patience: Patience? = nil
  ) throws(Problem) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var hasHungUp = false
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count > 0 {
        bytes += buffer[..<count]
      } else if count < 0, errno == EINTR {
        continue
      } else if count < 0, errno != EAGAIN {
        throw .system(errno)
      } else if let patience, count < 0 || bytes.isEmpty && !hasHungUp {
        // Also before its first writer, a pipe reads as ended; but then it has not hung up.
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let silence = count < 0 ? patience.writing : patience.opening
        guard clinux_wait(&wanted, 1, Int64(silence / .nanoseconds(1))) > 0 else { throw .silent(silence) }
        hasHungUp = wanted.revents & Int16(POLLIN) == 0
      } else {
        return bytes
      }
      if bytes.count > limit { throw .tooLarge }
    }
  }

  /// The bytes of a file of the record; nil if it does not exist or is not a regular file.
  package static func recorded(_ path: String, atMost limit: Int = 1 << 30) -> [UInt8]? {
    try? contents(of: path, atMost: limit, patience: nil).bytes
  }

  /// A file beside a missing one with a similar name, as a path.
  private static func neighbour(of path: String) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let name = parts.last.map(String.init), !name.isEmpty else { return nil }
    let folder = parts.dropLast().map { $0 + "/" }.joined()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
    guard names.count <= 10_000 else { return nil }
    return Vocabulary.nearest(to: name, of: names.filter { !$0.hasPrefix(".") }.sorted()).map { folder + $0 }
  }

  /// The manifests in a folder, as an example.
  private static func example(in folder: String) -> String {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let files = names.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }.sorted()
    guard !files.isEmpty, files.count <= 3 else { return "" }
    let start = folder.hasSuffix("/") ? folder : folder + "/"
    return ": " + files.map { (start + $0).visible }.joined(separator: ", ")
  }

  private static func failure(_ path: String, _ code: Int32) -> CommandFailure {
    switch code {
    case EISDIR:
      CommandFailure(.manifest, "\(path) is a directory", advice: "Name the file in it\(example(in: path)).")
    case EACCES, EPERM:
      CommandFailure(.manifest, "this user cannot read \(path)", advice: "Give yourself read permission.")
    default:
      CommandFailure(.manifest, "\(path) cannot be read: \(String(cString: strerror(code)))")
    }
  }
}
