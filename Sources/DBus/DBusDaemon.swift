import CDBus
import CLinux
import EventLoop
import Glibc

/// A bus of one's own: a `dbus-daemon` that lets everyone who can reach its socket do everything, with the socket
/// in a fresh directory that only this user can enter.
///
/// It is in a session of its own, so Ctrl-C at the terminal does not reach it; it ends with `stop()`, with the
/// last reference to it, and at the latest with this process. Its directory is removed when it ends, except when
/// this process was killed.
public final class DBusDaemon: Sendable {
  /// Its address, for `BusAddress.address` or `DBUS_SYSTEM_BUS_ADDRESS`.
  public let address: String
  private let program: String
  private let files: DaemonFiles
  private let keeper: Lock<DaemonKeeper>

  private init(address: String, program: String, files: DaemonFiles, keeper: DaemonKeeper) {
    self.address = address
    self.program = program
    self.files = files
    self.keeper = Lock(keeper)
  }

  deinit {
    keeper.withLock { $0.kill() }
  }

  /// Starts a bus and waits until it can be connected to.
  /// - Parameters:
  ///   - directory: Where to make the directory for the socket. Its path must be short: a socket's may have 107 bytes.
  ///   - program: The daemon: a path, or a name that is looked up along PATH.
  public static func start(
    in directory: String = "/tmp", program: String = "dbus-daemon"
  ) async throws(DBusDaemonError) -> DBusDaemon {
    let files = try DaemonFiles(in: directory)
    let keeper = DaemonKeeper()
    let address = try await keeper.start(program, files).get()
    return DBusDaemon(address: address, program: program, files: files, keeper: keeper)
  }

  /// Ends the bus, if it has not ended yet, and starts another at the same address, on which nobody is.
  public func restart() async throws(DBusDaemonError) {
    await stop()
    try files.makeAgain()
    let next = DaemonKeeper()
    _ = try await next.start(program, files).get()
    keeper.withLock { $0 = next }
  }

  /// Ends the bus, and returns when it has ended and its directory is gone; also in a cancelled task. Stopping it
  /// twice does nothing.
  public func stop() async {
    let keeper = keeper.withLock { $0 }
    keeper.kill()
    await keeper.ended()
  }
}

/// Why no private bus could be started.
public enum DBusDaemonError: Error, Hashable, Sendable {
  /// The program is not there or cannot be executed (Debian's package: `dbus-daemon`); the system's reason.
  case notInstalled(program: String, reason: String)
  /// No directory for its socket and configuration could be made; the system's reason.
  case noDirectory(path: String, reason: String)
  /// It ended, or said nothing for 10 seconds, instead of telling its address; what it printed.
  case failedToStart(reason: String)
}

/// The thread that starts the daemon, and then does nothing but wait for its end. It has to be a thread that lives as
/// long as the daemon: the kernel's "end with your parent" means the parent's thread, and Swift's threads come and go.
private final class DaemonKeeper: Sendable {
  private enum State {
    case starting
    /// Not reaped yet, so the number cannot have passed to another process.
    case running(pid_t)
    case ended
  }

  private struct Shared {
    var state = State.starting
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// How long the daemon may take to tell its address.
  private static let patience: Duration = .seconds(10)

  private let shared = Lock(Shared())

  /// - Returns: the daemon's address.
  func start(_ program: String, _ files: DaemonFiles) async -> Result<String, DBusDaemonError> {
    let started = OneShot<Result<String, DBusDaemonError>>()
    onThreadOfItsOwn {
      let result = self.launch(program, files)
      if case .failure = result { self.kill() } else { started.give(result) }
      self.awaitEnd(of: files)
      // A failure is told when everything is cleaned up, so there is nothing left for the caller to stop.
      started.give(result)
    }
    return await started.take()
  }

  /// Nothing is lost by SIGKILL, a bus keeps nothing; and it is also heard by a daemon that was stopped.
  func kill() {
    shared.withLock {
      if case .running(let child) = $0.state { _ = Glibc.kill(child, SIGKILL) }
    }
  }

  func ended() async {
    await withCheckedContinuation { waiter in
      let isOver = shared.withLock { shared in
        if case .ended = shared.state { return true }
        shared.waiters.append(waiter)
        return false
      }
      if isOver { waiter.resume() }
    }
  }

  private func launch(_ program: String, _ files: DaemonFiles) -> Result<String, DBusDaemonError> {
    var pipe: [Int32] = [-1, -1]
    guard clinux_pipe(&pipe) == 0 else { return .failure(.failedToStart(reason: systemReason())) }
    defer { close(pipe[0]) }
    let errors = open(files.errors, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard errors >= 0 else {
      close(pipe[1])
      return .failure(.noDirectory(path: files.errors, reason: systemReason()))
    }
    let arguments = [program, "--config-file=\(files.configuration)", "--print-address=1", "--nofork"]
    var copies: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    let child = clinux_child_start(program, &copies, pipe[1], errors)
    let reason = systemReason()
    for copy in copies { free(copy) }
    close(pipe[1])
    close(errors)
    guard child > 0 else { return .failure(.notInstalled(program: program, reason: reason)) }
    shared.withLock { $0.state = .running(child) }
    guard let address = firstLine(from: pipe[0]) else {
      let printed = files.errorText()
      return .failure(.failedToStart(reason: printed.isEmpty ? "it did not tell its address" : printed))
    }
    // Its id is another one after a restart, and libdbus holds a bus to the id in its address.
    return .success(String(address.prefix { $0 != "," }))
  }

  private func awaitEnd(of files: DaemonFiles) {
    let child = shared.withLock { shared in
      if case .running(let child) = shared.state { return child }
      return 0
    }
    if child > 0 { clinux_child_await(child) }
    files.remove()
    let waiters = shared.withLock { shared in
      if child > 0 { waitpid(child, nil, 0) }
      shared.state = .ended
      defer { shared.waiters = [] }
      return shared.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// - Returns: nil when the other end closes, or says nothing for too long.
  private func firstLine(from descriptor: Int32) -> String? {
    let end = SuspendingClock.now + Self.patience
    var line: [UInt8] = []
    while line.last != UInt8(ascii: "\n") {
      let left = SuspendingClock.now.duration(to: end) / .milliseconds(1)
      var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let found = poll(&readable, 1, Int32(max(0, left)))
      if found < 0, errno == EINTR { continue }
      var byte: UInt8 = 0
      guard found > 0, read(descriptor, &byte, 1) == 1 else { return nil }
      line.append(byte)
    }
    return String(decoding: line.dropLast(), as: UTF8.self)
  }
}

private func systemReason() -> String {
  String(cString: strerror(errno))
}
