import FoundationEssentials
import Glibc

/// A program that writes a password to stdout: `pass`, `sops`, `systemd-creds`.
enum SecretCommand {
  /// The timeout. The operator may have to enter a passphrase or touch a security key.
  static let timeout = Duration.seconds(120)

  /// Runs a program without a shell. It can ask at the terminal, if there is one, and its stderr is visible.
  /// - Returns: Its stdout.
  static func run(
    _ words: [String], within timeout: Duration = Self.timeout
  ) throws(SecretError) -> [UInt8] {
    let pipe: ProcessPipe
    do throws(POSIXError) { pipe = try ProcessPipe() } catch { throw .notStarted(reason: error.text) }
    defer { close(pipe.reading) }
    let terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY)
    defer { if terminal >= 0 { close(terminal) } }
    let child: ChildProcess
    do throws(POSIXError) {
      defer { close(pipe.writing) }
      child = try ChildProcess(words, input: terminal, output: pipe.writing)
    } catch {
      if error.code == .ENOENT || error.code == .ENOTDIR { throw .noProgram }
      throw .notStarted(reason: error.text)
    }
    let deadline = Deadline(after: timeout)
    let written: [UInt8]
    do throws(SecretError) {
      written = try output(from: pipe.reading, until: deadline, timeout)
    } catch {
      child.stop()
      throw error
    }
    switch child.wait(until: deadline) {
    case .exited(0)?: return written
    case .exited(let status)?: throw .ended(status)
    case .killed(let signal)?: throw .killed(signal)
    case nil:
      child.stop()
      throw .timedOut(timeout)
    }
  }

  private static var notStarted: SecretError { .notStarted(reason: String(cString: strerror(errno))) }

  private static func output(
    from descriptor: Int32, until deadline: Deadline, _ timeout: Duration
  ) throws(SecretError) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: SecretText.longest + 1)
    while true {
      guard !deadline.hasPassed else { throw .timedOut(timeout) }
      var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&wanted, 1, 100) <= 0 { continue }
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        throw notStarted
      }
      bytes += buffer[..<count]
      if bytes.count > SecretText.longest { throw .tooLong }
    }
  }
}
