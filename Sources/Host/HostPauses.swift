@preconcurrency import Dispatch
import Model
import Synchronization

/// Detects pauses from readings of the clocks. It reads no clock itself.
struct HostPauseDetector {
  /// The intended interval of the readings.
  let tick: Duration
  private var last: HostClocks
  /// The reading from which the present wait for processors counts.
  private var windowBegin: HostClocks

  /// The shortest difference between the clocks that counts as sleep.
  static let shortestSleep = Duration.milliseconds(500)
  /// The longest delay of a reading that counts as load of the machine.
  static let longestDelay = SteadyClock.longestDelay
  /// The smallest clock step to report. Time servers correct smaller differences gradually.
  static let smallestStep = Duration.seconds(2)
  /// The time over which the wait for a processor is counted.
  static let window = Duration.seconds(10)
  /// The smallest share of waiting that counts as a busy host: a run then takes a tenth longer
  /// (docs/internals/performance.md).
  static let busyShare = 0.2

  init(_ first: HostClocks, tick: Duration) {
    (last, windowBegin) = (first, first)
    self.tick = tick
  }

  /// The pauses between the last reading and this one: sleep first, then a stopped process, a set clock, and a busy host.
  mutating func pauses(until now: HostClocks) -> [HostPause] {
    defer { last = now }
    let boot = now.boot - last.boot
    let awake = now.awake - last.awake
    let delay = awake - tick
    let step = now.wall - last.wall - boot
    var pauses: [HostPause] = []
    if boot - awake > Self.shortestSleep {
      pauses.append(HostPause(.suspended, seconds: (boot - awake) / .seconds(1)))
    }
    if delay > Self.longestDelay { pauses.append(HostPause(.stopped, seconds: delay / .seconds(1))) }
    if step > Self.smallestStep || step < .zero - Self.smallestStep {
      pauses.append(HostPause(.clockSet, seconds: step / .seconds(1)))
    }
    if let busy = busy(until: now) { pauses.append(busy) }
    return pauses
  }

  /// The wait for a processor, at the end of each window in which it was too long.
  private mutating func busy(until now: HostClocks) -> HostPause? {
    let length = now.awake - windowBegin.awake
    guard length >= Self.window else { return nil }
    defer { windowBegin = now }
    guard let before = windowBegin.waited, let after = now.waited else { return nil }
    let waited = after - before
    return waited / length < Self.busyShare ? nil : HostPause(.busy, seconds: waited / .seconds(1))
  }
}

/// The pauses of this host, detected by reading its clocks once a second.
final class HostPauses: Sendable {
  private struct Readers {
    /// By the number of the stream.
    var open: [Int: AsyncStream<HostPause>.Continuation] = [:]
    var streams = 0
  }

  private let readers = Mutex(Readers())
  private let timer: any DispatchSourceTimer

  /// - Parameters:
  ///   - tick: The interval of the readings.
  ///   - read: Reads the clocks.
  init(
    tick: Duration = .seconds(1), read: @escaping @Sendable () -> HostClocks = HostClocks.now
  ) {
    let detector = Mutex(HostPauseDetector(read(), tick: tick))
    // A timer reads the clocks even while the readers of the streams are busy.
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "host-pauses"))
    timer.setEventHandler { @Sendable [weak self] in
      let pauses = detector.withLock { $0.pauses(until: read()) }
      self?.readers.withLock { readers in
        for reader in readers.open.values { for pause in pauses { reader.yield(pause) } }
      }
    }
    let interval = DispatchTimeInterval.milliseconds(Int(tick / .milliseconds(1)))
    timer.schedule(deadline: .now() + interval, repeating: interval)
    timer.resume()
  }

  deinit { timer.cancel() }

  /// A stream for one reader, of the pauses from now on.
  func stream() -> AsyncStream<HostPause> {
    let (stream, continuation) = AsyncStream.makeStream(of: HostPause.self)
    let number = readers.withLock { readers in
      readers.streams += 1
      readers.open[readers.streams] = continuation
      return readers.streams
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.readers.withLock { $0.open.removeValue(forKey: number) }
    }
    return stream
  }
}
