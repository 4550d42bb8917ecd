@preconcurrency import Dispatch
import Foundation
import Synchronization

/// What the person at the terminal types.
enum Keyboard {
  /// What `reading` makes of the next line, in the instant in which it was there: an empty one at the input's end, or
  /// when cancelled. Blocks none of Swift's threads.
  static func line<Answer: Sendable>(_ reading: @escaping @Sendable (String) -> Answer) async -> Answer {
    let answer = OneAnswer<Answer>()
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
    source.setEventHandler { @Sendable in answer.give(reading(readLine() ?? "")) }
    return await withTaskCancellationHandler {
      defer { source.cancel() }
      source.resume()
      return await answer.value()
    } onCancel: {
      answer.give(reading(""))
    }
  }

  /// Forgets what was typed before anybody was asked.
  static func forgetTyped() {
    tcflush(STDIN_FILENO, TCIFLUSH)
  }
}

/// The first answer given counts.
private final class OneAnswer<Answer: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Answer, Never>)
    case given(Answer)
  }

  private let state = Mutex<State>(.open)

  func give(_ answer: Answer) {
    let waiter = state.withLock { state -> CheckedContinuation<Answer, Never>? in
      switch state {
      case .open:
        state = .given(answer)
        return nil
      case .awaited(let waiter):
        state = .given(answer)
        return waiter
      case .given:
        return nil
      }
    }
    waiter?.resume(returning: answer)
  }

  func value() async -> Answer {
    await withCheckedContinuation { continuation in
      let given = state.withLock { state -> Answer? in
        if case .given(let answer) = state { return answer }
        state = .awaited(continuation)
        return nil
      }
      if let given { continuation.resume(returning: given) }
    }
  }
}
