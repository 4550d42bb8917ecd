public import Bluetooth
public import FoundationEssentials
public import Model

/// A run as its events tell it so far: the one fold that every report and the live display read.
///
/// Total: any prefix of a run's events gives a report, also the record of a run that was killed.
public struct RunReport: Hashable, Sendable {
  /// What `run.outcome` says when the record has no end: the run was killed, or goes on.
  public static let unfinished = "unfinished"

  /// What the run set out to do; nil when there is no event yet.
  public private(set) var run: RunStarted?
  /// When it began.
  public private(set) var started: Date?
  /// When it ended; nil when the record has no end.
  public private(set) var finished: Date?
  /// Time from the run's beginning to its newest event.
  public private(set) var elapsed: Duration = .zero
  /// How it ended; nil when the record has no end.
  public private(set) var outcome: RunOutcome?
  /// What asked it to stop early.
  public private(set) var interruption: RunInterrupted?
  /// The adapters taken into use, newest state of each, in the order of their first use.
  public private(set) var adapters: [AdapterSelected] = []
  /// What each adapter did, in the order of their first use.
  public private(set) var adapterReports: [AdapterReport] = []
  /// Adapters that another program scanned with, in the order in which that was found.
  public private(set) var foreignScans: [ForeignScanDetected] = []
  /// The rooms, in the manifest's order.
  public private(set) var rooms: [RoomReport] = []

  /// Whether the run got as far as the radio: it listened, or began an attempt. One that did not tells nothing of the
  /// building.
  public private(set) var reachedRadio = false

  /// Devices that could be provisioned, and that no room claims.
  public private(set) var unclaimed: [DeviceUnclaimed] = []

  private var places: [RoomID: Int] = [:]
  private var owners: [BluetoothAddress: Int] = [:]
  private var signals: [BluetoothAddress: Int] = [:]
  private var heard: Set<BluetoothAddress> = []

  /// A report of nothing yet.
  public init() {}

  /// The report of these events.
  public init(_ events: some Sequence<RunEvent>) {
    for event in events { apply(event) }
  }

  /// Takes in the next event.
  public mutating func apply(_ event: RunEvent) {
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
      change(fact.adapter) { _ in }
    case .listeningStarted(let fact):
      reachedRadio = true
      change(fact.adapter) { $0.begin(fact, at: event.elapsed) }
    case .listeningStopped(let fact):
      change(fact.adapter) { $0.end(fact, at: event.elapsed) }
    case .foreignScanDetected(let fact):
      foreignScans.removeAll { $0.adapter == fact.adapter }
      foreignScans.append(fact)
    case .deviceSighted(let fact):
      heard.insert(fact.address)
      signals[fact.address] = fact.rssi ?? signals[fact.address]
      if let place = owners[fact.address] { rooms[place].heard(fact.rssi) }
    case .deviceUnclaimed(let fact):
      unclaimed.removeAll { $0.address == fact.address }
      unclaimed.append(fact)
    case .runInterrupted(let fact):
      interruption = fact
    case .runFinished(let fact):
      outcome = fact.outcome
      finished = event.at
    case .adapterAwaited, .adapterFaulted, .linkReleased, .hostPaused, .operatorRequested,
      .canariesJudged:
      break
    case .bindingCommitted, .bindingReleased, .roomRetired, .roomAccepted, .roomVerified, .attemptStarted,
      .actionRequired, .stageStarted,
      .stageEnded, .statusReceived, .settingsRead, .wifiChecked, .elapsedSent, .settingWritten,
      .saveSubmitted, .linkEnded, .proofHeard, .attemptEnded, .retryScheduled, .roomFinished:
      if let room = event.fact.room { applyToRoom(room, event) }
    }
    if let evidence = event.fact.evidence, evidence.run == nil { heard.insert(evidence.address) }
  }

  private mutating func change(_ adapter: AdapterID, _ change: (inout AdapterReport) -> Void) {
    let place = adapterReports.firstIndex { $0.adapter == adapter } ?? adapterReports.endIndex
    if place == adapterReports.endIndex { adapterReports.append(AdapterReport(adapter)) }
    change(&adapterReports[place])
  }

  /// The room with this identity, or nil.
  public subscript(room: RoomID) -> RoomReport? {
    places[room].map { rooms[$0] }
  }

  /// Whether a device was heard in this run: reported by an adapter, or proved by what it sent.
  public func hasHeard(_ address: BluetoothAddress) -> Bool { heard.contains(address) }

  /// How many rooms ended (or, in a record without end, are to be taken to have ended) this way.
  public func count(_ outcome: Outcome) -> Int {
    rooms.count { $0.outcome == outcome }
  }

  /// The rooms that the run was to work on.
  public var selected: [RoomReport] { rooms.filter { !$0.isExcluded } }

  /// How many of them have their outcome on record.
  public var finishedRooms: Int { rooms.count { $0.isFinished && !$0.isExcluded } }

  /// What the host calls an adapter, or nil when the record does not say.
  public func name(of adapter: AdapterID?) -> String? {
    adapters.first { $0.adapter == adapter }?.name
  }

  /// Name and version of the Bluetooth stack, or nil when the record does not say.
  public var stack: String? { adapters.lazy.compactMap(\.stack).first }

  /// Version of BlueZ, without its name: `5.66`. Another stack is given with its name.
  public var bluezVersion: String? {
    guard let stack else { return nil }
    let name = "BlueZ "
    return stack.hasPrefix(name) ? String(stack.dropFirst(name.count)) : stack
  }

  private mutating func begin(_ fact: RunStarted, at: Date) {
    run = fact
    started = at
    for planned in fact.rooms { add(planned) }
  }

  private mutating func add(_ planned: PlannedRoom) {
    guard places[planned.room] == nil else { return }
    places[planned.room] = rooms.count
    if let address = planned.address { owners[address] = rooms.count }
    rooms.append(RoomReport(planned))
  }

  private mutating func applyToRoom(_ room: RoomID, _ event: RunEvent) {
    // A room that the run did not announce is shown all the same: a report hides nothing.
    if places[room] == nil { add(PlannedRoom(room: room, name: room.rawValue, profile: "", settings: [])) }
    guard let place = places[room] else { return }
    rooms[place].apply(event.fact, at: event.elapsed, on: event.at)
    if let address = rooms[place].address, owners[address] != place {
      owners[address] = place
      if rooms[place].rssi == nil { rooms[place].heard(signals[address]) }
    }
  }
}

extension Fact {
  /// What a room's state rests on, where the fact says so.
  fileprivate var evidence: Evidence? {
    switch self {
    case .proofHeard(let fact): fact.evidence
    case .roomFinished(let fact): fact.evidence
    default: nil
    }
  }
}
