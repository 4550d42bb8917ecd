import Bluetooth
package import Model

/// A run in progress, for the person at the terminal: events in, lines out. The command line draws them.
///
/// For a terminal: `finished(_:style:)` gives the lines that scroll away, `live(at:size:style:)` the panel
/// that is redrawn below them. For other outputs: `plain(_:detail:)`.
package struct ProgressView: Sendable {
  package private(set) var report = RunReport()
  /// Whether the keys are explained.
  package var isShowingHelp = false
  /// Whether the program reads keys.
  package var hasKeys = false

  /// The rooms with an attempt in flight, in the order in which the attempts started.
  private(set) var active: [ActiveRoom] = []
  private(set) var backingOff: Set<RoomID> = []
  /// The rooms that failed or require action, the newest last.
  private(set) var pinned: [RoomID] = []
  /// The rooms that have no attempt left until their device is received better, with the reason of the last failure.
  private(set) var exhausted: [RoomID: FailureReason] = [:]
  /// The adapters, in the order of their first use.
  private(set) var adapters: [LiveAdapter] = []
  private(set) var waiting: AdapterAwaited?
  private(set) var request: OperatorRequested?
  private(set) var longestName = 0
  private var endedWithRun: Set<RoomID> = []

  /// A room with an attempt in flight.
  struct ActiveRoom: Sendable {
    let room: RoomID
    let name: String
    let address: BluetoothAddress
    let adapter: AdapterID
    let number: Int
    let rssi: Int?
    var stage: Stage?
    var text = "connecting"
    var since: Duration
    var timeout: Double?
    var hasLink = false
    /// Whether the save was submitted.
    var isSubmitted = false
  }

  /// The present work of an adapter.
  struct LiveAdapter: Sendable {
    let id: AdapterID
    var name: String
    var slots: Int?
    var scanningSince: Duration?
    var purpose: ScanPurpose?
    var fault: String?
  }

  /// A view of no events.
  package init() {}

  /// Applies the next event.
  package mutating func apply(_ event: RunEvent) {
    report.apply(event)
    switch event.fact {
    case .runStarted: begin()
    case .adapterAwaited(let fact): waiting = fact
    case .adapterSelected(let fact): select(fact)
    case .adapterFaulted(let fact):
      let words = EventWords(event.fact, report.titles, name: adapterName)
      change(fact.adapter) { $0.fault = words.text }
    case .scanStarted(let fact):
      change(fact.adapter) { ($0.scanningSince, $0.purpose, $0.fault) = (event.elapsed, fact.purpose, nil) }
    case .scanStopped(let fact): change(fact.adapter) { $0.scanningSince = nil }
    case .attemptStarted(let fact): begin(fact, at: event.elapsed)
    case .stageStarted(let fact):
      let (titles, family) = (report.titles, report[fact.room]?.family)
      change(fact.room) { room in
        room.stage = fact.stage
        room.text = fact.stage.shortActivity(
          fact.setting, titles, hasBeacon: family?.hasIdentity ?? true)
        (room.since, room.timeout) = (event.elapsed, fact.timeout)
        room.hasLink = ![.search, .connect, .verify].contains(fact.stage)
      }
    case .saveSubmitted(let fact): change(fact.room) { $0.isSubmitted = true }
    case .linkEnded(let fact): change(fact.room) { $0.hasLink = false }
    case .attemptEnded(let fact):
      active.removeAll { $0.room == fact.room }
      if let failure = fact.failure { exhausted[fact.room] = failure }
    case .retryScheduled(let fact):
      exhausted[fact.room] = nil
      backingOff.insert(fact.room)
    case .operatorAwaited(let fact): pin(fact.room)
    case .roomFinished(let fact): finish(fact)
    case .operatorRequested(let fact): request = fact.request == .resume ? nil : fact
    case .runInterrupted: waiting = nil
    case .runFinished: (active, waiting) = ([], nil)
    case .hostUnavailable, .linksHeld, .foreignScanDetected, .linkReleased, .deviceSighted, .bindingCommitted,
      .bindingReleased, .bondIntended, .bondRemoved,
      .roomRetired, .roomAccepted, .roomVerified, .canariesJudged, .deviceUnclaimed, .hostPaused,
      .eventsOmitted, .stageEnded,
      .statusReceived, .settingsRead, .wifiChecked, .deviceDescribed, .elapsedSent, .settingWritten,
      .proofReceived:
      break
    }
  }

  var tally: RunTally { report.tally }

  /// Whether the operator paused the run.
  package var isPaused: Bool { request?.request == .pause }

  /// Shows that the run was asked to stop, before that is on record.
  package mutating func noteStop() {
    request = request?.request == .stop ? request : OperatorRequested(.stop)
  }

  private mutating func begin() {
    longestName = report.rooms.map(\.planned.name.visible.columns).max() ?? 0
  }

  private mutating func select(_ fact: AdapterSelected) {
    waiting = nil
    let name = fact.alias.map { "\(fact.name) \($0)" } ?? fact.name
    let adapter = LiveAdapter(id: fact.adapter, name: name.visible, slots: fact.slots)
    if let place = adapters.firstIndex(where: { $0.id == fact.adapter }) {
      adapters[place] = adapter
    } else {
      adapters.append(adapter)
    }
  }

  private mutating func begin(_ fact: AttemptStarted, at elapsed: Duration) {
    exhausted[fact.room] = nil
    backingOff.remove(fact.room)
    pinned.removeAll { $0 == fact.room }
    active.removeAll { $0.room == fact.room }
    active.append(
      ActiveRoom(
        room: fact.room, name: name(fact.room), address: fact.address, adapter: fact.adapter,
        number: fact.number, rssi: fact.rssi, since: elapsed))
  }

  private mutating func finish(_ fact: RoomFinished) {
    active.removeAll { $0.room == fact.room }
    exhausted[fact.room] = nil
    backingOff.remove(fact.room)
    pinned.removeAll { $0 == fact.room }
    if isWrittenOnce(fact) { endedWithRun.insert(fact.room) }
    if report[fact.room]?.isExcluded == true { return }
    if [.failed, .action].contains(fact.outcome.kind), !isWrittenOnce(fact) { pinned.append(fact.room) }
  }

  private mutating func pin(_ room: RoomID) {
    pinned.removeAll { $0 == room }
    pinned.append(room)
  }

  private mutating func change(_ room: RoomID, _ change: (inout ActiveRoom) -> Void) {
    guard let place = active.firstIndex(where: { $0.room == room }) else { return }
    change(&active[place])
  }

  private mutating func change(_ adapter: AdapterID, _ change: (inout LiveAdapter) -> Void) {
    guard let place = adapters.firstIndex(where: { $0.id == adapter }) else { return }
    change(&adapters[place])
  }

  /// The host's name of an adapter.
  func adapterName(_ adapter: AdapterID) -> String {
    report.adapters.first { $0.adapter == adapter }?.name.visible ?? "\(adapter)"
  }

  func name(_ room: RoomID) -> String { (report[room]?.planned.name ?? room.rawValue).visible }

  /// Whether a room ended because the run ended, or because no adapter receives anything. Such rooms are counted at the
  /// end of the run.
  func isWrittenOnce(_ fact: RoomFinished) -> Bool {
    report.interruption != nil && fact.reason?.trait == .ofHost || fact.reason?.code == .adapterDeaf
  }

  /// The rooms that are written once, by outcome.
  var writtenOnce: [(sign: String, text: String, tone: TerminalStyle.Tone)] {
    Outcome.allCases.compactMap { outcome in
      let count = report.rooms.count { $0.outcome == outcome && endedWithRun.contains($0.id) }
      guard count > 0 else { return nil }
      return (outcome.symbol, "\(count.rooms): \(outcome.words)", outcome.tone)
    }
  }
}
