package import Model

/// The pace of provisioning, failures included, and an estimate for other rooms.
package struct RunPace: Hashable, Sendable {
  /// Seconds a device takes in the radio lab, one after the other on one adapter (docs/bluez.md: 13.7 devices a minute).
  package static let unmeasuredSeconds = 4.4

  /// The number of rooms with an attempt and an outcome.
  package private(set) var rooms = 0
  /// Time in which any attempt was in flight, with the scan windows in between.
  private var busy = Duration.zero
  /// The sum of the rooms' times, each from its first attempt to its outcome.
  private var latency = Duration.zero

  /// The rooms that were written, or have ended, after an attempt: each is a step of the run, although its proof may
  /// come much later, together with others.
  package private(set) var reached: Set<RoomID> = []
  private var ended: Set<RoomID> = []
  /// The rooms whose last attempt failed, and the time that failed attempts take.
  private var failing: Set<RoomID> = []
  private var failures = 0
  private var failedSeconds = 0.0
  /// The time from the last write to its proof: about a scan window.
  private static let proof = Duration.seconds(8)

  private var inFlight = 0
  private var busySince = Duration.zero
  /// When the last attempt in flight ended; nil before the first one.
  private var idleSince: Duration?
  /// The longest time without an attempt that belongs to the work: two scan windows. Longer ones are pauses.
  private static let longestGap = Duration.seconds(16)

  /// A pace of no rooms.
  package init() {}

  /// The pace of these events of one run.
  package init(_ events: some Sequence<RunEvent>) {
    for event in events { apply(event) }
  }

  /// Applies the next event of a run.
  package mutating func apply(_ event: RunEvent) {
    switch event.fact {
    case .saveSubmitted(let fact): reached.insert(fact.room)
    case .attemptStarted(let fact):
      failing.remove(fact.room)
      if inFlight == 0 {
        busy += gap(until: event.elapsed)
        busySince = event.elapsed
      }
      inFlight += 1
    case .attemptEnded(let fact):
      if fact.failure != nil {
        failing.insert(fact.room)
        failures += 1
        failedSeconds += fact.seconds
      }
      guard inFlight > 0 else { return }
      inFlight -= 1
      if inFlight == 0 {
        busy += event.elapsed - busySince
        idleSince = event.elapsed
      }
    // A second outcome of a room, which takes its proof back, has this reason.
    case .roomFinished(let fact) where fact.attempts > 0 && fact.reason?.code != .contradictorySightings:
      rooms += 1
      reached.insert(fact.room)
      ended.insert(fact.room)
      failing.remove(fact.room)
      latency += .seconds(fact.seconds)
    default: break
    }
  }

  private func gap(until elapsed: Duration) -> Duration {
    idleSince.map { max(.zero, min(elapsed - $0, Self.longestGap)) } ?? .zero
  }

  /// Both together, as if the second run had followed the first.
  package static func + (a: Self, b: Self) -> Self {
    var sum = a
    sum.rooms += b.rooms
    sum.busy += b.busy
    sum.latency += b.latency
    return sum
  }

  /// The time that this many rooms will take: the first as long as a room took from its first attempt to its outcome, the
  /// others at the pace at which rooms followed each other. Nil without a measured room.
  /// - Parameter elapsed: Time since the run began, for attempts that are in flight now.
  package func estimate(of count: Int, at elapsed: Duration? = nil) -> Duration? {
    guard rooms > 0 else { return nil }
    guard count > 0 else { return .zero }
    let open = elapsed.map { inFlight > 0 ? max(.zero, $0 - busySince) : gap(until: $0) } ?? .zero
    return latency / rooms + (busy + open) / rooms * (count - 1)
  }

  /// The time that the rest of this run takes: the rooms that were not reached, at the pace so far; another attempt of
  /// each room whose last one failed; and the proof of what was written. Nil before the first room was reached.
  /// - Parameters:
  ///   - left: The number of rooms without an outcome.
  ///   - elapsed: Time since the run began.
  package func remaining(of left: Int, at elapsed: Duration) -> Duration? {
    guard !reached.isEmpty else { return nil }
    let open = inFlight > 0 ? max(.zero, elapsed - busySince) : gap(until: elapsed)
    let unreached = max(0, left - reached.subtracting(ended).count - failing.subtracting(reached).count)
    let again = failures > 0 ? failedSeconds / Double(failures) * Double(failing.count) : 0
    return (busy + open) / reached.count * unreached + .seconds(again) + Self.proof
  }

  /// Seconds from one room to the next; nil without a measured room.
  package var secondsPerRoom: Double? { rooms > 0 ? busy.inSeconds / Double(rooms) : nil }
}
