import Bluetooth
import Engine
import Journal
import Model
import Reporting
import VirtualBuilding

/// The events and violations of a scenario so far. Checks each event as it becomes durable.
actor TestCaseChecker {
  /// The number of events before a violation that are kept.
  private static let lastEvents = 30
  /// Further violations are only counted: one is enough for an analysis.
  private static let mostViolations = 20

  private(set) var tally = Tally()
  private(set) var violations: [Violation] = []
  /// The events up to the first violation.
  private(set) var eventsBeforeViolation: [RunEvent] = []
  /// The journal of each run at its end.
  private(set) var journals: [[UInt8]] = []

  // The present run.
  private var invariants = Invariants(.init(rooms: [], firmware: [], flashes: [:]))
  private var lines = JournalLines()
  private var journal: [UInt8] = []
  private var events: [RunEvent] = []
  private var report = RunReport()
  private var waits = WaitWatch()
  private var bounds: (wait: Duration, isCalm: Bool) = (.zero, false)
  private var adapters: [AdapterDescription] = []
  private var limit: Int?
  private var seenWrites = 0
  private var seenViolations = 0

  private let world: World
  private let meter: LinkMeter
  private let clock: any TimeSource

  init(world: World, meter: LinkMeter, clock: any TimeSource) {
    self.world = world
    self.meter = meter
    self.clock = clock
  }

  // MARK: Runs

  func begin(
    _ beginning: Invariants.Beginning, isCalm: Bool, longestWait: Duration, adapters: [AdapterDescription],
    limit: Int?
  ) async {
    invariants = Invariants(beginning)
    seenViolations = 0
    lines = JournalLines()
    journal = []
    events = []
    report = RunReport()
    waits = WaitWatch()
    bounds = (longestWait, isCalm)
    self.adapters = adapters
    self.limit = limit
    seenWrites = await world.writes.count
    meter.beginRun()
    tally.runs += 1
  }

  /// Takes a durable event, and checks all rules with the present state of the world.
  func take(_ event: RunEvent) async {
    let line = lines.line(event)
    journal += line + [UInt8(ascii: "\n")]
    events.append(event)
    report.apply(event)
    tally.events += 1
    await takeWrites()
    var flashes: [BluetoothAddress: Flash] = [:]
    if case .roomFinished(let fact) = event.fact {
      tally.add(fact)
      for address in Set([fact.address, invariants.bound[fact.room]].compactMap(\.self)) {
        flashes[address] = await world.flash(of: address)
      }
    }
    invariants.take(event, encoded: line, at: clock.now, flashes: flashes)
    checkLinks()
    if let wait = waits.take(event), bounds.isCalm {
      tally.longestWait = max(tally.longestWait, wait)
      if wait > bounds.wait {
        invariants.violate(.wait, "\(wait.inSeconds) s, although it was received", room: event.fact.room)
      }
    }
    collect()
  }

  /// A person pressed a device's button.
  func handle(_ device: BluetoothAddress) { invariants.handle(device) }

  /// Counts a disturbance.
  func disturbed() { tally.disturbances += 1 }

  private func takeWrites() async {
    let new = await world.writes(since: seenWrites)
    seenWrites += new.count
    for write in new { invariants.take(write) }
  }

  private func checkLinks() {
    let peak = meter.takePeak()
    for (adapter, count) in peak.adapters.sorted(by: { $0.key < $1.key }) {
      // Without a limit in the manifest, the engine measures the slots of the controller.
      guard let stated = adapters.first(where: { AdapterID($0.reference.text)?.address == adapter })?.slots,
        count > stated
      else {
        continue
      }
      invariants.violate(.slots, "\(count) links at once on adapter \(adapter)")
    }
    if let limit, peak.all > limit {
      invariants.violate(.slots, "\(peak.all) links at once, \(limit) were allowed")
    }
  }

  /// The process was killed: the next run continues with the surviving part of the record.
  func survived(_ survivors: [RunEvent]) async {
    tally.deaths += 1
    for event in survivors.dropFirst(events.count) { await take(event) }
    if !events.starts(with: survivors) { violate(.replay, "the surviving record is not a prefix") }
    events = survivors
    report = RunReport(events)
    var lines = JournalLines()
    journal = events.flatMap { lines.line($0) + [UInt8(ascii: "\n")] }
    await closeJournal()
  }

  /// The run ended without a kill.
  func end(_ result: ApplyResult, connected: Set<BluetoothAddress>) async {
    await takeWrites()
    checkLinks()
    invariants.end(result, connected: connected)
    collect()
    await closeJournal()
  }

  /// Checks that the journal reads back as recorded, and gives the same report.
  private func closeJournal() async {
    let record = JournalReader.read(journal)
    if record.damage != nil || record.tornLine != nil || record.events != events {
      violate(.replay, "what is read back is not what was recorded")
    }
    if RunReport(record.events) != report { violate(.replay, "the report of what is read back is another") }
    let outcomes = JournalReader.read(journal, .outcomes)
    if outcomes.damage != nil || outcomes.lastHash != record.lastHash
      || BuildingRecord([outcomes.events]).lastKnown != BuildingRecord([events]).lastKnown
      || CSVReport.text(RunReport(outcomes.events), after: nil) != CSVReport.text(report, after: nil)
    {
      violate(.replay, "without the stages, the state or the outcomes are others")
    }
    journals.append(journal)
    journal = []
  }

  // MARK: Violations

  private func collect() {
    let new = invariants.violations.dropFirst(seenViolations)
    seenViolations += new.count
    for violation in new { note(violation) }
  }

  /// Notes a violation that no single event shows.
  func violate(_ rule: Violation.Rule, _ text: String, room: RoomID? = nil, device: BluetoothAddress? = nil) {
    note(Violation(rule, text, room: room, device: device))
  }

  private func note(_ violation: Violation) {
    var violation = violation
    violation.run = tally.runs
    tally.violations += 1
    if violations.isEmpty { eventsBeforeViolation = events.suffix(Self.lastEvents) }
    if violations.count < Self.mostViolations { violations.append(violation) }
  }

  func close(rooms: Int) {
    tally.buildings = 1
    tally.rooms = rooms
    tally.virtualTime = clock.now.sinceZero
  }
}
