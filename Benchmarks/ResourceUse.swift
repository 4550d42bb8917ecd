import Foundation

/// The resources that this process has used.
struct ResourceUse {
  /// Real time, in seconds.
  var wall: Double
  /// CPU time of all threads, user and system, in seconds.
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

  /// The maximum resident memory so far.
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
