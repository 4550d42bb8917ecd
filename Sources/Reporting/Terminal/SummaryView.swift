import Bluetooth
import Model

/// The summary of a run, for a person.
package enum SummaryView {
  /// The maximum number of names in one place. The reports have all of them.
  static let mostNames = 12
  /// The maximum number of causes of one group.
  static let mostCauses = 6

  /// The lines: the rooms that are not done, grouped by what to do; the places of the reports; the counts; the next command.
  /// The most important lines are last, where a terminal shows them.
  /// - Parameters:
  ///   - after: The state of the building after the run; nil where it is not known.
  ///   - reports: Where the run's files are, or nil when they could not be written.
  ///   - next: The line with the command that does what is left; nil where nothing is.
  ///   - times: The local time, for days.
  ///   - style: The terminal; a sentence wraps at its width, and at 100 columns at most.
  package static func lines(
    _ report: RunReport, after: BuildingReport? = nil, reports: String?, next: String? = nil,
    times: LocalTime = .utc, style: TerminalStyle
  ) -> [String] {
    var blocks = report.left.grouped { [$0.cause.state.rawValue, $0.cause.explanation.advice] }
      .map { explain($0.elements, style) }
    blocks += foreignScans(report, style) + busyHost(report, style)
    blocks += unclaimed(report, style)
    blocks += unasked(report, style)
    if let reports {
      var paths: [String] = []
      // A path is never cut, because people copy it.
      if after != nil, let folder = reports.lastIndex(of: "/") {
        paths.append("Report of the building: \(String(reports[..<folder]).visible)/building.html")
      }
      blocks.append(paths + ["Reports: \(reports.visible)"])
    }
    blocks.append(
      headline(report, after, style)
        + (report.speed.map { style.block($0.sentence, indent: 2) } ?? [])
        + onRecordOnly(report, times, style))
    if let next { blocks[blocks.count - 1].append(next.visible) }
    return Array(blocks.joined(separator: [""]))
  }

  /// Rooms with the same outcome and the same advice: the causes of each, and the advice for all. A single room has its device's
  /// address.
  private static func explain(_ left: [LeftRooms<Outcome, RoomReport>], _ style: TerminalStyle) -> [String] {
    let rooms = left.flatMap(\.rooms)
    if rooms.count == 1 { return explain(rooms[0], style) }
    let (outcome, advice) = (left[0].cause.state, left[0].cause.explanation.advice)
    var lines = style.block("\(outcome.symbol) \(rooms.count.rooms): \(outcome.words)")
      .map { style.paint($0, outcome.tone) }
    for part in left.prefix(mostCauses) {
      // A cause of the host concerns no single room.
      let isOfMany = part.rooms.count > mostNames && part.rooms.allSatisfy { $0.reason?.trait == .ofHost }
      let sentence = part.cause.explanation.sentence
      let text = isOfMany ? sentence : "\(names(part.rooms)): \(sentence)"
      lines += style.block(text, indent: 4, hanging: 2)
    }
    let more = left.dropFirst(mostCauses).flatMap(\.rooms)
    if !more.isEmpty { lines += style.block("Other rooms: \(names(more))", indent: 4, hanging: 2) }
    return lines + style.block("→ " + advice, indent: 4, hanging: 2)
  }

  private static func names(_ rooms: [RoomReport]) -> String {
    rooms.map(\.planned.name.visible).listed(most: mostNames)
  }

  /// Other programs that slowed the run down.
  private static func foreignScans(_ report: RunReport, _ style: TerminalStyle) -> [[String]] {
    report.foreignScans.map { scan in
      let adapter = report.name(of: scan.adapter) ?? scan.adapter.description
      return style.block(scan.sentence(adapter: adapter.visible))
        + style.block("→ " + scan.advice, indent: 4, hanging: 2)
    }
  }

  /// The times in which the computer, not the radio, was the limit.
  private static func busyHost(_ report: RunReport, _ style: TerminalStyle) -> [[String]] {
    report.busyHost.map {
      [style.block($0) + style.block("→ Close other programs that use the processor.", indent: 4, hanging: 2)]
    } ?? []
  }

  /// Devices that were received and belong to no room: the manifest may lack a room.
  private static func unclaimed(_ report: RunReport, _ style: TerminalStyle) -> [[String]] {
    let devices = report.unclaimed.sorted { ($1.rssi ?? .min, $0.address) < ($0.rssi ?? .min, $1.address) }
    guard !devices.isEmpty else { return [] }
    let shown = devices.map { device in "\(device.address)\(device.rssi.map { " \($0) dBm" } ?? "")" }
      .listed(most: mostNames)
    let unreceived = report.rooms.filter { $0.reason?.code == .neverReceived && $0.address != nil }
    if let offset = offset(of: report) {
      let manifest = (report.run?.manifestPath ?? "building.yaml").shellQuoted
      return [
        style.block("\(offset.sentence). The addresses of the manifest are probably those that labels show.")
          + style.block(
            "→ `roboprov capture \(manifest) --all` asks whether to add \(offset.offset) to each.", indent: 4,
            hanging: 2)
      ]
    }
    if !unreceived.isEmpty {
      return [
        style.block(
          "In no room, but received: \(shown); not received: \(names(unreceived)). A wrong label?"
        )
          + style.block(
            "→ Compare the address of each of these rooms in the manifest with the label in the room.",
            indent: 4, hanging: 2)
      ]
    }
    return [
      style.block("Received, but in no room: \(shown).")
        + style.block(
          "→ If one of them belongs to a room, write its address into the manifest.", indent: 4, hanging: 2)
    ]
  }

  /// The probable difference between the addresses of the manifest and those of the devices that belong to no room.
  private static func offset(of report: RunReport) -> AddressOffset? {
    let free = Set(report.unclaimed.map(\.address))
    let given = report.rooms.compactMap { room in
      room.planned.address.map {
        AddressOffset.Given(
          room: room.planned.name, address: $0, isSilent: room.reason?.code == .neverReceived)
      }
    }
    return AddressOffset(given, free.contains)
  }

  /// Rooms whose devices nobody confirmed.
  private static func unasked(_ report: RunReport, _ style: TerminalStyle) -> [[String]] {
    let rooms = report.rooms.filter { $0.consent == .option }
    guard !rooms.isEmpty else { return [] }
    return [
      style.block("Device assigned without confirmation (--yes): \(names(rooms)).")
        + style.block(
          "→ Compare the addresses in the report with the labels in the rooms.", indent: 4, hanging: 2)
    ]
  }

  /// The run, and where it leaves the building: one count if the run was to work on all rooms.
  private static func headline(
    _ report: RunReport, _ after: BuildingReport?, _ style: TerminalStyle
  ) -> [String] {
    let selected = report.selected
    let good = selected.count(where: \.outcome.isSuccess)
    let all = good == selected.count
    // A run that was interrupted may not have come to rooms that are done on record.
    let isPart = after.map { selected.count < report.rooms.count || good != $0.count(.done) } ?? false
    let simulated = report.run?.simulated == true ? ", simulated" : ""
    var text =
      "\(good) of \(isPart ? "the \(selected.count)" : "\(selected.count)") "
      + (isPart ? "selected " : "") + (selected.count == 1 ? "room" : "rooms")
      + " done in \(report.elapsed.inSeconds.asSeconds)\(simulated)"
    switch report.outcome {
    case .complete, .incomplete: break
    case .interrupted: text += ", interrupted"
    case .aborted: text += ", aborted" + (report.interruption.map { ": \($0.cause.words)" } ?? "")
    case nil: text += ", \(RunReport.unfinished)"
    }
    let counts = Outcome.allCases.filter { report.count($0) > 0 }.map { outcome in
      "\(report.count(outcome)) \(outcome.words)" + registered(outcome, in: report)
    }
    let building = isPart ? after.map(self.building) : nil
    return style.block(text).map { style.paint($0, all ? .green : .bold) }
      + style.block(counts.joined(separator: ", "), indent: 2)
      + (building.map { style.block($0, indent: 2) } ?? [])
  }

  private static func building(_ after: BuildingReport) -> String {
    let others = after.others.map { ", \($0.count) \($0.state.words)" }
    return "The building: \(after.verdict.lowercasedFirst)\(others.joined())."
  }

  /// Rooms that are done on record, whose device was not received in this run.
  private static func onRecordOnly(
    _ report: RunReport, _ times: LocalTime, _ style: TerminalStyle
  ) -> [String] {
    let rooms = report.rooms.filter(\.isDoneOnRecordOnly)
    guard !rooms.isEmpty else { return [] }
    let days = rooms.compactMap(\.evidence?.seenAt).min().map {
      ", last received on \(times.day($0)) or later"
    }
    let names = rooms.count > 5 ? "" : " (\(rooms.map(\.planned.name.visible).joined(separator: ", ")))"
    return style.block(
      "\(rooms.count.rooms) done on record, not received in this run\(names)\(days ?? "").",
      indent: 2)
  }

  /// The number of registered rooms of an outcome, which means that roboprov does not write them.
  private static func registered(_ outcome: Outcome, in report: RunReport) -> String {
    guard outcome.isSuccess else { return "" }
    let rooms = report.rooms.filter { $0.outcome == outcome }
    let registered = rooms.count(where: \.isRegistered)
    if registered == 0 { return "" }
    return registered == rooms.count ? " (registered)" : " (\(registered) registered)"
  }

  private static func explain(_ room: RoomReport, _ style: TerminalStyle) -> [String] {
    let outcome = room.outcome
    let title = style.block("\(outcome.symbol) \(room.planned.name.visible): \(outcome.words)")
    guard let explanation = Explanation(of: room) else { return [] }
    return title.map { style.paint($0, outcome.tone) }
      + style.block(explanation.sentence, indent: 4)
      + style.block("→ " + explanation.advice, indent: 4, hanging: 2)
  }
}
