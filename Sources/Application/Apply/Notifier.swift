@preconcurrency import Dispatch
import FoundationEssentials
import Glibc
package import Model
import Reporting
import Synchronization

/// Runs the operator's command for each room that gets its outcome, one call after the other, with the notice
/// as JSON on standard input. The run does not wait for the command, and the command does not affect the run.
package final class Notifier: Sendable {
  private let command: String
  private let queue = DispatchQueue(label: "notify")
  private let report = Mutex(RunReport())
  private let state = Mutex(State())

  private struct State {
    var failure: String?
    var isClosed = false
    var dropped = 0
  }

  /// One that takes longer is ended.
  private static let timeout = Duration.seconds(10)
  /// The time limit for notifications that are pending at the run's end.
  private static let farewell = DispatchTimeInterval.seconds(15)

  package init(_ command: String) {
    self.command = command
  }

  /// Handles an event of the run.
  package func take(_ event: RunEvent) {
    let notice = report.withLock { report -> EndingNotice? in
      report.apply(event)
      if case .roomFinished(let fact) = event.fact { return EndingNotice(fact, in: report) }
      return nil
    }
    guard let notice else { return }
    queue.async { [self] in send(notice) }
  }

  /// Waits for the remaining notices, at most 15 s, and reports failures.
  package func finish() {
    let done = DispatchSemaphore(value: 0)
    queue.async { done.signal() }
    if done.wait(timeout: .now() + Self.farewell) == .timedOut { state.withLock { $0.isClosed = true } }
    let (failure, dropped) = state.withLock { ($0.failure, $0.dropped) }
    if let failure { Messages.say("The command of --notify failed: \(failure)") }
    if dropped > 0 { Messages.say("The command of --notify was too slow. Notices not sent: \(dropped)") }
  }

  private func send(_ notice: EndingNotice) {
    if state.withLock({ state -> Bool in
      if state.isClosed { state.dropped += 1 }
      return state.isClosed
    }) {
      return
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    guard let text = try? encoder.encode(notice) else { return }
    if let failure = run(String(decoding: text, as: UTF8.self)) {
      state.withLock { $0.failure = $0.failure ?? failure }
    }
  }

  /// Runs the command once. Returns what went wrong.
  private func run(_ input: String) -> String? {
    let child: ChildProcess
    do throws(POSIXError) {
      // Its output is dropped: the screen belongs to the run.
      child = try ShellCommand.start(command, input: input, output: -1)
    } catch {
      return "it could not be started: \(error.text)"
    }
    switch child.wait(until: Deadline(after: Self.timeout)) {
    case .exited(0)?: return nil
    case .exited(let status)?: return "it ended with \(status)"
    case .killed(let signal)?: return "signal \(signal) ended it"
    case nil:
      child.stop()
      return "it did not end within \(Self.timeout.components.seconds) s"
    }
  }
}
