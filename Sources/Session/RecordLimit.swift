import Bluetooth
import FoundationEssentials
import Model

/// Bounds how fast a run's record grows: observations that come faster are left out and counted, and the count
/// goes on record.
///
/// Only observations may be left out, because no decision of a later run needs them: scan windows, sightings of
/// devices without a room, statuses without a meaning, repeated facts about adapters. Everything about a room, its
/// attempts and its outcome is always recorded; the run's own limits bound how often that happens.
struct RecordLimit {
  /// The bytes of observations that may come at once, and for each room of the building.
  static let burst = 100_000.0
  static let burstPerRoom = 1_000.0
  /// The bytes of observations per second after that. With it a record of one room, with all its attempts, stays
  /// below 200 kB and 20 kB per second.
  static let rate = 10_000.0
  /// The minimum time between two counts on record.
  static let interval = Duration.seconds(10)
  /// What a line of the journal has besides its payload, in bytes: numbers, times and a hash.
  private static let frame = 250.0

  private var allowance = burst
  private var largest = burst
  private var counted = Duration.zero
  private var omitted: [Fact.Kind: Int] = [:]
  private var lastCount: Duration?
  /// The devices of rooms.
  private var named: Set<BluetoothAddress> = []
  /// The facts about adapters on record, without their texts: the same again is an observation.
  private var adapterFacts: Set<AdapterFact> = []
  private static let mostAdapterFacts = 50
  /// The adapters whose present scan window has no beginning on record.
  private var omittedWindows: Set<AdapterID> = []

  /// The facts to record for a new one, in order: it, unless it is left out, and before it a count that is due.
  /// - Parameter elapsed: Since the run began; never earlier than in the call before.
  mutating func admitted(_ fact: Fact, at elapsed: Duration) -> [Fact] {
    learn(fact)
    allowance = min(allowance + Self.rate * ((elapsed - counted) / .seconds(1)), largest)
    counted = elapsed
    let isLast = fact.kind == "run_finished"
    let isAdmitted = takes(fact)
    if !isAdmitted { omitted[fact.kind, default: 0] += 1 }
    var facts: [Fact] = []
    if !omitted.isEmpty, isLast || lastCount.map({ elapsed - $0 >= Self.interval }) ?? true {
      let counts = omitted.sorted { $0.key.rawValue < $1.key.rawValue }
      facts.append(.eventsOmitted(EventsOmitted(counts.map { .init($0.key, $0.value) })))
      omitted = [:]
      lastCount = elapsed
    }
    if isAdmitted { facts.append(fact) }
    return facts
  }

  private struct AdapterFact: Hashable, Sendable {
    var adapter: AdapterID
    var fault: AdapterFault.Kind?
    var address: BluetoothAddress?
  }

  private mutating func learn(_ fact: Fact) {
    switch fact {
    case .runStarted(let fact):
      named.formUnion(fact.rooms.compactMap(\.address))
      largest = Self.burst + Self.burstPerRoom * Double(fact.rooms.count)
      allowance = largest
    case .bindingCommitted(let fact): named.insert(fact.address)
    default: break
    }
  }

  /// Whether a fact is recorded. An observation is paid from the allowance.
  private mutating func takes(_ fact: Fact) -> Bool {
    // Both ends of a window are recorded, or none.
    if case .scanStopped(let window) = fact { return omittedWindows.remove(window.adapter) == nil }
    guard isObservation(fact) else { return true }
    let size = Self.size(of: fact)
    guard allowance >= size else {
      if case .scanStarted(let window) = fact { omittedWindows.insert(window.adapter) }
      return false
    }
    allowance -= size
    return true
  }

  private mutating func isObservation(_ fact: Fact) -> Bool {
    switch fact {
    case .scanStarted, .deviceUnclaimed, .linkReleased, .foreignScanDetected, .adapterAwaited,
      .hostUnavailable:
      true
    case .deviceSighted(let sighting): !named.contains(sighting.address)
    case .statusReceived(let status): status.meaning == .other || status.meaning == .stale
    case .adapterSelected(let selected): isRepeated(AdapterFact(adapter: selected.adapter))
    case .adapterFaulted(let fault):
      isRepeated(AdapterFact(adapter: fault.adapter, fault: fault.fault, address: fault.address))
    default: false
    }
  }

  private mutating func isRepeated(_ fact: AdapterFact) -> Bool {
    adapterFacts.count >= Self.mostAdapterFacts || !adapterFacts.insert(fact).inserted
  }

  private static func size(of fact: Fact) -> Double {
    let payload = try? JSONEncoder().encode(Payload(fact: fact))
    // The end of a window has the same size and comes without being asked for.
    let parts = if case .scanStarted = fact { 2.0 } else { 1.0 }
    return (frame + Double(payload?.count ?? 0)) * parts
  }

  private struct Payload: Encodable {
    let fact: Fact

    func encode(to encoder: any Encoder) throws { try fact.payload.encode(to: encoder) }
  }
}
