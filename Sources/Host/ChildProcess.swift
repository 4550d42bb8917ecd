import CLinux
package import FoundationEssentials
import Glibc
import Synchronization

/// A program that this process started, with all that it starts in its process group. It gets SIGTERM at the latest
/// when the thread that started it ends; what is left of its group is killed when it has ended.
package final class ChildProcess: Sendable {
  /// How a program ended.
  package enum Ending: Equatable, Sendable {
    case exited(Int32)
    /// A signal ended it.
    case killed(Int32)
  }

  private let id: pid_t
  /// The terminal that it may use, below 0 for none.
  private let terminal: Int32
  /// Nil while it runs or has not been waited for; after that, another process may have its id.
  private let ending = Mutex<Ending?>(nil)

  /// Restores the default of SIGCHLD. A parent that ignores it passes that on, and the kernel then discards
  /// the exit status of each child.
  package static func keepExitStatuses() { Glibc.signal(SIGCHLD, SIG_DFL) }

  /// Starts a program: by its path, or by a name that is looked up along PATH.
  /// - Parameters:
  ///   - words: The program and its arguments; no shell reads them.
  ///   - input: Its stdin; /dev/null below 0.
  ///   - terminal: The terminal at which it may ask a person, open until it has ended; below 0 for none.
  /// - Throws: The reason why it cannot be started.
  package init(
    _ words: [String], input: Int32 = -1, output: Int32, errors: Int32, terminal: Int32 = -1
  ) throws(POSIXError) {
    let arguments = words.flatMap { Array($0.utf8CString) }
    id = clinux_tool_start(arguments, arguments.count, input, output, errors, terminal)
    self.terminal = terminal
    guard id > 0 else { throw POSIXError.last }
  }

  /// Waits until it has ended.
  package func wait() -> Ending {
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
      if ending == nil { kill(-id, signal) }
    }
  }

  /// Ends it and waits for its end: with SIGTERM, after 1 s with SIGKILL.
  package func stop() {
    signal(SIGTERM)
    // A stopped process does not handle SIGTERM before it continues.
    signal(SIGCONT)
    if wait(until: Deadline(after: .seconds(1))) != nil { return }
    signal(SIGKILL)
    _ = wait()
  }

  /// Whether it has ended.
  package var hasEnded: Bool { ending.withLock { $0 != nil } || clinux_child_has_ended(id) }

  private func reap() -> Ending? {
    ending.withLock { ending in
      if let ending { return ending }
      guard clinux_child_has_ended(id) else { return nil }
      // Until it is reaped, no other group has its id.
      kill(-id, SIGKILL)
      if terminal >= 0 { clinux_take_foreground(terminal) }
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

extension ChildProcess {
  /// What a program wrote, and how it ended.
  package struct Outcome {
    /// Nil if it was ended: by its time limit, or because it wrote too much.
    package fileprivate(set) var ending: Ending?
    package fileprivate(set) var output: [UInt8] = []
    package fileprivate(set) var errors: [UInt8] = []
    /// Whether it wrote more than was allowed.
    package fileprivate(set) var wroteTooMuch = false
  }

  /// Runs a program to its end and reads what it writes. Processes that it leaves behind hold nothing up.
  /// - Parameters:
  ///   - input: Its stdin; /dev/null below 0.
  ///   - terminal: Whether it may ask at the terminal, if there is one. Its stdin is then the terminal.
  ///   - timeout: After it, the program is ended.
  ///   - limit: The maximum number of bytes of its stdout, and of its stderr.
  ///   - heard: Called with what its stderr has so far, several times a second.
  /// - Throws: The reason why it cannot be started.
  package static func run(
    _ words: [String], input: Int32 = -1, atTerminal: Bool = false, within timeout: Duration,
    atMost limit: Int, _ heard: (_ errors: [UInt8]) -> Void = { _ in }
  ) throws(POSIXError) -> Outcome {
    let terminal = atTerminal ? open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY) : -1
    defer { if terminal >= 0 { close(terminal) } }
    let output = try ProcessPipe()
    defer { output.close() }
    let errors = try ProcessPipe()
    defer { errors.close() }
    let child = try ChildProcess(
      words, input: atTerminal ? terminal : input, output: output.writing, errors: errors.writing,
      terminal: terminal)
    output.closeWriting()
    errors.closeWriting()
    let deadline = Deadline(after: timeout)
    var outcome = Outcome()
    while true {
      // What it wrote before its end is read after this.
      let isOver = child.hasEnded
      let isOpen = (
        output.read(into: &outcome.output, atMost: limit + 1),
        errors.read(into: &outcome.errors, atMost: limit + 1)
      )
      heard(outcome.errors)
      outcome.wroteTooMuch = max(outcome.output.count, outcome.errors.count) > limit
      if isOver {
        outcome.ending = child.wait()
        return outcome
      }
      if deadline.hasPassed || outcome.wroteTooMuch {
        child.stop()
        return outcome
      }
      if isOpen.0 || isOpen.1 { ProcessPipe.wait(for: [output, errors]) } else { poll(nil, 0, 10) }
    }
  }
}

/// The end of a time limit for another program, by this computer's clock.
package struct Deadline: Sendable {
  private let end: SuspendingClock.Instant

  package init(after limit: Duration) { end = .now + limit }

  package var hasPassed: Bool { .now >= end }
}
