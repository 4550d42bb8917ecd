import Bluetooth
package import Model

/// The history of one room or device, for a person.
package enum HistoryView {
  /// A table with a row for each run: time, command, outcome, device, reason, person, and the run. Columns
  /// that do not fit are left out, the run's id first; details are cut last.
  /// - Parameters:
  ///   - times: The local time.
  ///   - width: Columns of the terminal; nil where lines may have any length.
  package static func table(
    _ runs: [(run: RunStarted, events: [RunEvent])], times: LocalTime = .utc, width: Int?
  ) -> [String] {
    // The history of a room has events of this room only; that of a device may have several rooms.
    let rooms = Set(runs.flatMap { $0.events.compactMap(\.fact.room) })
    let room = rooms.count == 1 ? rooms.first : nil
    let rows = runs.map { run, events in
      row(run, events, run.rooms.first { $0.room == room }?.exclusion, times)
    }
    // The distance from UTC is in the header, once; it may differ in older rows.
    let offset = runs.last?.events.first.map { times.offset($0.at) } ?? "UTC"
    let order: [Column] = [.when, .command, .outcome, .device, .details, .by, .run]
    // A column that is empty in all rows is left out.
    var columns = order.filter { column in rows.contains { $0[column] != "" } }
    func lines() -> [String] {
      Table.lines(
        header: columns.map { $0 == .when ? "WHEN (\(offset))" : $0.rawValue },
        rows: rows.map { row in columns.map { row[$0] ?? "" } })
    }
    for column in [Column.run, .by, .device] {
      guard let width, (lines().map(\.columns).max() ?? 0) > width else { break }
      columns.removeAll { $0 == column }
    }
    return lines().map { $0.truncated(to: width ?? .max) }
  }

  /// A column, by its title.
  private enum Column: String {
    case when = "WHEN"
    case command = "COMMAND"
    case outcome = "OUTCOME"
    case device = "DEVICE"
    case details = "DETAILS"
    case by = "BY"
    case run = "RUN"
  }

  private static func row(
    _ run: RunStarted, _ events: [RunEvent], _ exclusion: Exclusion?, _ times: LocalTime
  ) -> [Column: String] {
    let ending = ending(events, exclusion)
    return [
      .when: events.first.map { times.minute($0.at) } ?? "", .command: run.command.rawValue,
      .outcome: ending.outcome, .device: ending.device, .details: ending.details,
      .by: run.operatorWords, .run: run.run,
    ]
  }

  /// The outcome of the room in the run, or what the record has instead.
  private static func ending(
    _ events: [RunEvent], _ exclusion: Exclusion?
  ) -> (outcome: String, device: String, details: String) {
    let attempts = events.reduce(0) { count, event in
      switch event.fact {
      case .attemptStarted: count + 1
      case .attemptEnded(let fact) where fact.notCounted != nil: count - 1
      default: count
      }
    }
    for event in events.reversed() {
      switch event.fact {
      case .roomFinished(let fact):
        let details = [
          fact.reason?.code.words,
          fact.evidence.map {
            $0.run == nil ? $0.grade.plainWords : "\($0.grade.plainWords), by an earlier run"
          },
          fact.attempts > 1 ? "\(fact.attempts) attempts" : nil,
        ]
        return (
          fact.outcome.words, fact.address?.description ?? "",
          details.compactMap(\.self).joined(separator: ", ")
        )
      case .roomAccepted, .roomRetired, .roomVerified: return amended(event)
      case .bindingReleased(let fact) where fact.cause == .replaced: return amended(event)
      default: continue
      }
    }
    if exclusion != nil { return (Outcome.skipped.words, "", "its device was received") }
    let count = attempts.counted("attempt")
    return (
      "no outcome", "", attempts > 0 ? "run killed or in progress: \(count)" : "run killed or in progress"
    )
  }

  private static func amended(_ event: RunEvent) -> (outcome: String, device: String, details: String) {
    let words = EventWords(event.fact, SettingTitles()) { $0.description }
    let outcome =
      switch event.fact {
      case .roomAccepted: RoomStatus.Kind.accepted.words
      case .roomRetired: RoomStatus.Kind.retired.words
      case .roomVerified(let fact): fact.finding.words
      default: "replaced"
      }
    return (
      outcome, event.fact.address?.description ?? "", ([words.text] + words.quotes).joined(separator: ": ")
    )
  }

  /// The lines of one run: a heading, and an event each.
  package static func lines(
    _ run: RunStarted, _ events: [RunEvent], times: LocalTime = .utc
  ) -> [String] {
    let offset = events.first.map { ", times in \(times.offset($0.at))" } ?? ""
    let heading = "\(run.run.visible): \(run.command.rawValue) on \(run.host.visible)\(offset)"
    let titles = SettingTitles(run.families ?? [])
    return [heading]
      + events.flatMap { event -> [String] in
        let words = EventWords(event.fact, titles, times: times) { $0.description }
        let room = event.fact.room.map { " [\($0.rawValue.visible)]" } ?? ""
        let line = "  \(times.millisecond(event.at))\(room) \(words.topic.fitted(to: 9)) \(words.text)"
        return [line] + words.quotes.map { String(repeating: " ", count: 28) + $0 }
      }
  }
}
