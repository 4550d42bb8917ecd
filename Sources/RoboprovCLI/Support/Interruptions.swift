import CLinux
@preconcurrency import Dispatch
import Foundation
import Model
import Reporting

/// Ctrl-C and a polite kill as a stream. The first is a request to stop in order; a second Ctrl-C, for who
/// cannot wait, ends the process at once: what is on record stays on record. A signal that the process was started to
/// ignore (`nohup`, `&` in a script) stays ignored.
struct Interruptions {
  /// `stop` for a signal, and what `ask` is given.
  let requests: AsyncStream<OperatorRequested.Request>
  private let asked: AsyncStream<OperatorRequested.Request>.Continuation
  private let sources: [any DispatchSourceSignal]

  /// Returns when signals are taken: from then on none ends the process. They are taken as long as this value lives, so whoever
  /// reads `requests` keeps it until the end (`withExtendedLifetime`).
  init(onFirst: @escaping @Sendable () -> Void = {}) {
    let (requests, asked) = AsyncStream.makeStream(of: OperatorRequested.Request.self)
    (self.requests, self.asked) = (requests, asked)
    sources = [SIGINT, SIGTERM, SIGHUP].filter { !clinux_is_ignored($0) }.map {
      Self.source(for: $0, asked, onFirst)
    }
  }

  /// What is written when the second signal ends the process.
  static func setLastWords(_ text: String) { clinux_set_last_words("\n" + text.visibleLines + "\n") }

  /// Asks for something else than a signal does: for a key that was pressed.
  func ask(_ request: OperatorRequested.Request) { asked.yield(request) }

  /// Runs `body`, cancels it when a person wants it to stop, and returns what it then still returns. To be used
  /// once, and not beside another reader of `requests`.
  func cancelling<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    defer { withExtendedLifetime(self) {} }
    return try await withThrowingTaskGroup(of: Result?.self) { [requests] group in
      group.addTask { try await body() }
      group.addTask {
        for await request in requests where request == .stop { break }
        return nil
      }
      while let ended = try await group.next() {
        group.cancelAll()
        if let result = ended { return result }
      }
      throw CancellationError()
    }
  }

  /// Formed outside any actor: a handler formed on the main actor would trap on the queue it runs on.
  private static func source(
    for number: Int32, _ asked: AsyncStream<OperatorRequested.Request>.Continuation,
    _ onFirst: @escaping @Sendable () -> Void
  ) -> any DispatchSourceSignal {
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { @Sendable in
      // From here on the signal ends the process.
      clinux_end_on_signal(number)
      source.cancel()
      onFirst()
      asked.yield(.stop)
    }
    // It is registered on a thread of Dispatch's; until then the signal has its default effect.
    let registered = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { @Sendable in registered.signal() }
    source.resume()
    registered.wait()
    return source
  }
}
