import Bluetooth
import Model

extension BuildingPage {
  /// The rooms, one in a row, and below each row its history.
  var roomTable: HTML {
    guard !report.rooms.isEmpty else { return "" }
    return section(
      "rooms", "Rooms",
      """
      \(controls)
      <table class="rooms" id="room-table">
      <caption>Every room. “Proved on” is the time of the last evidence.\
      \(isDetailed ? "" : " Only the newest run of each room shows its attempts.")</caption>
      <thead><tr>\(columns.map { "<th scope=\"col\">\($0)</th>" }.joined())</tr></thead>
      \(report.rooms.enumerated().map { row($1, $0 + 1) }.joined())</table>
      """)
  }

  private var columns: [HTML] {
    ["Room", "State", "Device", "Identity", "Evidence", "Proved on", "Run"]
  }

  /// The controls that select rooms. The script shows them.
  private var controls: HTML {
    let states = BuildingRoom.State.allCases.filter { report.count($0) > 0 }
    let filters = states.map { state -> HTML in
      """
      <button type="button" data-state="\(state.rawValue)" aria-pressed="false">\(mark(state)) \
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

  private func row(_ room: BuildingRoom, _ place: Int) -> HTML {
    """
    <tbody id="room-\(place)" data-state="\(room.state.rawValue)"><tr>\
    <th scope="row">\(title(of: room.id, room.name)) <small>\(room.id.rawValue)\(absence(room))</small>\
    <td>\(mark(room.state)) \(room.state.words)\
    <td>\(devices(room))<td>\(room.identity?.distinction ?? "")\
    <td>\(evidence(room))<td>\(seen(room))\
    <td>\((room.seen?.run ?? room.last?.recorded.run).map { link(run: $0) })\
    <tr class="history"><td colspan="\(columns.count)">\(history(room))</tbody>

    """
  }

  private func absence(_ room: BuildingRoom) -> String {
    room.isInManifest ? "" : ", not in the manifest"
  }

  private func devices(_ room: BuildingRoom) -> HTML {
    let devices = room.devices.isEmpty ? [room.last?.room.address].compactMap(\.self) : room.devices
    let list = devices.map { "<code>\($0.description)</code>" as HTML }.joined(separator: "<br>")
    return room.devices.count > 1 ? list + "<br><small>! several devices on record</small>" : list
  }

  /// The evidence for the state, and its weakness.
  private func evidence(_ room: BuildingRoom) -> HTML {
    let settings = room.settings.map(\.result)
    let summary: HTML =
      settings.isEmpty ? "" : "<br><small>settings: \(settings.summary)</small>"
    guard let evidence = room.evidence else { return "<span class=\"none\">none</span>\(summary)" }
    let weakness: HTML? = evidence.grade.plainWeakness.map { "<br><small class=\"weak\">! \($0)</small>" }
    return "\(evidence.grade.plainWords)\(weakness)\(summary)"
  }

  /// The time of the evidence, and whether it is from the newest run.
  private func seen(_ room: BuildingRoom) -> HTML {
    guard let seen = room.seen else {
      return room.state == .untried ? "" : "<span class=\"none\">never</span>"
    }
    let missing: HTML? = room.missingSince.map {
      "<br><small class=\"weak\">! missing since \(time($0.at))</small>"
    }
    return "\(time(seen.at))<br>\(nearness(room, seen))\(missing)"
  }

  /// Whether the device on record was received in the newest run, too.
  private func nearness(_ room: BuildingRoom, _ seen: RecordedAt) -> HTML {
    guard let newest else { return "" }
    if seen.run == newest.run.started.run { return "<small>seen in the newest run</small>" }
    if room.isReceived(in: newest.run.report) {
      return "<small>on record; its device was received in the newest run</small>"
    }
    return "<small class=\"old\">◷ on record; not received in the newest run</small>"
  }
}

extension BuildingRoom {
  /// Whether one of its devices was received in a run.
  func isReceived(in report: RunReport) -> Bool {
    let addresses = devices + [evidence?.address].compactMap(\.self)
    return addresses.contains { report.hasReceived($0) }
  }
}
