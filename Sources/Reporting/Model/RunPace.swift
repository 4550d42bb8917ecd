package import Model

/// The pace of provisioning, failures included, and an estimate for other rooms.
package struct RunPace: Hashable, Sendable {
  /// Seconds a device takes in the radio lab, one after the other on one adapter (docs/bluez.md: 13.7 devices a minute).
  package static let unmeasuredSeconds = 4.4

  /// The number of rooms with an attempt and an outcome.
  package private(set) var rooms = 0
  /// Time in which any attempt was in flight.
  private var busy = Duration.zero
  /// The sum of the rooms' times, each from its first attempt to its outcome.
  private var latency = Duration.zero

  private var inFlight = 0
  private var busySince = Duration.zero

  /// A pace of no rooms.
  package init() {}

  /// The pace of these events of one run.
  package init(_ events: some Sequence<RunEvent>) {
    for event in events { apply(event) }
  }

  /// Applies the next event of a run.
  package mutating func apply(_ event: RunEvent) {
    switch event.fact {
    case .attemptStarted:
      if inFlight == 0 { busySince = event.elapsed }
      inFlight += 1
    case .attemptEnded:
      guard inFlight > 0 else { return }
      inFlight -= 1
      if inFlight == 0 { busy += event.elapsed - busySince }
    // A second outcome of a room, which takes its proof back, has this reason.
    case .roomFinished(let fact) where fact.attempts > 0 && fact.reason?.code != .contradictorySightings:
      rooms += 1
      latency += .seconds(fact.seconds)
    default: break
    }
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
    let open = inFlight > 0 ? elapsed.map { max(.zero, $0 - busySince) } ?? .zero : .zero
    return latency / rooms + (busy + open) / rooms * (count - 1)
  }

  /// Seconds from one room to the next; nil without a measured room.
  package var secondsPerRoom: Double? { rooms > 0 ? busy.inSeconds / Double(rooms) : nil }
}
