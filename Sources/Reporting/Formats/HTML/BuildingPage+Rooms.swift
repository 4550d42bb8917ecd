import Bluetooth
import Model

extension BuildingPage {
  /// The rooms, each in two lines, and its history below them.
  var roomTable: Markup {
    guard !report.rooms.isEmpty else { return "" }
    return section(
      "rooms", "Rooms",
      """
      \(controls)
      <table class="rooms" id="room-table">
      <caption>Every room. “Proved on” is the time of the last evidence; ◷: its device was not received in the newest run.\
      \(usualSettings.isEmpty ? "" : " Unless a room says otherwise, its settings are: \(usualSettings).")\
      \(isDetailed ? "" : " Only the newest run of each room shows its attempts.")</caption>
      <thead><tr>\(columns.map { "<th scope=\"col\">\($0)</th>" }.joined())</tr></thead>
      \(report.rooms.enumerated().map { row($1, $0 + 1) }.joined())</table>
      """)
  }

  private var columns: [Markup] {
    ["Room", "State", "Device", "Identity", "Evidence", "Proved on", "Run"]
  }

  /// The controls that select rooms. The script shows them.
  private var controls: Markup {
    let states = RoomStatus.Kind.allCases.filter { report.count($0) > 0 }
    let filters = states.map { state -> Markup in
      """
      <button type="button" data-state="\(state.rawValue)" aria-pressed="false">\(mark(.state(state))) \
      \(state.words) \(report.count(state))</button>
      """
    }
    return """
      <div class="controls" id="controls" hidden>
      <p class="search"><label for="search">Search rooms</label> \
      <input id="search" type="search" autocomplete="off" spellcheck="false"></p>
      <div role="group" aria-label="Show rooms by state"><button type="button" data-state="" \
      aria-pressed="true">all \(report.rooms.count)</button>\(filters.joined())</div>
      <p><button type="button" id="histories" aria-pressed="false">Open every room’s history</button></p>
      <p id="shown" role="status"></p>
      </div>
      """
  }

  /// A room: what is known of it in one line, and what is particular about it in a second one, which opens its history. Without
  /// anything particular its name opens the history.
  private func row(_ room: BuildingRoom, _ place: Int) -> Markup {
    let particulars = particulars(room)
    let name: Markup = "\(title(of: room.id, room.name)) <small>\(whereabouts(room))</small>"
    let below: Markup =
      particulars.isEmpty
      ? "<tr class=\"usual\"><td colspan=\"\(columns.count)\"><div>\(history(room))</div>"
      : """
      <tr><td colspan="\(columns.count)"><details><summary>\(particulars.joined(separator: " · "))</summary>\
      \(history(room))</details>
      """
    return """
      <tbody id="room-\(place)" data-state="\(room.state.rawValue)"><tr>\
      <th scope="row">\(particulars.isEmpty ? "<details><summary title=\"Settings and history\">\(name)</summary></details>" : name)\
      <td>\(mark(.state(room.state))) \(room.state.words)\
      <td>\(devices(room))<td>\(room.identity?.distinction ?? "")\
      <td>\(evidence(room))<td>\(seen(room))\
      <td>\((room.seen?.run ?? room.last?.recorded.run).map { link(run: $0) })\
      \(below)</tbody>

      """
  }

  /// Its id where the name does not show it, and its floor.
  private func whereabouts(_ room: BuildingRoom) -> String {
    let words = room.name.lowercased().split { !$0.isLetter && !$0.isNumber }
    return [
      words.joined(separator: "-") == room.id.rawValue ? nil : room.id.rawValue, room.floor?.floorTitle,
      room.isInManifest ? nil : "not in the manifest",
    ].compactMap(\.self).joined(separator: ", ")
  }

  private func devices(_ room: BuildingRoom) -> Markup {
    let devices = room.devices.isEmpty ? [room.last?.room.address].compactMap(\.self) : room.devices
    return devices.map { "<code>\($0.description)</code>" as Markup }.joined(separator: "<br>")
  }

  private func evidence(_ room: BuildingRoom) -> Markup {
    room.evidence.map { "\($0.grade.plainWords)" } ?? "<span class=\"none\">none</span>"
  }

  /// The time of the evidence, and a mark if the newest run did not receive its device.
  private func seen(_ room: BuildingRoom) -> Markup {
    guard let seen = room.seen else {
      return room.state == .untried ? "" : "<span class=\"none\">never</span>"
    }
    let isOld = newest.map { seen.run != $0.started.run && !room.isReceived(in: $0.report) } ?? false
    let mark: Markup = isOld ? "<abbr class=\"old\" title=\"not received in the newest run\">◷</abbr> " : ""
    return mark + time(seen.at)
  }

  /// What differs from most rooms, or needs a person.
  private func particulars(_ room: BuildingRoom) -> [Markup] {
    var parts: [Markup] = []
    if room.devices.count > 1 { parts.append("<b>! several devices on record</b>") }
    if let weakness = room.evidence?.grade.weakness { parts.append("<b>! weak: \(weakness)</b>") }
    if let since = room.missingSince { parts.append("<b>! missing since \(time(since.at))</b>") }
    if let acceptance = room.acceptance {
      parts.append("accepted by <bdi>\(acceptance.by)</bdi>: <bdi>\(acceptance.reason)</bdi>")
    }
    if let reason = room.openReason {
      let first: Markup? = room.since.map { " (first \(time($0)))" }
      parts.append("\(reason.code.words)\(first)")
    }
    if !room.settings.isEmpty, room.settingsSummary != usualSettings {
      parts.append("settings: \(room.settingsSummary)")
    }
    return parts
  }
}

extension BuildingRoom {
  /// How many of its settings have each state.
  var settingsSummary: String { settings.map(\.result).summary }

  /// Whether one of its devices was received in a run.
  func isReceived(in report: RunReport) -> Bool {
    let addresses = devices + [evidence?.address].compactMap(\.self)
    return addresses.contains { report.hasReceived($0) }
  }
}
