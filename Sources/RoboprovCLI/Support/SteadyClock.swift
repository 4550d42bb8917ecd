public import Bluetooth
import Synchronization

/// The machine's monotonic clock without the times in which this process stood still: a closed lid, SIGSTOP, a virtual
/// machine that was held. No timeout is charged for any of them.
///
/// That it stood still it knows from its readings being far apart. So it must be read again and again, as
/// `HostPauses` does each second.
public final class SteadyClock: TimeSource {
  /// A busy machine is late too, though hardly by as much.
  static let longestDelay = Duration.seconds(10)

  private let clock: any TimeSource
  private let readings: Mutex<Readings>

  private struct Readings {
    var last: MonotonicInstant
    /// Time that did not count.
    var lost: Duration = .zero
  }

  /// A clock whose zero is now.
  public convenience init() {
    self.init(of: SystemClock())
  }

  /// A clock that leaves out what this one cannot know of.
  init(of clock: any TimeSource) {
    self.clock = clock
    readings = Mutex(Readings(last: clock.now))
  }

  /// The time since its zero in which this process ran.
  public var now: MonotonicInstant {
    readings.withLock { readings in
      let now = clock.now
      let gap = readings.last.duration(to: now)
      if gap > Self.longestDelay { readings.lost += gap }
      readings.last = now
      return now.advanced(by: .zero - readings.lost)
    }
  }

  /// What the clock beneath promises.
  public var minimumResolution: Duration { clock.minimumResolution }

  /// Sleeps until its own time has come, however long this process stood still meanwhile.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(until deadline: MonotonicInstant, tolerance: Duration?) async throws {
    while true {
      let left = now.duration(to: deadline)
      guard left > .zero else { return }
      try await clock.sleep(until: clock.now.advanced(by: left), tolerance: tolerance)
    }
  }
}
