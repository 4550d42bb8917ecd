package import Bluetooth

/// Why a run in virtual time did not end or is not deterministic.
package enum VirtualTimeError: Error, Hashable, Sendable {
  /// No job can run and no timer is set, but the body has not ended. The body waits for something that only
  /// the simulation could cause.
  case deadlock(at: MonotonicInstant)
  /// Jobs came from a thread other than the simulation's: work left the simulation (a bare `Task {}`,
  /// `Task.detached`, the main actor, a queue) and returned in an order that no seed determines.
  case escaped(jobs: Int)
}
