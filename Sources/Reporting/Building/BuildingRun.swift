package import FoundationEssentials
package import Model

/// The record of one run, or of a change by a person, from its journal.
package struct RecordedRun: Sendable {
  package var events: [RunEvent]
  /// SHA-256 of the journal's last line, lower-case hex. It covers the whole journal.
  package var journalHash: String

  package init(events: [RunEvent], journalHash: String) {
    (self.events, self.journalHash) = (events, journalHash)
  }
}

/// The runs of a building, and those that worked on each room, in order: what its report needs besides the last known
/// state.
package struct BuildingRuns: Sendable {
  private(set) var all: [BuildingRun] = []
  private(set) var ofRooms: [RoomID: [BuildingRoom.Run]] = [:]

  package init() {}

  /// Adds a run after those that it knows.
  package mutating func add(_ recorded: RecordedRun) {
    if let run = BuildingRun(recorded) { add(run) }
  }

  package mutating func add(_ run: BuildingRun) {
    all.append(run)
    guard run.started.command == .apply else { return }
    for room in run.report.rooms where !room.isExcluded {
      ofRooms[room.id, default: []].append(BuildingRoom.Run(run, room))
    }
  }
}

/// One line of a building's history.
package struct BuildingRun: Hashable, Sendable {
  package let started: RunStarted
  package let began: Date
  package private(set) var report: RunReport
  /// SHA-256 of the journal's last line, lower-case hex.
  package private(set) var journalHash: String
  /// The change by a person; nil for a run.
  package let change: Change?

  /// A change of the record by a person.
  package struct Change: Hashable, Sendable {
    package var room: RoomID
    package var by: String?
    package var reason: String?
  }

  /// Nil for a rehearsal, and without a first event.
  package init?(_ recorded: RecordedRun) {
    guard let first = recorded.events.first, case .runStarted(let started) = first.fact, !started.simulated
    else { return nil }
    self.started = started
    began = first.at
    report = RunReport(recorded.events)
    journalHash = recorded.journalHash
    change = started.command == .apply ? nil : Change(recorded.events)
  }

  /// Adds further events of a run in progress.
  package mutating func add(_ more: RecordedRun) {
    for event in more.events { report.apply(event) }
    journalHash = more.journalHash
  }
}

extension BuildingReport {
  /// The newest run that reached the radio.
  var newestAtRadio: BuildingRun? {
    runs.last { $0.started.command == .apply && $0.report.reachedRadio }
  }
}

extension BuildingRun.Change {
  fileprivate init?(_ events: [RunEvent]) {
    var change: Self?
    for event in events {
      switch event.fact {
      case .roomAccepted(let fact): change = Self(room: fact.room, by: fact.by, reason: fact.reason)
      case .roomRetired(let fact): change = Self(room: fact.room, by: nil, reason: fact.reason)
      case .bindingReleased(let fact):
        change = change ?? Self(room: fact.room, by: nil, reason: fact.reason)
      default: break
      }
    }
    guard let change else { return nil }
    self = change
  }
}
