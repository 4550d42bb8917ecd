import Bluetooth
package import Model

/// `devices/<room>.log`: what happened to the device of one room, for the installer and for support.
///
/// Each event has its time (UTC), the seconds since the run began, and those since the attempt began. Texts of devices and of
/// the stack are verbatim, except that control characters are made visible.
package enum DeviceLogs {
  /// The logs of all rooms, in the order of the report.
  /// - Parameters:
  ///   - report: That of these events; nil to make it.
  ///   - after: The state of the building after the run; nil where it is not known.
  package static func texts(
    _ events: [RunEvent], _ report: RunReport? = nil, after: BuildingReport? = nil
  ) -> [(RoomID, String)] {
    let report = report ?? RunReport(events)
    let chosen = events.sorted(into: report)
    let host = report.hostItems.flatMap { paragraph($0.title, $0.text) }
    return RunRow.rows(report, after: after).filter { !$0.room.isExcluded || chosen[$0.room.id] != nil }.map {
      (
        $0.room.id,
        Page(
          room: $0.room, settings: $0.settings, report: report, host: host, events: chosen[$0.room.id] ?? []
        ).text
      )
    }
  }
}

extension [RunEvent] {
  /// The events of each room's log: those about the room or its device, and what the record lacks.
  fileprivate func sorted(into report: RunReport) -> [RoomID: [RunEvent]] {
    var owners: [BluetoothAddress: RoomID] = [:]
    for room in report.rooms { if let address = room.address { owners[address] = room.id } }
    var result: [RoomID: [RunEvent]] = [:]
    for event in self {
      if case .eventsOmitted = event.fact {
        for room in report.selected { result[room.id, default: []].append(event) }
      } else if let room = event.fact.room {
        result[room, default: []].append(event)
      } else if let address = event.fact.address {
        if let room = owners[address] { result[room, default: []].append(event) }
      }
    }
    return result
  }
}

/// One room's log. A class, because a copy of the report for each paragraph would take longer than its text.
private final class Page {
  let room: RoomReport
  let settings: [SettingResult]
  let report: RunReport
  /// The lines about the host and its adapters, the same in all logs.
  let host: [String]
  let events: [RunEvent]

  init(
    room: RoomReport, settings: [SettingResult], report: RunReport, host: [String], events: [RunEvent]
  ) {
    (self.room, self.settings, self.report, self.host, self.events) = (room, settings, report, host, events)
  }

  var text: String {
    let lines = ["roboprov device log", ""] + header + [""] + table + [""] + ending
    return (lines + [""]).joined(separator: "\n")
  }

  private var header: [String] {
    let run = report.run
    let simulated = run?.simulated == true ? ", SIMULATED" : ""
    return [
      item("Room", "\(room.planned.name.visible) (\(room.id.rawValue.visible))"),
      item(
        "Device",
        [
          room.address?.description ?? "none", room.planned.profile.rawValue.visible,
          room.identity?.distinction.visible,
          room.isRegistered ? "registered: received only, not written" : nil,
        ]
        .compactMap(\.self).joined(separator: ", ")),
      item("Building", "\((run?.buildingName ?? "?").visible) (\((run?.building ?? "?").visible))"),
      item("Run", "\((run?.run ?? "?").visible) on \((run?.host ?? "?").visible)\(simulated)"),
    ] + host + [
      item("Tool", "roboprov \((run?.toolVersion ?? "?").visible)"),
      item("Manifest", (run?.manifestPath ?? "?").visible),
      item("", "sha256 \((run?.manifestSHA256 ?? "?").visible)"),
    ]
  }

  private var table: [String] {
    var lines = ["\("time (UTC)".fitted(to: 24))   run [s]  attempt [s]  what"]
    var attempt: Duration?
    var quoted: [String] = []
    for event in events {
      if case .attemptStarted = event.fact { attempt = event.elapsed }
      let words = EventWords(event.fact, report.titles) { report.name(of: $0)?.visible ?? $0.description }
      let times = [
        RunEvent.timestamp(event.at), seconds(event.elapsed, 9),
        attempt.map { seconds(event.elapsed - $0, 12) } ?? String(repeating: " ", count: 11) + "-",
      ]
      lines.append("\(times[0]) \(times[1]) \(times[2])  \(words.topic.fitted(to: 9)) \(words.text)")
      // The end of an attempt has the error message of its last stage, which is there already.
      if words.quotes != quoted { lines += words.quotes.map { String(repeating: " ", count: 61) + $0 } }
      quoted = words.quotes
      if case .attemptEnded = event.fact { attempt = nil }
    }
    return lines
  }

  private var ending: [String] {
    var lines: [String] = []
    if !room.isFinished {
      lines += paragraph(
        "Note",
        "The record ends before the outcome of this room: the run was killed, or is in progress. The outcome below is the least that the record shows."
      )
    }
    lines.append(item("Outcome", room.outcome.words))
    lines.append(item("Evidence", room.evidence?.words(.utc) ?? "none"))
    lines.append(item("Attempts", "\(room.attemptWords), in \(room.seconds.asSeconds)"))
    // The events have those of the attempts.
    if room.attemptReports.isEmpty, let text = room.reason?.stackText {
      lines += paragraph("Stack text", text.visible)
    }
    let titles = room.titles
    let width = settings.map { titles.title($0.name).columns }.max() ?? 0
    for (index, setting) in settings.enumerated() {
      let value = setting.value.map { "  \($0.visible)" } ?? "  (not shown)"
      lines.append(
        item(
          index == 0 ? "Settings" : "",
          "\(titles.title(setting.name).fitted(to: width))  \(setting.state.words.fitted(to: 26))\(value)"
        ))
    }
    if let explanation = Explanation(of: room) {
      lines += paragraph("Why", explanation.sentence)
      lines += paragraph("What to do", explanation.advice)
    }
    return lines
  }

  private func seconds(_ duration: Duration, _ width: Int) -> String {
    let text = Decimal.fixed(duration.inSeconds, places: 3) ?? "?"
    return String(repeating: " ", count: max(0, width - text.utf8.count)) + text
  }
}

/// A line with a title, or the continuation of the line before.
private func item(_ title: String, _ text: String) -> String { title.fitted(to: indent) + text }

private func paragraph(_ title: String, _ text: String) -> [String] {
  text.wrapped(to: measure - indent).enumerated().map { item($0 == 0 ? title : "", $1) }
}

private let measure = 100
private let indent = 11
