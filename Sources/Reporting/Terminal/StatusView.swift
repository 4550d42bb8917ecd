import Bluetooth
import FoundationEssentials
import Model

/// The state of a building, for people: the done rooms, the open rooms, and the next actions.
package enum StatusView {
  /// The lines.
  /// - Parameters:
  ///   - notes: Sentences about what was signed, and what was not compared.
  ///   - age: Rooms with older evidence are named; nil names none.
  ///   - next: The command that does what is left; nil where nothing is left.
  ///   - times: The local time.
  package static func lines(
    _ report: BuildingReport, notes: [String] = [], olderThan age: Duration?, next: String?,
    times: LocalTime = .utc,
    style: TerminalStyle
  ) -> [String] {
    var lines = headline(report, times, style) + notes.flatMap { style.block($0, indent: 2) }
    if !report.open.isEmpty {
      lines +=
        [""] + GridView.rooms(RoomGrid(report.rooms), style) + [""]
        + open(report, times.read(at: report.made), style)
    }
    lines += decisions(report, times, style)
    if let age { lines += old(report, age, times, style) }
    lines += [""]
    lines += next.map { ["Next: \($0)"] } ?? style.block("Nothing is left to do.")
    return lines
  }

  private static func headline(
    _ report: BuildingReport, _ times: LocalTime, _ style: TerminalStyle
  ) -> [String] {
    let others = report.others.map { "\($0.state.symbol) \($0.count) \($0.state.words)" }
    let weak = report.rooms.count { $0.state == .done && $0.evidence?.grade == .selfDisconnect }
    var counts = others
    if weak > 0 { counts.append("\(weak) done with weak evidence (the device ended the link)") }
    let newest = report.runs.last.map {
      "Last change: \(times.minute($0.began)) \(times.offset($0.began)), run \($0.started.run.visible)."
    }
    return style.block("\(report.name.visible): \(report.verdict)")
      .map { style.paint($0, report.isDone ? .green : .bold) }
      + (counts.isEmpty ? [] : style.block(counts.joined(separator: ", "), indent: 2))
      + style.block(newest ?? "No run is on record.", indent: 2)
  }

  /// The maximum number of names in one place.
  private static let named = 10

  private static func open(
    _ report: BuildingReport, _ times: LocalTime, _ style: TerminalStyle
  ) -> [String] {
    let left = report.open.left { room in
      LeftCause(
        state: room.openWords,
        explanation: Explanation(of: room, isGeneral: room.state == .missing, times: times))
    }
    return left.flatMap { part -> [String] in
      let names = part.rooms.map(\.name.visible).listed(most: named)
      let words = part.cause.state
      let explanation =
        part.rooms.count == 1 ? Explanation(of: part.rooms[0], times: times) : part.cause.explanation
      return style.block("\(names): \(words). \(explanation.sentence)")
        + style.block("→ " + explanation.advice, indent: 4, hanging: 2)
    }
  }

  private static func decisions(
    _ report: BuildingReport, _ times: LocalTime, _ style: TerminalStyle
  ) -> [String] {
    var lines: [String] = []
    for room in report.rooms {
      if let acceptance = room.acceptance {
        lines += style.block(
          "\(room.name.visible): accepted by \(acceptance.by.visible) on \(times.day(acceptance.given.at)): "
            + "\(acceptance.reason.visible)")
      }
      if let retirement = room.retirement {
        let why = retirement.reason.map { ": \($0.visible)" } ?? ""
        lines += style.block("\(room.name.visible): retired on \(times.day(retirement.recorded.at))\(why)")
      }
    }
    return lines.isEmpty ? [] : [""] + lines
  }

  private static func old(
    _ report: BuildingReport, _ age: Duration, _ times: LocalTime, _ style: TerminalStyle
  ) -> [String] {
    let limit = report.made.addingTimeInterval(-age.inSeconds)
    let old = report.rooms.filter { $0.state == .done && ($0.seen.map { $0.at < limit } ?? true) }
    guard !old.isEmpty else { return [] }
    let names = old.map { room in
      room.name.visible + (room.seen.map { " (\(times.day($0.at)))" } ?? " (date not on record)")
    }
    return [""]
      + style.block("Not received for more than \(days(age)): \(names.joined(separator: ", ")).")
  }

  private static func days(_ age: Duration) -> String {
    let days = Int((age.inSeconds / 86_400).rounded())
    return days.counted("day")
  }
}

extension BuildingRoom {
  /// The state of an open room, for use before its sentence.
  fileprivate var openWords: String {
    switch state {
    case .open: last?.room.outcome.words ?? state.words
    default: state.words
    }
  }
}
