import CLinux
import Reporting
@preconcurrency import Dispatch
import FoundationEssentials
import Glibc
package import Model

/// SIGINT (Ctrl-C), SIGTERM and SIGHUP as a stream. The first signal requests an orderly stop; the second
/// ends the process immediately, and the record stays complete. A signal that the process inherited as
/// ignored (`nohup`, `&` in a script) stays ignored.
package struct Interruptions {
  /// `stop` for a signal, and the requests given to `ask`.
  package let requests: AsyncStream<OperatorRequested.Request>
  private let asked: AsyncStream<OperatorRequested.Request>.Continuation
  private let sources: [any DispatchSourceSignal]

  /// Returns when the handlers are installed; from then on the first signal does not end the process. The
  /// handlers stay installed while this value lives, so a reader of `requests` keeps it with
  /// `withExtendedLifetime`.
  package init(onFirst: @escaping @Sendable () -> Void = {}) {
    let (requests, asked) = AsyncStream.makeStream(of: OperatorRequested.Request.self)
    (self.requests, self.asked) = (requests, asked)
    if let surroundings = Surroundings.current {
      sources = []
      surroundings.onInterrupt {
        onFirst()
        asked.yield(.stop)
      }
      return
    }
    sources = [SIGINT, SIGTERM, SIGHUP].filter { !clinux_is_ignored($0) }.map {
      Self.source(for: $0, asked, onFirst)
    }
  }

  /// The text that is written when the second signal ends the process.
  package static func setLastWords(_ text: String) { clinux_set_last_words("\n" + text.visibleLines + "\n") }

  /// Sends a request that comes from a key, not from a signal.
  package func ask(_ request: OperatorRequested.Request) { asked.yield(request) }

  /// Runs `body`, cancels it on the first signal, and returns its result. Use it once, and not beside another
  /// reader of `requests`.
  package func cancelling<Result: Sendable>(
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

  /// The handler is formed outside any actor: one formed on the main actor would trap on the queue that runs
  /// it.
  private static func source(
    for number: Int32, _ asked: AsyncStream<OperatorRequested.Request>.Continuation,
    _ onFirst: @escaping @Sendable () -> Void
  ) -> any DispatchSourceSignal {
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { @Sendable in
      // The next signal ends the process.
      clinux_end_on_signal(number)
      source.cancel()
      onFirst()
      asked.yield(.stop)
    }
    // Dispatch registers the source on its own thread; until then the signal has its default effect.
    let registered = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { @Sendable in registered.signal() }
    source.resume()
    registered.wait()
    return source
  }
}
