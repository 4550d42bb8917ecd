package import Bluetooth
package import FoundationEssentials
package import Model

/// A run, folded from its events so far. All reports and the live display read it.
///
/// Total: any prefix of a run's events gives a report, also the record of a run that was killed.
package struct RunReport: Hashable, Sendable {
  /// The value of `run.outcome` without an end on record: the run was killed, or is in progress.
  package static let unfinished = "unfinished"

  /// The start of the run; nil while there is no event.
  package private(set) var run: RunStarted?
  package private(set) var started: Date?
  /// When it ended; nil when the record has no end.
  package private(set) var finished: Date?
  /// Time from the run's beginning to its newest event.
  package private(set) var elapsed: Duration = .zero
  /// How it ended; nil when the record has no end.
  package private(set) var outcome: RunOutcome?
  package private(set) var interruption: RunInterrupted?
  /// The adapters taken into use, newest state of each, in the order of their first use.
  package private(set) var adapters: [AdapterSelected] = []
  /// Adapters that another program scanned with, in the order in which that was found.
  package private(set) var foreignScans: [ForeignScanDetected] = []
  /// The rooms, in the manifest's order.
  package private(set) var rooms: [RoomReport] = []

  package private(set) var tally = RunTally()

  /// Whether the run used an adapter: it scanned, or started an attempt. A run that did not is no evidence of the building.
  package private(set) var reachedRadio = false

  package private(set) var unclaimed: [DeviceUnclaimed] = []

  /// Whether the run stood still: a pause, a wait for an adapter or for a person's judgement of the first rooms.
  private(set) var hasPaused = false
  private var hasAwaitedOperator = false
  /// For how many seconds roboprov waited for a processor, as far as that is on record.
  private(set) var secondsOfBusyHost = 0.0
  /// That the computer, not the radio, was the limit, as a sentence; nil if it was not.
  var busyHost: String? {
    guard secondsOfBusyHost > 0 else { return nil }
    return
      "The computer was busy: for \(secondsOfBusyHost.asSeconds) of the run roboprov waited for a processor."
  }

  /// Whether something other than the radio took time: also a room that waited for a person, another program, or a busy host.
  var hasWaited: Bool { hasPaused || hasAwaitedOperator || !foreignScans.isEmpty || secondsOfBusyHost > 0 }

  /// Nil where the record shows too little.
  package var speed: RunSpeed? { RunSpeed(self) }

  private var places: [RoomID: Int] = [:]
  private var owners: [BluetoothAddress: Int] = [:]
  private var signals: [BluetoothAddress: Int] = [:]
  private var received: Set<BluetoothAddress> = []

  /// A report of no events.
  package init() {}

  /// The report of these events.
  package init(_ events: some Sequence<RunEvent>) {
    for event in events { apply(event) }
  }

  /// Applies the next event.
  package mutating func apply(_ event: RunEvent) {
    elapsed = max(elapsed, event.elapsed)
    if case .attemptStarted = event.fact { reachedRadio = true }
    switch event.fact {
    case .runStarted(let fact):
      begin(fact, at: event.at)
    case .adapterSelected(let fact):
      if let place = adapters.firstIndex(where: { $0.adapter == fact.adapter }) {
        adapters[place] = fact
      } else {
        adapters.append(fact)
      }
    case .scanStarted:
      reachedRadio = true
    case .foreignScanDetected(let fact):
      foreignScans.removeAll { $0.adapter == fact.adapter }
      foreignScans.append(fact)
    case .deviceSighted(let fact):
      received.insert(fact.address)
      signals[fact.address] = fact.rssi ?? signals[fact.address]
      if let place = owners[fact.address] { rooms[place].received(fact.rssi) }
    case .deviceUnclaimed(let fact):
      unclaimed.removeAll { $0.address == fact.address }
      unclaimed.append(fact)
    case .runInterrupted(let fact):
      interruption = fact
    case .runFinished(let fact):
      outcome = fact.outcome
      finished = event.at
    case .hostPaused(let fact) where fact.kind == .busy:
      secondsOfBusyHost += fact.seconds
    case .adapterAwaited, .hostPaused, .operatorRequested, .canariesJudged:
      hasPaused = true
    case .scanStopped, .hostUnavailable, .adapterFaulted, .linksHeld, .linkReleased, .bondIntended,
      .bondRemoved,
      .eventsOmitted:
      break
    case .bindingCommitted, .bindingReleased, .roomRetired, .roomAccepted, .roomVerified, .attemptStarted,
      .operatorAwaited, .stageStarted,
      .stageEnded, .statusReceived, .settingsRead, .wifiChecked, .deviceDescribed, .elapsedSent,
      .settingWritten,
      .saveSubmitted, .linkEnded, .proofReceived, .attemptEnded, .retryScheduled, .roomFinished:
      if case .operatorAwaited = event.fact { hasAwaitedOperator = true }
      if let room = event.fact.room { applyToRoom(room, event) }
    }
    if let evidence = event.fact.evidence, evidence.run == nil { received.insert(evidence.address) }
  }

  /// The room with this identity, or nil.
  package subscript(room: RoomID) -> RoomReport? {
    places[room].map { rooms[$0] }
  }

  /// Whether a device was received in this run: reported by an adapter, or proved by what it sent.
  package func hasReceived(_ address: BluetoothAddress) -> Bool { received.contains(address) }

  package private(set) var titles = SettingTitles()

  /// The number of rooms with this outcome; in a record without an end, with this state.
  package func count(_ outcome: Outcome) -> Int {
    rooms.count { $0.outcome == outcome }
  }

  package var selected: [RoomReport] { rooms.filter { !$0.isExcluded } }

  /// The host's name of an adapter; nil where it is not on record.
  package func name(of adapter: AdapterID?) -> String? {
    adapters.first { $0.adapter == adapter }?.name
  }

  /// Name and version of the Bluetooth stack; nil where they are not on record.
  package var stack: String? { adapters.lazy.compactMap(\.stack).first }

  /// Version of BlueZ, without its name: `5.66`. Another stack is given with its name.
  package var bluezVersion: String? {
    guard let stack else { return nil }
    let name = "BlueZ "
    return stack.hasPrefix(name) ? String(stack.dropFirst(name.count)) : stack
  }

  private mutating func begin(_ fact: RunStarted, at: Date) {
    run = fact
    started = at
    titles = SettingTitles(fact.families ?? [])
    for planned in fact.rooms { add(planned) }
  }

  private mutating func add(_ planned: PlannedRoom) {
    guard places[planned.room] == nil else { return }
    places[planned.room] = rooms.count
    if let address = planned.address { owners[address] = rooms.count }
    rooms.append(RoomReport(planned, run?.families?.first { $0.id == planned.profile }))
    if planned.exclusion == nil { tally.total += 1 }
  }

  private mutating func applyToRoom(_ room: RoomID, _ event: RunEvent) {
    // A room that the run did not announce is shown, because a report hides nothing.
    if places[room] == nil { add(PlannedRoom(room: room, name: room.rawValue, profile: "", settings: [])) }
    guard let place = places[room] else { return }
    let (before, after) = rooms[place].apply(event.fact, at: event.elapsed, on: event.at)
    tally.move(from: before, to: after)
    if let address = rooms[place].address, owners[address] != place {
      owners[address] = place
      if rooms[place].rssi == nil { rooms[place].received(signals[address]) }
    }
  }
}

extension Fact {
  /// The evidence in an event; nil where it has none.
  fileprivate var evidence: Evidence? {
    switch self {
    case .proofReceived(let fact): fact.evidence
    case .roomFinished(let fact): fact.evidence
    default: nil
    }
  }
}
