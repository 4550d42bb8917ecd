import CLinux

/// What the kernel's clocks say at one instant; each counts from an instant of its own.
struct HostClocks: Hashable, Sendable {
  /// Time since the start of the machine, sleep included (CLOCK_BOOTTIME).
  var boot: Duration
  /// The same without the times in which it slept (CLOCK_MONOTONIC).
  var awake: Duration
  /// The time of day, which a person or a time server may set (CLOCK_REALTIME).
  var wall: Duration

  /// Whether a time server keeps the time of day right, by the kernel's word; nil when it does not say.
  static var isSynchronised: Bool? {
    switch clinux_clock_is_synchronised() {
    case 0: false
    case 1: true
    default: nil
    }
  }

  /// Reads all of them. A process can be stopped between two readings, and what is late then would look like a
  /// difference: so they are read again until little time went by, a few times at most.
  static func now() -> HostClocks {
    var clocks = HostClocks(boot: .zero, awake: .zero, wall: .zero)
    for _ in 0..<8 {
      clocks = HostClocks(
        boot: .nanoseconds(clinux_clock_boot()), awake: .nanoseconds(clinux_clock_awake()),
        wall: .nanoseconds(clinux_clock_wall()))
      if .nanoseconds(clinux_clock_boot()) - clocks.boot < .milliseconds(5) { break }
    }
    return clocks
  }
}
