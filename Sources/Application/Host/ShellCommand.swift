import FoundationEssentials
import Glibc

/// A command from the operator, run by the shell with a text on its standard input.
enum ShellCommand {
  /// Starts it in its own process group. It ends at the latest with the calling thread.
  /// - Parameters:
  ///   - output: Its stdout and stderr; below 0 for /dev/null.
  /// - Throws: The reason why it cannot be started.
  static func start(_ command: String, input: String, output: Int32) throws(POSIXError) -> ChildProcess {
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { if null >= 0 { close(null) } }
    let pipe = try ProcessPipe()
    defer { pipe.close() }
    // The read end is the child's stdin, which must block.
    _ = fcntl(pipe.reading, F_SETFL, 0)
    let place = output < 0 ? null : output
    let child = try ChildProcess(
      ["/bin/sh", "-c", command], input: pipe.reading, output: place, errors: place)
    // A command need not read its input, nor all of it at once: what the pipe does not hold is written while
    // the command runs, for at most a second.
    _ = fcntl(pipe.writing, F_SETFL, O_NONBLOCK)
    pipe.closeReading()
    let deadline = Deadline(after: .seconds(1))
    var rest = Array((input + "\n").utf8)[...]
    while !rest.isEmpty, !deadline.hasPassed {
      let part = Array(rest)
      let count = write(pipe.writing, part, part.count)
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        poll(nil, 0, 10)
      } else if errno != EINTR {
        break
      }
    }
    return child
  }
}
