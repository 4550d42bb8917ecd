import Bluetooth
import Model
import Synchronization
import Waiting

/// The pending inputs of a run, in the order of arrival. Any task may post; one task takes them.
final class Inbox: Sendable {
  private struct State {
    var inputs: [RunInput] = []
    /// Whether the instant that `take` waits for has come.
    var isDue = false
  }

  private let state = Mutex(State())
  /// Signalled at each change of the state.
  private let changed = AutoResetEvent()

  func post(_ input: RunInput) {
    state.withLock { $0.inputs.append(input) }
    changed.signal()
  }

  /// The inputs since the last call; waits for the first one if there is none. Empty when the instant came
  /// first.
  func take(until instant: MonotonicInstant?, on clock: any TimeSource) async -> [RunInput] {
    if let inputs = takeReady() { return inputs }
    let timer = instant.map { instant in
      clock.schedule(at: instant) { [self] in
        state.withLock { $0.isDue = true }
        changed.signal()
      }
    }
    defer { timer?.cancel() }
    while true {
      await changed.waitEvenIfCancelled()
      if let inputs = takeReady() { return inputs }
    }
  }

  /// The inputs that are there, or none once the instant has come; nil while neither is so.
  private func takeReady() -> [RunInput]? {
    state.withLock { state in
      guard !state.inputs.isEmpty || state.isDue else { return nil }
      defer { state = State() }
      return state.inputs
    }
  }
}
