import CDBus
import CLinux
import EventLoop
import Glibc
import Waiting

/// A bus for one simulation: a daemon, or a bus within the process.
package protocol PrivateBus: Sendable {
  var busAddress: BusAddress { get }

  /// Ends the bus and all its connections.
  func stop() async
  /// Stops the bus, if it runs, and starts a new one at the same address, without connections.
  func restart() async throws(DBusDaemonError)
}

/// A private bus: a `dbus-daemon` without access restrictions, with its socket in a new directory that only
/// this user can enter.
///
/// The daemon has its own session, so Ctrl-C at the terminal does not reach it. It ends with `stop()`, when
/// this object is deallocated, and at the latest with this process. Its directory is removed when it ends,
/// unless this process was killed.
package final class DBusDaemon: PrivateBus {
  /// The address, for `BusAddress.address` or `DBUS_SYSTEM_BUS_ADDRESS`.
  package let address: String
  package var busAddress: BusAddress { .address(address) }
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

  /// Starts a bus and waits until it accepts connections.
  /// - Parameters:
  ///   - directory: Where to create the directory for the socket. Its path must be short, because a socket
  /// path is limited to 107 bytes.
  ///   - program: The daemon: a path, or a name that is searched in PATH.
  package static func start(
    in directory: String = "/tmp", program: String = "dbus-daemon"
  ) async throws(DBusDaemonError) -> DBusDaemon {
    let files = try DaemonFiles(in: directory)
    let keeper = DaemonKeeper()
    let address = try await keeper.start(program, files).get()
    return DBusDaemon(address: address, program: program, files: files, keeper: keeper)
  }

  package func restart() async throws(DBusDaemonError) {
    await stop()
    try files.makeAgain()
    let next = DaemonKeeper()
    _ = try await next.start(program, files).get()
    keeper.withLock { $0 = next }
  }

  /// Stops the bus. Returns when it has ended and its directory is removed, even in a cancelled task. A
  /// second call has no effect.
  package func stop() async {
    let keeper = keeper.withLock { $0 }
    keeper.kill()
    await keeper.ended()
  }
}

/// Why a private bus could not be started.
package enum DBusDaemonError: Error, Hashable, Sendable {
  /// The program does not exist or cannot be executed (Debian package `dbus-daemon`), with the system's
  /// reason.
  case notInstalled(program: String, reason: String)
  /// The directory for the socket and the configuration could not be created, with the system's reason.
  case noDirectory(path: String, reason: String)
  /// The daemon ended, or did not print its address within 10 s; the reason is its output.
  case failedToStart(reason: String)
}

/// The thread that starts the daemon and then waits for its end. The thread must live as long as the daemon,
/// because the kernel's parent-death signal refers to the parent's thread, and Swift's threads can end at any
/// time.
private final class DaemonKeeper: Sendable {
  private enum State {
    case starting
    /// Not reaped yet, so the process id cannot have been reused.
    case running(pid_t)
    case ended
  }

  private struct Shared {
    var state = State.starting
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  /// How long the daemon may take to print its address.
  private static let timeout: Duration = .seconds(10)

  private let shared = Lock(Shared())

  /// - Returns: The daemon's address.
  func start(_ program: String, _ files: DaemonFiles) async -> Result<String, DBusDaemonError> {
    let started = OneShot<Result<String, DBusDaemonError>>()
    onThreadOfItsOwn {
      let result = self.launch(program, files)
      if case .failure = result { self.kill() } else { started.fulfill(result) }
      self.awaitEnd(of: files)
      // A failure is reported after the cleanup, so that the caller has nothing to stop.
      started.fulfill(result)
    }
    return await started.valueEvenIfCancelled()
  }

  /// SIGKILL loses nothing, because a bus stores nothing, and it also ends a daemon that was stopped by a
  /// signal.
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
      return .failure(.failedToStart(reason: printed.isEmpty ? "it did not print its address" : printed))
    }
    // The bus id in the address changes on restart, and libdbus refuses a bus with another id.
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

  /// - Returns: Nil if the other end closes the pipe or sends no line in time.
  private func firstLine(from descriptor: Int32) -> String? {
    let end = SuspendingClock.now + Self.timeout
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
