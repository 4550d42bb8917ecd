import FoundationEssentials
import Glibc

/// A command from the operator, run by the shell with a text on its standard input.
enum ShellCommand {
  /// Starts it in its own process group. It ends at the latest with the calling thread.
  /// - Parameters:
  ///   - output: Its stdout; below 0 for /dev/null.
  ///   - errors: Its stderr; below 0 for /dev/null.
  /// - Throws: The reason why it cannot be started.
  static func start(
    _ command: String, input: String, output: Int32, errors: Int32
  ) throws(POSIXError) -> ChildProcess {
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { if null >= 0 { close(null) } }
    let pipe = try ProcessPipe()
    defer { close(pipe.writing) }
    let child = try start(
      command, input: pipe.reading, output < 0 ? null : output, errors < 0 ? null : errors)
    // A command need not read its input: SIGPIPE does not end this process, and the error does not matter.
    try? Descriptor.write(Array((input + "\n").utf8), to: pipe.writing)
    return child
  }

  private static func start(
    _ command: String, input: Int32, _ output: Int32, _ errors: Int32
  ) throws(POSIXError) -> ChildProcess {
    defer { close(input) }
    return try ChildProcess(
      ["/bin/sh", "-c", command], input: input, output: output, errors: errors, hasOwnGroup: true)
  }
}
