import CLinux
import Foundation

/// A program that writes a password to its standard output: `pass`, `sops`, `systemd-creds`.
enum SecretCommand {
  /// How long one may take. A person may have to find a passphrase, or to touch a key.
  static let patience = Duration.seconds(120)

  /// Runs a program to its end. No shell reads its arguments. It may ask at the terminal, where there is one, and what it says
  /// to stderr is seen.
  /// - Returns: what it wrote.
  static func run(
    _ words: [String], within patience: Duration = Self.patience
  ) throws(SecretTrouble) -> [UInt8] {
    var ends: [Int32] = [-1, -1]
    guard clinux_pipe(&ends) == 0 else { throw notStarted }
    defer { close(ends[0]) }
    let terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY)
    defer { if terminal >= 0 { close(terminal) } }
    let arguments = words.flatMap { Array($0.utf8CString) }
    let child = clinux_tool_start(arguments, arguments.count, terminal, ends[1])
    let code = errno
    close(ends[1])
    guard child > 0 else {
      if code == ENOENT || code == ENOTDIR { throw .noProgram }
      throw .notStarted(reason: String(cString: strerror(code)))
    }
    let deadline = SuspendingClock.now + patience
    let written: [UInt8]
    let status: Int32
    do throws(SecretTrouble) {
      written = try output(from: ends[0], until: deadline, patience)
      status = try end(of: child, until: deadline, patience)
    } catch {
      stop(child)
      throw error
    }
    if status & 0x7F != 0 { throw .killed(status & 0x7F) }
    if status != 0 { throw .ended(status >> 8 & 0xFF) }
    return written
  }

  private static var notStarted: SecretTrouble { .notStarted(reason: String(cString: strerror(errno))) }

  private static func output(
    from descriptor: Int32, until deadline: SuspendingClock.Instant, _ patience: Duration
  ) throws(SecretTrouble) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: SecretText.longest + 1)
    while true {
      guard SuspendingClock.now < deadline else { throw .timedOut(patience) }
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

  /// Its wait status, once it has ended.
  private static func end(
    of child: pid_t, until deadline: SuspendingClock.Instant, _ patience: Duration
  ) throws(SecretTrouble) -> Int32 {
    var status: Int32 = 0
    while waitpid(child, &status, WNOHANG) != child {
      guard SuspendingClock.now < deadline else { throw .timedOut(patience) }
      poll(nil, 0, 10)
    }
    return status
  }

  /// Ends it, unless it has ended: in order, or else at once.
  private static func stop(_ child: pid_t) {
    kill(child, SIGTERM)
    if (try? end(of: child, until: SuspendingClock.now + .seconds(1), .zero)) != nil { return }
    kill(child, SIGKILL)
    while waitpid(child, nil, 0) < 0, errno == EINTR {}
  }
}
