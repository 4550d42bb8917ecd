package import FoundationEssentials
import Model

/// The page of `serve`: a building as its record shows it while a run works on it. Its parts have fixed ids; what has
/// changed is sent as JSON, and the script puts it in place.
package struct LivePage: Sendable {
  private let title: String
  /// The content of each element with a fixed id, in the order of the page.
  private let parts: [Part]
  private let grid: RoomGrid
  private let times: LocalTime

  private struct Part: Hashable {
    var id: HTML
    var html: HTML
  }

  /// - Parameters:
  ///   - building: Its id.
  ///   - report: Its state; nil if its record could not be read so far.
  ///   - isWorking: Whether a process is at work on the last run now.
  ///   - problems: What is wrong with the record or the manifest, in sentences.
  ///   - changed: The time of the newest change that is shown.
  package init(
    building: String, _ report: BuildingReport?, isWorking: Bool, problems: [String], asOf changed: Date?,
    times: LocalTime
  ) {
    let run = report?.runs.last { $0.started.command == .apply }
    let working = isWorking && report?.runs.last?.started.run == run?.started.run ? run?.report : nil
    let rooms = report?.rooms ?? []
    let verdict = report?.verdict
    grid = RoomGrid(rooms, during: working)
    self.times = times
    title = [report?.name ?? building, verdict].compactMap(\.self).joined(separator: ": ")
    parts = [
      Part(id: "problem", html: Self.problem(problems, report == nil ? nil : changed, times)),
      Part(id: "name", html: "<bdi>\(report?.name ?? building)</bdi>"),
      Part(
        id: "verdict",
        html: "<strong>\(verdict ?? "No state is known")</strong> \(Self.words(run, working, times))"),
      Part(
        id: "left",
        html: Self.left(
          rooms.enumerated().filter { Self.needsSomebody($0.element, working) }.map { ($0 + 1, $1) },
          isWorking: working != nil)),
    ]
  }

  private static func problem(_ problems: [String], _ changed: Date?, _ times: LocalTime) -> HTML {
    guard !problems.isEmpty else { return "" }
    let before: HTML? = changed.map { " This page shows what was known at \(times.instant($0))." }
    return "<p>! \(problems.map { HTML($0) }.joined(separator: " "))\(before)</p>"
  }

  /// What the newest run does, or how it ended. A run without an end whose process is not there was interrupted, unless
  /// another computer writes the record.
  private static func words(_ run: BuildingRun?, _ working: RunReport?, _ times: LocalTime) -> HTML {
    guard let run else { return "No run is on record." }
    let began: HTML = "<time>\(times.minute(run.began))</time>"
    if let working {
      let now = working.rooms.count { $0.isWorkedOn }
      return
        "A run has been at work since \(began), on \(now.rooms) now: \(working.tally.ended) of \(working.tally.total) ended."
    }
    if let finished = run.report.finished {
      return "No run is at work. The newest one ended at <time>\(times.minute(finished))</time>."
    }
    return
      "The newest run, of \(began), has no end on record and is not at work on this computer: it was interrupted, or is at work on another one."
  }

  /// While a run works, a room that it has not ended waits for nobody, unless the run says so.
  private static func needsSomebody(_ room: BuildingRoom, _ working: RunReport?) -> Bool {
    guard room.isOpen else { return false }
    guard let now = working?[room.id], !now.isExcluded else { return true }
    return now.isFinished || now.awaitedAction != nil
  }

  /// The rooms that need somebody, by floor, and on each floor by what to do.
  /// - Parameter rooms: Each with its place in the report.
  private static func left(_ rooms: [(place: Int, room: BuildingRoom)], isWorking: Bool) -> HTML {
    guard !rooms.isEmpty else {
      return isWorking ? "<p>No room needs anybody now.</p>" : "<p>Nothing is left to do.</p>"
    }
    struct Group: Hashable {
      var state: RoomStatus.Kind
      var explanation: Explanation
    }
    var floors: [(name: String?, groups: [(group: Group, rooms: [HTML])])] = []
    for (place, room) in rooms {
      let floor = floors.firstIndex { $0.name == room.floor } ?? floors.count
      if floor == floors.count { floors.append((room.floor, [])) }
      let group = Group(state: room.state, explanation: Explanation(of: room))
      let index = floors[floor].groups.firstIndex { $0.group == group } ?? floors[floor].groups.count
      if index == floors[floor].groups.count { floors[floor].groups.append((group, [])) }
      floors[floor].groups[index].rooms.append("<b id=\"room-\(place)\"><bdi>\(room.name)</bdi></b>")
    }
    return floors.map { floor -> HTML in
      let title: HTML? = floor.name.map { "<h3>\($0.floorTitle.uppercasedFirst)</h3>" }
      let items = floor.groups.map { group, rooms -> HTML in
        """
        <li><p>\(rooms.joined(separator: ", ")): \(group.state.words)</p>\
        <p class="advice">\(group.explanation.advice)</p><p>\(group.explanation.sentence)</p></li>
        """
      }
      return "\(title)<ul>\(items.joined())</ul>"
    }.joined()
  }

  // MARK: Documents

  /// The page, with everything in place.
  package var document: String {
    func part(_ id: HTML) -> HTML { parts.first { $0.id == id }?.html ?? "" }
    let page: HTML = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <link rel="icon" href="data:,">
      <title>\(title)</title>
      <link rel="stylesheet" href="style.css">
      <script src="script.js" defer></script>
      </head>
      <body class="live">
      <p id="lost" role="alert" hidden></p>
      <div id="problem" role="alert">\(part("problem"))</div>
      <header><h1 id="name">\(part("name"))</h1>
      <p class="verdict" id="verdict">\(part("verdict"))</p></header>
      <main>
      <section aria-labelledby="grid-title"><h2 id="grid-title">The building at a glance</h2>
      <div id="grid">\(grid.html(times))</div>
      <p id="chosen" role="status"></p>
      <p><label>Sound when a room ends: <select id="sound"><option value="">none</option></select></label></p>
      </section>
      <section aria-labelledby="left-title"><h2 id="left-title">Who is needed, and where</h2>
      <div id="left">\(part("left"))</div></section>
      </main>
      <noscript><p>Without JavaScript the page is as it was when it was loaded.</p></noscript>
      </body>
      </html>

      """
    return page.text
  }

  /// The whole state in JSON, on one line.
  package var whole: String { json(parts, [.init("grid", .string(grid.html(times).text))]).line }

  /// What has changed since an earlier page, in JSON on one line; nil if the rooms are not the same.
  package func change(since earlier: LivePage) -> String? {
    func names(_ floor: RoomGrid.Floor) -> [String] {
      ["\(floor.isInManifest)", floor.title] + floor.cells.flatMap { [$0.id.rawValue, $0.name] }
    }
    let (old, new) = (earlier.grid.floors, grid.floors)
    guard old.map(names) == new.map(names) else { return nil }
    let cells = zip(old, new).flatMap { zip($0.cells, $1.cells).filter { $0 != $1 }.map(\.1) }
    let floors = zip(old, new).enumerated().filter { $0.element.0 != $0.element.1 }
    return json(
      parts.filter { !earlier.parts.contains($0) },
      [
        .init(
          "cells",
          .array(cells.map { [.integer($0.place), .string($0.mark.name), .string($0.title(times).visible)] })),
        .init(
          "floors",
          .array(
            floors.map { index, pair in
              [
                .integer(index), .string("\(pair.1.count(.done))/\(pair.1.total)"),
                .string(grid.words(of: pair.1).visible),
              ]
            })),
      ]
    ).line
  }

  private func json(_ parts: [Part], _ more: [JSONValue.Member]) -> JSONValue {
    .object(
      [
        .init("title", .string(title.visible)),
        .init("parts", .object(parts.map { .init($0.id.text, .string($0.html.text)) })),
      ] + more)
  }
}

extension RoomReport {
  /// Whether an attempt at its device is in flight.
  fileprivate var isWorkedOn: Bool { !isFinished && attemptReports.last.map { $0.seconds == nil } ?? false }
}
