import CLinux
@preconcurrency import Dispatch
import Foundation

/// Ctrl-C and a polite kill as a stream. The first is a request to stop in order; a second Ctrl-C, for who
/// cannot wait, ends the process at once: what is on record stays on record. A signal that the process was started to
/// ignore (`nohup`, `&` in a script) stays ignored.
struct Interruptions {
  let stream: AsyncStream<Void>
  private let sources: [any DispatchSourceSignal]

  /// Returns when signals are taken: from then on none ends the process. They are taken as long as this value lives, so whoever
  /// reads `stream` keeps it until the end (`withExtendedLifetime`).
  init(onFirst: @escaping @Sendable () -> Void = {}) {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    self.stream = stream
    sources = [SIGINT, SIGTERM, SIGHUP].filter { !clinux_is_ignored($0) }.map {
      Self.source(for: $0, continuation, onFirst)
    }
  }

  /// Runs `body`, cancels it when a person wants it to stop, and returns what it then still returns. To be used
  /// once, and not beside another reader of `stream`.
  func cancelling<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    defer { withExtendedLifetime(self) {} }
    return try await withThrowingTaskGroup(of: Result?.self) { [stream] group in
      group.addTask { try await body() }
      group.addTask {
        for await _ in stream { break }
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
    for number: Int32, _ continuation: AsyncStream<Void>.Continuation,
    _ onFirst: @escaping @Sendable () -> Void
  ) -> any DispatchSourceSignal {
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { @Sendable in
      // From here on the signal has its default effect again.
      signal(number, SIG_DFL)
      source.cancel()
      onFirst()
      continuation.yield()
    }
    // It is registered on a thread of Dispatch's; until then the signal has its default effect.
    let registered = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { @Sendable in registered.signal() }
    source.resume()
    registered.wait()
    return source
  }
}
