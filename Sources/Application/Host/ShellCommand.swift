import CLinux
import FoundationEssentials
import Glibc

/// A command from the operator, run by the shell with a text on its standard input.
enum ShellCommand {
  /// Starts it in its own process group. It ends at the latest with the calling thread.
  /// - Parameters:
  ///   - input: It need not read this, nor all of it: its stdin is a file in memory, so nothing waits for it.
  ///   - output: Its stdout and stderr; below 0 for /dev/null.
  /// - Throws: The reason why it cannot be started.
  static func start(_ command: String, input: String, output: Int32) throws(POSIXError) -> ChildProcess {
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { if null >= 0 { close(null) } }
    let file = clinux_memory_file()
    guard file >= 0 else { throw POSIXError.last }
    defer { close(file) }
    var rest = Array((input + "\n").utf8)[...]
    while !rest.isEmpty {
      let part = Array(rest)
      let count = write(file, part, part.count)
      guard count > 0 else { throw POSIXError.last }
      rest = rest.dropFirst(count)
    }
    lseek(file, 0, SEEK_SET)
    let place = output < 0 ? null : output
    return try ChildProcess(["/bin/sh", "-c", command], input: file, output: place, errors: place)
  }
}
