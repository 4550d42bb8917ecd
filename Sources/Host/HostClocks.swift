import CLinux
import FoundationEssentials
import Model

/// A reading of the kernel's clocks at one instant. Each clock has its own zero.
package struct HostClocks: Hashable, Sendable {
  /// Time since the start of the machine, sleep included (CLOCK_BOOTTIME).
  var boot: Duration
  /// The same without the times of sleep (CLOCK_MONOTONIC).
  var awake: Duration
  /// The time of day, which an administrator or a time server can set (CLOCK_REALTIME).
  package var wall: Duration
  /// How long the process's first thread, which does a run's work, was ready to run and waited for a processor;
  /// nil if the kernel does not count it (CONFIG_SCHED_INFO).
  var waited: Duration?

  /// Whether the kernel reports that a time server synchronises the clock; nil if it does not report that.
  package static var isSynchronised: Bool? {
    if Surroundings.current?.computer != nil { return true }
    return switch clinux_clock_is_synchronised() {
    case 0: false
    case 1: true
    default: nil
    }
  }

  /// Reads all clocks. If the process is stopped between two readings, the delay looks like a difference
  /// between clocks, so the readings are repeated until they take less than 5 ms, at most 8 times.
  package static func now() -> HostClocks {
    var clocks = HostClocks(boot: .zero, awake: .zero, wall: .zero)
    for _ in 0..<8 {
      clocks = HostClocks(
        boot: .nanoseconds(clinux_clock_boot()), awake: .nanoseconds(clinux_clock_awake()),
        wall: .nanoseconds(clinux_clock_wall()))
      if .nanoseconds(clinux_clock_boot()) - clocks.boot < .milliseconds(5) { break }
    }
    // The time on a processor, the time of waiting for one, both in ns, and the number of time slices
    // (the kernel's Documentation/scheduler/sched-stats.rst).
    let counts = try? String(contentsOfFile: "/proc/self/schedstat", encoding: .utf8).split(separator: " ")
    clocks.waited = counts.flatMap { $0.count == 3 ? Int64($0[1], in: 0...Int64.max) : nil }.map {
      .nanoseconds($0)
    }
    return clocks
  }
}
