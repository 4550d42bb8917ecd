@preconcurrency import Dispatch
import Foundation
import Model
import Reporting
import Synchronization

/// Runs a person's command for each room that gets its outcome, one after the other, with the notice as JSON on its standard
/// input. The run does not wait for it, and nothing that the command does changes the run.
final class Notifier: Sendable {
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
  private static let patience = 10
  /// What is left at the run's end must end within this time.
  private static let farewell = DispatchTimeInterval.seconds(15)

  init(_ command: String) {
    self.command = command
  }

  /// Takes in an event of the run.
  func take(_ event: RunEvent) {
    let notice = report.withLock { report -> EndingNotice? in
      report.apply(event)
      if case .roomFinished(let fact) = event.fact { return EndingNotice(fact, in: report) }
      return nil
    }
    guard let notice else { return }
    queue.async { [self] in send(notice) }
  }

  /// Waits, bounded, until the commands have ended, and says what went wrong with them.
  func finish() {
    let done = DispatchSemaphore(value: 0)
    queue.async { done.signal() }
    if done.wait(timeout: .now() + Self.farewell) == .timedOut { state.withLock { $0.isClosed = true } }
    let (failure, dropped) = state.withLock { ($0.failure, $0.dropped) }
    if let failure { Console.say("The command of --notify failed: \(failure)") }
    if dropped > 0 { Console.say("The command of --notify was too slow: \(dropped) notices were not sent") }
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
    if let failure = run(text) {
      state.withLock { $0.failure = $0.failure ?? failure }
    }
  }

  /// Runs the command once. Returns what went wrong.
  private func run(_ input: Data) -> String? {
    let ended = DispatchSemaphore(value: 0)
    let process: Process
    do {
      // What it says is for nobody: the screen is the run's.
      process = try ShellCommand.start(command, input: input, output: .nullDevice, errors: .nullDevice) { _ in
        ended.signal()
      }
    } catch {
      return "it could not be started: \(error.localizedDescription)"
    }
    if ended.wait(timeout: .now() + .seconds(Self.patience)) == .timedOut {
      process.terminate()
      if ended.wait(timeout: .now() + .seconds(1)) == .timedOut { kill(process.processIdentifier, SIGKILL) }
      return "it did not end within \(Self.patience) s"
    }
    let status = process.terminationStatus
    return status == 0 ? nil : "it ended with \(status)"
  }
}
