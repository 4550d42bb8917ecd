@preconcurrency import Dispatch
import Model
import Synchronization

/// Finds pauses in readings of the clocks. A value; it reads no clock itself.
struct HostPauseDetector {
  /// How far apart the readings are meant to be.
  let tick: Duration
  private var last: HostClocks

  /// The clock of sleep lags by no more than this without any.
  static let shortestSleep = Duration.milliseconds(500)
  /// A busy machine is late too, though hardly by as much.
  static let longestDelay = SteadyClock.longestDelay
  /// Time servers correct less than this by slewing, which nobody need know of.
  static let smallestStep = Duration.seconds(2)

  /// A detector that begins with a reading.
  init(_ first: HostClocks, tick: Duration) {
    last = first
    self.tick = tick
  }

  /// What happened between the last reading and this one: sleep first, then standing still, then a set clock.
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
    return pauses
  }
}

/// The pauses of this host as they are noticed, by looking at its clocks once a second.
enum HostPauses {
  /// A stream that begins now, for one reader; the clocks are looked at until that goes away.
  /// - Parameters:
  ///   - tick: How often to look.
  ///   - read: The clocks.
  static func stream(
    tick: Duration = .seconds(1), read: @escaping @Sendable () -> HostClocks = HostClocks.now
  ) -> AsyncStream<HostPause> {
    let (stream, continuation) = AsyncStream.makeStream(of: HostPause.self)
    let detector = Mutex(HostPauseDetector(read(), tick: tick))
    // A timer and not a loop that the reader pulls: the clocks are looked at also while the reader is busy.
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "host-pauses"))
    timer.setEventHandler { @Sendable in
      for pause in detector.withLock({ $0.pauses(until: read()) }) { continuation.yield(pause) }
    }
    continuation.onTermination = { _ in timer.cancel() }
    let interval = DispatchTimeInterval.milliseconds(Int(tick / .milliseconds(1)))
    timer.schedule(deadline: .now() + interval, repeating: interval)
    timer.resume()
    return stream
  }
}
