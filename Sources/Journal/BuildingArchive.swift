package import FoundationEssentials
package import Model

/// All real runs of a building, read from the journals in a reports directory. Rehearsals are left out,
/// even those that were copied among the real runs.
package struct BuildingArchive: Sendable {
  package struct Run: Sendable {
    /// The name of the run's directory.
    package var id: String
    package var journal: String
    package var record: JournalRecord

    package init(id: String, journal: String, record: JournalRecord) {
      (self.id, self.journal, self.record) = (id, journal, record)
    }

    /// The run with every event. A journal that cannot be read again, or has changed since, stays as it was read.
    package var whole: Run {
      var whole = self
      if let record = try? JournalReader.read(journal), record.lastHash == self.record.lastHash {
        whole.record = record
      }
      return whole
    }
  }

  /// A run whose record is incomplete or belongs to another building.
  package struct Fault: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
      /// The journal is damaged; the events after the damage are not known.
      case damaged(JournalDamage)
      /// The folder has reports but no journal: it was copied only in part.
      case noJournal
      /// The folder has reports, and its journal has not one event: it was emptied, or a disk has lost it.
      case emptied
      /// The run belongs to another building, with this id.
      case otherBuilding(String)
      /// There is no such run, and this later run names it as read.
      case missing(namedBy: String)
      /// The journal is not the one that this later run has read: lines were cut off, or it was replaced.
      case replaced(readBy: String)
    }

    /// The run's id: the name of its folder.
    package var run: String
    package var journal: String
    package var kind: Kind
  }

  /// Each after the runs that it knows.
  package private(set) var runs: [Run]
  package let order: RunOrder
  /// The defects of the record, by run. A run with a damaged journal is also in `runs`, with the events
  /// before the damage; other runs with a fault are not.
  package private(set) var faults: [Fault] = []
  /// Paths of folders that are not runs: the name is not a run id, or the folder has neither a journal nor
  /// reports. A run that was killed before it created its journal is among them; it did nothing.
  package private(set) var skipped: [String] = []
  /// For each run the named predecessors that have continued since it read them.
  private let partlyRead: [String: Set<String>]

  /// Reads all journals of a building. A building without a folder has no runs.
  /// - Throws: when the directory or a journal cannot be read. Damage *in* a journal is part of the result.
  package static func read(
    in reports: String, building: String, _ extent: JournalExtent = .whole
  ) throws(JournalError) -> BuildingArchive {
    let listing = try BuildingListing(building, in: reports)
    var archive = try BuildingArchive(listing, of: building, extent)
    try archive.checkPredecessors(in: "\(reports)/\(building)")
    return archive
  }

  /// Reads all journals in a folder, whichever building they belong to. Whether predecessors are missing is not
  /// examined: another folder may have them.
  /// - Throws: as `read(in:building:)`; `missing` when the folder does not exist.
  static func read(folder: String) throws(JournalError) -> BuildingArchive {
    try BuildingArchive(try BuildingListing(try File.directory(folder)), of: nil)
  }

  /// Sorts the runs so that each comes after the runs that it names.
  package init(runs: [Run]) {
    self.init(runs, partlyRead: [:])
  }

  private init(_ runs: [Run], partlyRead: [String: Set<String>]) {
    self.partlyRead = partlyRead
    order = RunOrder(
      runs.map { run in
        var node = RunOrder.Node(id: run.id, predecessors: run.predecessors.map(\.run))
        node.partlyRead = partlyRead[run.id] ?? []
        return node
      })
    self.runs = order.sorted.map { runs[$0] }
  }

  private init(
    _ listing: BuildingListing, of building: String?, _ extent: JournalExtent = .whole
  ) throws(JournalError) {
    let records = try Parallel.map(listing.runs) { (entry) throws(JournalError) in
      try JournalReader.read(entry.journal, extent)
    }
    let runs = zip(listing.runs, records).map { Run(id: $0.id, journal: $0.journal, record: $1) }
    self.init(runs: runs.filter { !$0.isRehearsal && !$0.isOfAnother(than: building) })
    faults =
      listing.faults
      + zip(listing.runs, runs).compactMap { entry, run in
        let isEmptied = entry.hasReport && run.record.events.isEmpty && run.record.damage == nil
        return isEmptied
          ? Fault(run: run.id, journal: run.journal, kind: .emptied) : run.fault(in: building)
      }
    skipped = listing.skipped
  }

  /// The record with every event of its runs.
  package var whole: BuildingArchive {
    BuildingArchive(Parallel.map(runs) { $0.whole }, partlyRead: partlyRead)
  }

  /// Compares what each run has read with what is there: a missing run and a journal that was cut off or
  /// replaced are faults. A journal that has continued since (a copy was read while the run was active) is not,
  /// but then the later run does not know all of it.
  /// - Parameter folder: the folder of the runs, for messages.
  /// - Throws: when a journal cannot be read.
  mutating func checkPredecessors(in folder: String) throws(JournalError) {
    let present = Dictionary(runs.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var partlyRead: [String: Set<String>] = [:]
    var found: [Fault] = []
    var missing = Set(faults.map(\.run))
    var replaced: Set<String> = []
    for run in runs {
      for named in run.predecessors {
        guard let earlier = present[named.run] else {
          // A run without a journal, or of another building, is a fault already.
          if missing.insert(named.run).inserted {
            found.append(
              Fault(
                run: named.run, journal: "\(folder)/\(named.run)/\(JournalWriter.fileName)",
                kind: .missing(namedBy: run.id)))
          }
          continue
        }
        if earlier.record.damage != nil || earlier.record.lastHash == named.last { continue }
        if try JournalReader.hasLine(hashed: named.last, in: earlier.journal) {
          partlyRead[run.id, default: []].insert(named.run)
        } else if replaced.insert(named.run).inserted {
          found.append(Fault(run: named.run, journal: earlier.journal, kind: .replaced(readBy: run.id)))
        }
      }
    }
    let (faults, skipped) = (faults + found, skipped)
    self = BuildingArchive(runs, partlyRead: partlyRead)
    (self.faults, self.skipped) = (faults, skipped)
  }

  /// The journals without any event that are no fault: nothing shows whether their runs did anything.
  package var empty: [String] {
    let known = Set(faults.map(\.run))
    return runs.filter { $0.record.events.isEmpty && !known.contains($0.id) }.map(\.journal)
  }

  /// The name of the building in the newest run that has a `run_started`.
  package var buildingName: String? { runs.reversed().lazy.compactMap { $0.started?.buildingName }.first }

  /// The fold over all runs.
  package var state: BuildingRecord {
    runs.reduce(into: BuildingRecord(in: order)) { $0.add($1.record.events, of: $1.id) }
  }

  /// Calls `body` with each run and the state after it: `empty`, to which the runs that it knows and itself were added. A
  /// run that continues one other run takes over its state. Only one that joins several runs, or has read another one in
  /// part, adds all that it knows again.
  package func forEachRun<State, Failure: Error>(
    _ empty: State, adding add: (inout State, Run) -> Void,
    _ body: (Run, State) throws(Failure) -> Void
  ) throws(Failure) {
    var states: [String: State] = [:]
    var last: [String: String] = [:]
    for run in runs { order.continued(by: run.id).map { last[$0] = run.id } }
    for run in runs {
      // The last run that continues a state takes it without a copy.
      let taken = order.continued(by: run.id).flatMap {
        last[$0] == run.id ? states.removeValue(forKey: $0) : states[$0]
      }
      var state = taken ?? before(run.id).runs.reduce(into: empty, add)
      add(&state, run)
      try body(run, state)
      // A state of a large building is large, so one that nobody takes over is not kept.
      if last[run.id] != nil { states[run.id] = state }
    }
  }

  /// What the next run names: the runs that no other run knows.
  package var predecessors: [Predecessor] {
    let heads = Set(order.heads)
    return runs.filter { heads.contains($0.id) && $0.started != nil }.map {
      Predecessor(run: $0.id, last: $0.record.lastHash)
    }
  }

  /// The record that a run began with: the runs that it knows.
  package func before(_ run: String) -> BuildingArchive {
    BuildingArchive(runs.filter { order.knows(run, $0.id) }, partlyRead: partlyRead)
  }

  /// The record with a further run, which knows all others.
  package func adding(_ run: Run) -> BuildingArchive {
    BuildingArchive(runs + [run], partlyRead: partlyRead)
  }

  /// How far a clock is behind the newest event on record, in seconds; nil unless it is behind.
  package func clockBehind(_ now: Date) -> (seconds: Double, run: String, at: Date)? {
    let newest = runs.compactMap { run in run.record.latest.map { (run: run.id, at: $0) } }
      .max { ($0.at, $0.run) < ($1.at, $1.run) }
    guard let newest, newest.at > now else { return nil }
    return (newest.at.timeIntervalSince(now), newest.run, newest.at)
  }

  /// Copies the journals that the mirror of a record lacks, or has only in part: a mirror that began later is of no
  /// use without the runs that its own runs name. A journal that contradicts this record stays as it is.
  package func complete(_ building: String, in mirror: String) throws(JournalError) {
    for run in runs {
      let path = "\(mirror)/\(building)/\(run.id)/\(JournalWriter.fileName)"
      if let there = File.size(path), there == File.size(run.journal) { continue }
      let bytes = try File.reading(run.journal).readAll()
      let there = try RunDirectory.journalBytes(in: mirror, building: building, run: run.id)
      guard bytes.starts(with: there ?? []) else { continue }
      try RunDirectory.openOrCreate(in: mirror, building: building, run: run.id).adoptJournal(bytes)
    }
  }

  /// Makes the runs that the next run names durable: what it names must not be lost with the host's power.
  package func syncPredecessors() throws(JournalError) {
    let named = Set(predecessors.map(\.run))
    for run in runs where named.contains(run.id) { try File.reading(run.journal).sync() }
  }
}

extension BuildingArchive.Run {
  /// The run's first event; nil when the run was killed before that event was written.
  package var started: RunStarted? { record.events.first?.fact.started }

  /// The building's id.
  var building: String? { started?.building }

  /// The runs that this run had read and that no other of them names.
  package var predecessors: [Predecessor] { started?.predecessors ?? [] }

  /// Whether the run provisions rooms. Other runs only amend the record and have no reports.
  package var isProvisioning: Bool { started?.command == .apply }

  /// The fault of this run in the record of `building` (nil: any building). Nil without a fault, and for a
  /// rehearsal, because no decision uses a rehearsal.
  package func fault(in building: String?) -> BuildingArchive.Fault? {
    if isRehearsal { return nil }
    if isOfAnother(than: building), let own = self.building {
      return .init(run: id, journal: journal, kind: .otherBuilding(own))
    }
    return record.damage.map { .init(run: id, journal: journal, kind: .damaged($0)) }
  }

  fileprivate func isOfAnother(than building: String?) -> Bool {
    guard let building, let own = self.building else { return false }
    return own != building
  }

  /// Whether the run used a virtual building.
  var isRehearsal: Bool { started?.simulated ?? false }
}
