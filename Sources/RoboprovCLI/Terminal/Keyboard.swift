@preconcurrency import Dispatch
import Foundation
import Waiting

/// What the person at the terminal types.
enum Keyboard {
  /// What `reading` makes of the next line, in the instant in which it was there: an empty one at the input's end, or
  /// when cancelled. Blocks none of Swift's threads.
  static func line<Answer: Sendable>(_ reading: @escaping @Sendable (String) -> Answer) async -> Answer {
    let answer = OneShot<Answer>()
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
    source.setEventHandler { @Sendable in answer.fulfill(reading(readLine() ?? "")) }
    return await withTaskCancellationHandler {
      defer { source.cancel() }
      source.resume()
      return await answer.valueEvenIfCancelled()
    } onCancel: {
      answer.fulfill(reading(""))
    }
  }

  /// Forgets what was typed before anybody was asked.
  static func forgetTyped() {
    tcflush(STDIN_FILENO, TCIFLUSH)
  }
}
