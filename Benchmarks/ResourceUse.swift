import Foundation

/// What this process has used of the machine.
struct ResourceUse {
  /// Seconds.
  var wall: Double
  /// Seconds of all threads, in the kernel too.
  var cpu: Double

  static var now: Self {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let usage = usage
    return Self(
      wall: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9,
      cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime))
  }

  func since(_ earlier: Self) -> Self { Self(wall: wall - earlier.wall, cpu: cpu - earlier.cpu) }

  /// The most memory that was resident at any time.
  static var peakMegabytes: Double { Double(usage.ru_maxrss) / 1024 }

  private static var usage: rusage {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }
}
