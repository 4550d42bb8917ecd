import Bluetooth
import Model
import Synchronization

/// The inputs of a run that wait for the machine, in the order in which they came. Anybody may post; one task takes them.
final class Inbox: Sendable {
  private struct State {
    var inputs: [RunInput] = []
    var isWoken = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// Adds an input.
  func post(_ input: RunInput) {
    wake { $0.inputs.append(input) }
  }

  /// The inputs that have come since this was last asked, waiting for one if need be; none when the instant came first.
  func take(until instant: MonotonicInstant?, on clock: any TimeSource) async -> [RunInput] {
    if let inputs = takeReady() { return inputs }
    let timer = instant.map { clock.schedule(at: $0) { [self] in wake { $0.isWoken = true } } }
    await withCheckedContinuation { continuation in
      let isNow = state.withLock { state in
        if !state.inputs.isEmpty || state.isWoken { return true }
        precondition(state.waiter == nil, "one task takes inputs")
        state.waiter = continuation
        return false
      }
      if isNow { continuation.resume() }
    }
    timer?.cancel()
    return takeReady() ?? []
  }

  private func takeReady() -> [RunInput]? {
    state.withLock { state in
      state.isWoken = false
      guard !state.inputs.isEmpty else { return nil }
      defer { state.inputs = [] }
      return state.inputs
    }
  }

  private func wake(_ change: (inout State) -> Void) {
    let waiter = state.withLock { state in
      change(&state)
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume()
  }
}
