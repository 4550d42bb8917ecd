import Bluetooth
public import Model

/// What happened in a run to one room or device, for a person.
public enum HistoryView {
  /// One line: when, what, by whom, and how it ended.
  public static func summary(_ run: RunStarted, _ events: [RunEvent]) -> String {
    let time = events.first.map { LocalTime.utc.minute($0.at) } ?? ""
    let person = run.operatedBy.map { " by \($0.visible)" } ?? ""
    let heading =
      "\(time) UTC  \(run.command.rawValue)\(person) on \(run.host.visible)"
    return "\(heading): \(ending(events))  [\(run.run.visible)]"
  }

  /// How the run ended for the room, or how far it got.
  private static func ending(_ events: [RunEvent]) -> String {
    let attempts = events.count { if case .attemptStarted = $0.fact { true } else { false } }
    for event in events.reversed() {
      switch event.fact {
      case .roomFinished(let fact):
        let details = [
          fact.address?.description, fact.attempts > 1 ? "\(fact.attempts) attempts" : nil,
          fact.evidence.map {
            $0.run == nil ? $0.grade.rawValue : "\($0.grade.rawValue) on record, not heard"
          },
          fact.reason?.code.rawValue,
        ]
        return ([fact.outcome.words] + details.compactMap(\.self)).joined(separator: ", ")
      case .roomAccepted, .roomRetired, .roomVerified:
        let words = EventWords(event.fact) { $0.description }
        return ([words.text] + words.quotes).joined(separator: ": ")
      case .bindingReleased(let fact) where fact.cause == .replaced:
        let words = EventWords(event.fact) { $0.description }
        return ([words.text] + words.quotes).joined(separator: ": ")
      default: continue
      }
    }
    if attempts > 0 { return "no outcome on record: the run was killed, or goes on; \(attempts) attempts" }
    return "no outcome on record"
  }

  /// The lines of one run: a heading, and an event each.
  public static func lines(_ run: RunStarted, _ events: [RunEvent]) -> [String] {
    let heading = "\(run.run.visible): \(run.command.rawValue) on \(run.host.visible)"
    return [heading]
      + events.flatMap { event -> [String] in
        let words = EventWords(event.fact) { $0.description }
        let room = event.fact.room.map { " [\($0.rawValue.visible)]" } ?? ""
        let line = "  \(RunEvent.timestamp(event.at))\(room) \(words.topic.fitted(to: 9)) \(words.text)"
        return [line] + words.quotes.map { String(repeating: " ", count: 28) + $0 }
      }
  }
}
