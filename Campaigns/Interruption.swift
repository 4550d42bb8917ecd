@preconcurrency import Dispatch
import Glibc
import Synchronization

/// Ctrl-C: the first one is noted, a second one ends the process.
final class Interruption: Sendable {
  private let isNoted = Atomic(false)
  private let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())

  /// Whether a person pressed Ctrl-C.
  var hasCome: Bool { isNoted.load(ordering: .relaxed) }

  init() {
    signal(SIGINT, SIG_IGN)
    source.setEventHandler { [self] in
      if isNoted.exchange(true, ordering: .relaxed) { _exit(130) }
      StandardError.say("\nStopping after the buildings in progress (Ctrl-C again: at once)")
    }
    // Dispatch registers the source on its own thread; until then the signal is ignored.
    let registered = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { registered.signal() }
    source.resume()
    registered.wait()
  }
}
