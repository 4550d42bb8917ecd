import Bluetooth
public import Model

/// What happened in a run to one room or device, for a person.
public enum HistoryView {
  /// The lines of one run: a heading, and an event each.
  public static func lines(_ run: RunStarted, _ events: [RunEvent]) -> [String] {
    let simulated = run.simulated ? ", simulated" : ""
    let heading = "\(run.run.visible): \(run.command.rawValue) on \(run.host.visible)\(simulated)"
    return [heading]
      + events.flatMap { event -> [String] in
        let words = EventWords(event.fact) { $0.description }
        let room = event.fact.room.map { " [\($0.rawValue.visible)]" } ?? ""
        let line = "  \(RunEvent.timestamp(event.at))\(room) \(words.topic.fitted(to: 9)) \(words.text)"
        return [line] + words.quotes.map { String(repeating: " ", count: 28) + $0 }
      }
  }
}
