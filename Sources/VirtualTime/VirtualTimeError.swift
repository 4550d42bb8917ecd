public import Bluetooth

/// Why a run in virtual time cannot be trusted, or did not end.
public enum VirtualTimeError: Error, Hashable, Sendable {
  /// Nothing can happen any more: no job is runnable and nobody sleeps, but the body has not ended.
  /// It waits for something that only itself could bring about.
  case deadlock(at: MonotonicInstant)
  /// Jobs came from a thread other than the simulation's: something left it (a bare `Task {}`, `Task.detached`,
  /// the main actor, a queue) and came back, in an order that no seed decides.
  case escaped(jobs: Int)
}
