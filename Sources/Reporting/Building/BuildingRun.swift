public import FoundationEssentials
public import Model

/// A record of one run, or of a change that a person made, as it is in the journal.
public struct RecordedRun: Sendable {
  /// Its events.
  public var events: [RunEvent]
  /// SHA-256 of the journal's last line, lower-case hex: it stands for the whole journal.
  public var journalHash: String

  /// A record.
  public init(events: [RunEvent], journalHash: String) {
    self.events = events
    self.journalHash = journalHash
  }
}

/// One line of a building's history.
public struct BuildingRun: Hashable, Sendable {
  /// What it set out to do.
  public let started: RunStarted
  /// When it began.
  public let began: Date
  /// What came of it.
  public let report: RunReport
  /// SHA-256 of the journal's last line, lower-case hex.
  public let journalHash: String
  /// What a person changed, where it is no run.
  public let change: Change?

  /// A change that a person made to the record.
  public struct Change: Hashable, Sendable {
    /// The room.
    public var room: RoomID
    /// Who made it, where that is recorded.
    public var by: String?
    /// Why.
    public var reason: String?
  }

  init?(_ recorded: RecordedRun) {
    guard let first = recorded.events.first, case .runStarted(let started) = first.fact, !started.simulated
    else { return nil }
    self.started = started
    began = first.at
    report = RunReport(recorded.events)
    journalHash = recorded.journalHash
    change = started.command == .apply ? nil : Change(recorded.events)
  }
}

extension BuildingReport {
  /// The newest run that reached the radio: its number, from 1, and itself.
  var newestAtRadio: (number: Int, run: BuildingRun)? {
    runs.enumerated().reversed().first {
      $0.element.started.command == .apply && $0.element.report.reachedRadio
    }.map { ($0.offset + 1, $0.element) }
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
