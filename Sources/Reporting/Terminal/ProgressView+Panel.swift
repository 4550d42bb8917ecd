import Bluetooth
import Model

/// The panel: the present work, in as many lines as fit on the terminal.
extension ProgressView {
  /// The lines to draw now, none wider than the terminal. Above them, a third of the terminal shows what has ended,
  /// and at most ten lines of a high one. None before and after the run.
  /// - Parameter elapsed: Time since the run began.
  package func live(at elapsed: Duration, style: TerminalStyle) -> [String] {
    guard report.run != nil, report.outcome == nil else { return [] }
    let most = max(3, style.height * 2 / 3, style.height - 10)
    var lines = [title(at: elapsed, style), counts(style)]
    if let banner = banner(style) { lines.append(banner) }
    var end: [String] = []
    if isShowingHelp { end = help(style) } else if hasKeys, most >= 10 { end = [keys(style)] }
    end = Array(end.prefix(max(0, most - lines.count - 1)))
    let floors = most - lines.count - end.count
    lines += GridView.bars(RoomGrid(report), style, most: min(floors / 3, floors - 1))
    let free = most - lines.count - end.count
    let pinned = pinnedLines(style, most: max(0, min(free / 3, free - 1)))
    let adapters = adapterLines(at: elapsed, style, most: max(0, min(free / 3, free - 1 - pinned.count)))
    let rooms = activeLines(at: elapsed, style, most: max(1, free - pinned.count - adapters.count))
    return Array((lines + adapters + rooms + pinned + end).prefix(most))
  }

  // MARK: Header

  /// The building, the mark of a simulation, the time, and the time that is left.
  private func title(at elapsed: Duration, _ style: TerminalStyle) -> String {
    var right = Self.clock(elapsed)
    if let left = estimate(at: elapsed) {
      let isLeast = !backingOff.isEmpty || !exhausted.isEmpty
      right +=
        style.width >= 60
        ? " · \(isLeast ? "at least" : "about") \(left.asAboutTime) left"
        : " \(isLeast ? "≥" : "~")\(left.asAboutTime)"
    }
    let mark = report.run?.simulated == true ? (style.width >= 60 ? " · SIMULATED" : " SIM") : ""
    let room = max(4, style.width - right.columns - mark.columns - 2)
    let name = (report.run?.buildingName ?? "").visible.truncated(to: room)
    let gap = max(1, style.width - name.columns - mark.columns - right.columns)
    let line = name + mark + String(repeating: " ", count: gap) + right
    return style.paint(line.truncated(to: style.width), .bold)
  }

  /// The time that the rest takes if each room takes as long as the rooms so far, and the last proof a scan window; nil
  /// before the fifth room, and once the run stood still. While attempts failed, that is the least: nobody knows how many
  /// more such a room takes.
  func estimate(at elapsed: Duration) -> Duration? {
    guard request?.request != .stop, !report.hasPaused, tally.left > 0 else { return nil }
    let reached = report.selected.filter(\.isReached)
    guard reached.count >= 5, let begin = reached.compactMap(\.firstAttempt).min() else { return nil }
    let unreached = report.selected.count { !$0.isFinished && !$0.isReached && $0.awaitedAction == nil }
    return (elapsed - begin) / reached.count * unreached + .seconds(8)
  }

  /// The number of rooms in each state. The least important counts are left out first.
  private func counts(_ style: TerminalStyle) -> String {
    let written = active.count(where: \.isSubmitted)
    var parts: [(text: String, tone: TerminalStyle.Tone, weight: Int)] = [
      ("\(tally.done)/\(tally.total) done", .green, 0)
    ]
    if tally.failed > 0 { parts.append(("\(tally.failed) failed", .red, 1)) }
    let action = tally.action + pinned.count { report[$0]?.awaitedAction != nil } + exhausted.count
    if action > 0 {
      parts.append((style.width >= 60 ? "\(action) action required" : "\(action) action", .yellow, 2))
    }
    if !active.isEmpty { parts.append(("\(active.count) active", .plain, 4)) }
    // Proofs take long: until they come, this is the only count that changes.
    if written > 0 { parts.append(("\(written) written", .plain, 3)) }
    if !backingOff.isEmpty { parts.append(("\(backingOff.count) to retry", .plain, 6)) }
    if tally.left > 0 { parts.append(("\(tally.left) left", .plain, 5)) }
    if tally.other > 0 { parts.append(("\(tally.other) not done", .dim, 7)) }
    func width() -> Int { parts.reduce(-3) { $0 + $1.text.columns + 3 } }
    while width() > style.width, parts.count > 1, let least = parts.map(\.weight).max() {
      parts.removeAll { $0.weight == least }
    }
    let text = parts.map { style.paint($0.text.truncated(to: style.width), $0.tone) }.joined(separator: " · ")
    let cells = min(20, style.width - width() - 3)
    guard cells >= 10, tally.total > 0 else { return text }
    let filled = tally.done * cells / tally.total
    return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: cells - filled) + "] "
      + text
  }

  /// States of the whole run: a pause, a stop, the wait for an adapter, devices that may be dead.
  private func banner(_ style: TerminalStyle) -> String? {
    let text: String
    switch request?.request {
    case .stop?:
      let bound = request?.within.map { " within \($0.asSeconds)" } ?? ""
      let count = active.count == 1 ? "1 device finishes" : "\(active.count) devices finish"
      let long = "Stopping: \(count)\(bound), nothing new starts. Ctrl-C: stop immediately"
      text = long.columns <= style.width ? long : "Stopping… Ctrl-C again: immediately"
    case .pause?: text = hasKeys ? "Paused: nothing new starts. p: resume" : "Paused: nothing new starts"
    case .resume?, nil:
      if let waiting {
        text = EventWords(.adapterAwaited(waiting), report.titles) { _ in "" }.text.uppercasedFirst
      } else if isOnlySilentLeft {
        let devices = tally.left == 1 ? "1 device that accepts" : "\(tally.left) devices that accept"
        text = "Left: \(devices) no connection. Ctrl-C loses nothing"
      } else {
        return nil
      }
    }
    return style.paint(text.truncated(to: style.width), .yellow)
  }

  /// Whether each room that is left has a device that failed, and accepted no connection of this run. Their last attempts take
  /// the longest.
  private var isOnlySilentLeft: Bool {
    tally.left > 0
      && report.selected.lazy.filter { !$0.isFinished }.allSatisfy { room in
        room.attemptReports.contains { $0.failure != nil && $0.notCounted == nil }
          && room.attemptReports.allSatisfy { $0.stages.allSatisfy { $0.stage == .connect } }
      }
  }

  // MARK: Adapters

  private func adapterLines(at elapsed: Duration, _ style: TerminalStyle, most: Int) -> [String] {
    guard !adapters.isEmpty, most > 0, style.height >= 10 else { return [] }
    if adapters.count > most {
      let scanning = adapters.count { $0.scanningSince != nil }
      let links = active.count(where: \.hasLink)
      let faults = adapters.count { $0.fault != nil }
      var text =
        "\(adapters.count) adapters · \(scanning) scanning · \(links.counted("link"))"
      if faults > 0 { text += " · \(faults) with a fault" }
      return [style.paint(text.truncated(to: style.width), .dim)]
    }
    let column = adapters.map(\.name.columns).max() ?? 0
    return adapters.map { adapter in
      let mine = active.filter { $0.adapter == adapter.id }
      let links = mine.count(where: \.hasLink)
      var parts: [String] = []
      if let fault = adapter.fault {
        parts = [fault]
      } else if let since = adapter.scanningSince {
        let purpose = adapter.purpose == .proof ? " for proofs" : ""
        parts.append("scanning\(purpose) \(Self.seconds(elapsed - since))")
      } else if mine.contains(where: { $0.stage == .connect || $0.stage == nil }) {
        parts.append("connecting")
      } else {
        parts.append(links > 0 ? "connected" : "idle")
      }
      let slots = adapter.slots.map { "/\(max($0, links))" } ?? ""
      if adapter.fault == nil, links > 0 || style.width >= 60 { parts.append("links \(links)\(slots)") }
      let text = adapter.name.fitted(to: min(column, style.width / 3)) + "  " + parts.joined(separator: " · ")
      return style.paint(text.truncated(to: style.width), adapter.fault == nil ? .dim : .yellow)
    }
  }

  // MARK: Rooms

  private func activeLines(at elapsed: Duration, _ style: TerminalStyle, most: Int) -> [String] {
    if active.isEmpty { return [idle(style).truncated(to: style.width)] }
    let fits = active.count <= most ? active.count : max(0, most - 1)
    // Devices that wait for their proof come last: they delay nothing.
    let rooms = active.filter { $0.stage != .verify } + active.filter { $0.stage == .verify }
    let lines = rooms.prefix(fits).map { row(of: $0, at: elapsed, style) }
    return active.count > fits ? lines + ["  … and \(active.count - fits) more active"] : lines
  }

  /// An active room: name, stage, time and its limit, and details that fit.
  private func row(of room: ActiveRoom, at elapsed: Duration, _ style: TerminalStyle) -> String {
    let seconds = max(0, (elapsed - room.since).inSeconds.rounded(.down))
    // The time limit of a proof counts the time in which the adapter scans.
    let limit = room.stage == .verify ? "" : room.timeout.map { "/\(Self.whole($0))" } ?? ""
    // An attempt ends a little later than its time limit, when the stack has answered.
    let time = "\(Self.whole(limit.isEmpty ? seconds : min(seconds, room.timeout ?? seconds)))\(limit) s"
    let column = min(longestName, max(6, style.width * 3 / 8 - 4))
    let name = room.name.fitted(to: column)
    var free = style.width - column - 2 - 2
    var tail = "  " + String(repeating: " ", count: max(0, 8 - time.columns)) + time
    free -= tail.columns
    let text = room.text
    let widest = 18
    func add(_ part: String) {
      guard free - part.columns - 2 >= widest else { return }
      tail += "  " + part
      free -= part.columns + 2
    }
    if adapters.count > 1 { add(adapterName(room.adapter)) }
    add(room.address.description)
    if let rssi = room.rssi { add("\(rssi) dBm") }
    if room.number > 1 { add("attempt \(room.number)") }
    let shown = free >= widest ? text.fitted(to: widest) : text.fitted(to: max(4, free))
    return "  \(name)  \(shown)\(tail)".truncated(to: style.width)
  }

  /// The line when no attempt is in flight.
  private func idle(_ style: TerminalStyle) -> String {
    let isScanning = adapters.contains { $0.scanningSince != nil }
    guard isScanning else { return waiting == nil ? "  Working" : "  Waiting" }
    let left = report.selected.lazy.filter { !$0.isFinished }
    guard tally.left < tally.total, let first = left.first else {
      return "  Scanning for devices"
    }
    let more = tally.left > 1 ? " and \(tally.left - 1) more" : ""
    let opening = "  Scanning for "
    let room = max(6, style.width - opening.columns - more.columns)
    return opening + first.planned.name.visible.truncated(to: room) + more
  }

  /// The rooms that require action, and those that failed, the newest first.
  private func pinnedLines(_ style: TerminalStyle, most: Int) -> [String] {
    let waiting = pinned.filter { report[$0]?.awaitedAction != nil }
    let ended = pinned.filter { report[$0]?.awaitedAction == nil }
    let rooms = waiting.reversed() + exhausted.keys.sorted() + ended.reversed()
    guard !rooms.isEmpty, most > 0 else { return [] }
    let fits = rooms.count <= most ? rooms.count : most - 1
    var lines = rooms.prefix(fits).compactMap { room in report[room].map { pinnedLine(of: $0, style) } }
    if rooms.count > fits {
      lines.append(
        "  … and \(rooms.count - fits) more that failed or require action".truncated(to: style.width))
    }
    return lines
  }

  private func pinnedLine(of room: RoomReport, _ style: TerminalStyle) -> String {
    if let reason = exhausted[room.id] {
      let text =
        "\(room.planned.name.visible): no attempts left; retried at a stronger signal (\(reason.code.words))"
      return style.paint("! " + text.truncated(to: style.width - 2), .yellow)
    }
    let text = "\(room.planned.name.visible): " + (Explanation(general: room)?.sentence ?? room.outcomeWords)
    return style.paint("\(room.outcome.symbol) " + text.truncated(to: style.width - 2), room.outcome.tone)
  }

  // MARK: Keys

  private func keys(_ style: TerminalStyle) -> String {
    let keys =
      switch request?.request {
      case .stop?: "? help · Ctrl-C stop immediately"
      case .pause?: "p resume · ? help · Ctrl-C stop"
      case .resume?, nil: "p pause · ? help · Ctrl-C stop"
      }
    return style.paint(keys.truncated(to: style.width), .dim)
  }

  private func help(_ style: TerminalStyle) -> [String] {
    [
      "p       pause: nothing new starts, active devices finish; p again: resume",
      "Ctrl-C  stop: active devices finish, reports are written",
      "        twice: stop immediately; the record is complete up to then",
      "?       close this help",
      "✓ done   ✗ failed   ! action required   – not done",
    ].map { style.paint($0.truncated(to: style.width), .dim) }
  }

  // MARK: Numbers

  private static func seconds(_ duration: Duration) -> String {
    whole(max(0, duration.inSeconds).rounded(.down)) + " s"
  }

  private static func whole(_ seconds: Double) -> String {
    guard seconds.isFinite, (0...1e9).contains(seconds) else { return "?" }
    return "\(Int(seconds.rounded()))"
  }

  /// `m:ss`, from an hour on `h:mm:ss`.
  static func clock(_ elapsed: Duration) -> String {
    let whole = max(0, elapsed.inMicroseconds / 1_000_000)
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60)
    return hours > 0 ? "\(hours):\(two(minutes)):\(two(seconds))" : "\(minutes):\(two(seconds))"
  }
}

extension Duration {
  /// A rounded estimate: `40 s`, `12 min`, `3 h`.
  package var asAboutTime: String {
    let seconds = max(0, inSeconds)
    if seconds < 90 { return "\(max(5, Int((seconds / 5).rounded(.up)) * 5)) s" }
    if seconds < 5400 { return "\(Int((seconds / 60).rounded(.up))) min" }
    return "\(Int((seconds / 3600).rounded(.up))) h"
  }
}
