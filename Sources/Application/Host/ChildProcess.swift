import CLinux
import FoundationEssentials
import Glibc
import Synchronization

/// A program that this process started. It gets SIGTERM at the latest when the thread that started it ends.
package final class ChildProcess: Sendable {
  /// How a program ended.
  package enum Ending: Equatable, Sendable {
    case exited(Int32)
    /// A signal ended it.
    case killed(Int32)
  }

  private let id: pid_t
  private let hasOwnGroup: Bool
  /// Nil while it runs or has not been waited for; after that, another process may have its id.
  private let ending = Mutex<Ending?>(nil)

  /// Restores the default of SIGCHLD. A parent that ignores it passes that on, and the kernel then discards
  /// the exit status of each child.
  package static func keepExitStatuses() { Glibc.signal(SIGCHLD, SIG_DFL) }

  /// Starts a program: by its path, or by a name that is looked up along PATH.
  /// - Parameters:
  ///   - words: The program and its arguments; no shell reads them.
  ///   - input: Its stdin; /dev/null below 0.
  ///   - hasOwnGroup: In a process group of its own, Ctrl-C at the terminal does not reach it.
  /// - Throws: The reason why it cannot be started.
  init(
    _ words: [String], input: Int32 = -1, output: Int32, errors: Int32 = STDERR_FILENO,
    hasOwnGroup: Bool = false
  ) throws(POSIXError) {
    let arguments = words.flatMap { Array($0.utf8CString) }
    id = clinux_tool_start(arguments, arguments.count, input, output, errors, hasOwnGroup)
    self.hasOwnGroup = hasOwnGroup
    guard id > 0 else { throw POSIXError.last }
  }

  /// Waits until it has ended.
  func wait() -> Ending {
    clinux_child_await(id)
    while true {
      if let ending = reap() { return ending }
    }
  }

  /// Waits until it has ended, but not longer than until `deadline`: then the result is nil.
  func wait(until deadline: Deadline) -> Ending? {
    while true {
      if let ending = reap() { return ending }
      guard !deadline.hasPassed else { return nil }
      poll(nil, 0, 10)
    }
  }

  /// Sends it, and what it started in its group, a signal; nothing when it has ended.
  func signal(_ signal: Int32) {
    ending.withLock { ending in
      if ending == nil { kill(hasOwnGroup ? -id : id, signal) }
    }
  }

  /// Ends it and waits for its end: with SIGTERM, after 1 s with SIGKILL.
  func stop() {
    signal(SIGTERM)
    if wait(until: Deadline(after: .seconds(1))) != nil { return }
    signal(SIGKILL)
    _ = wait()
  }

  private func reap() -> Ending? {
    ending.withLock { ending in
      if let ending { return ending }
      var status: Int32 = 0
      let reaped = waitpid(id, &status, WNOHANG)
      // If another thread reaped the child, its status is lost, which does not count as success.
      if reaped < 0, errno == ECHILD { status = 0xFF << 8 } else if reaped != id { return nil }
      ending = status & 0x7F != 0 ? .killed(status & 0x7F) : .exited(status >> 8 & 0xFF)
      return ending
    }
  }
}

extension ChildProcess.Ending: CustomStringConvertible {
  package var description: String {
    switch self {
    case .exited(let status): "exit status \(status)"
    case .killed(let signal): "signal \(signal)"
    }
  }
}

/// The end of a time limit for another program, by this computer's clock.
struct Deadline: Sendable {
  private let end: SuspendingClock.Instant

  init(after limit: Duration) { end = .now + limit }

  var hasPassed: Bool { .now >= end }
}
