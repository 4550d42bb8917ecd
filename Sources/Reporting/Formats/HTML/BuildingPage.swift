import FoundationEssentials
import Model

/// The page of a building: `building.html`, its state for signature, one file without a network; or what `serve` shows while
/// a run works on it. Both show the rooms as a grid and what is left to do; the file has everything else, too.
package struct BuildingPage: Sendable {
  /// What `serve` knows besides the record.
  package struct Live: Sendable {
    /// Whether the record could be read at least once.
    let isKnown: Bool
    /// Whether a process is at work on the last run now.
    let isWorking: Bool
    /// What is wrong with the record or the manifest, in sentences.
    let problems: [String]
    /// The time of the newest change that is shown.
    let changed: Date?
  }

  let report: BuildingReport
  let times: LocalTime
  /// Nil for the file.
  let live: Live?
  /// The run that works on the building now.
  let working: RunReport?
  let grid: RoomGrid
  /// The newest run that reached the radio.
  let newest: BuildingRun?

  /// Whether the histories have the attempts of older runs; with very many attempts the page would be too
  /// large to open.
  let isDetailed: Bool

  /// How many settings of most done rooms have each state. In the file, a room says only where it differs.
  let usualSettings: String

  /// The number of each record on the page, by its id.
  private let numbers: [String: Int]
  private let places: [RoomID: Int]

  /// - Parameter times: The local time. Times in UTC are marked as such.
  package init(_ report: BuildingReport, times: LocalTime, live: Live? = nil) {
    (self.report, self.times, self.live) = (report, times, live)
    let last = live?.isWorking == true ? report.runs.last : nil
    working = last?.started.command == .apply ? last?.report : nil
    grid = RoomGrid(report.rooms, during: working)
    numbers = Dictionary(
      report.runs.enumerated().map { ($1.started.run, $0 + 1) }, uniquingKeysWith: { first, _ in first })
    places = Dictionary(
      report.rooms.enumerated().map { ($1.id, $0 + 1) }, uniquingKeysWith: { first, _ in first })
    // Only the file has lines of rooms; `serve` makes its page at each change.
    let rooms = live == nil ? report.rooms : []
    isDetailed = rooms.reduce(0) { $0 + $1.runs.reduce(0) { $0 + $1.room.attemptReports.count } } <= 4000
    newest = report.newestAtRadio
    let settings = rooms.filter { $0.state == .done }.map(\.settingsSummary)
    usualSettings =
      Dictionary(grouping: settings, by: \.self).max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }?
      .key ?? ""
  }

  // MARK: The document

  package var text: String { document.text }

  private var document: Markup {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    \(live == nil ? embedded : linked)\
    <title>\(title)</title>
    </head>
    <body\(live == nil ? "" : " class=\"live\"")>
    \(live == nil ? skip : alerts)\
    <header>
    \(live == nil ? "<p class=\"kind\">Provisioning report</p>\n" : "")\
    <h1 id="name">\(name)</h1>
    <p class="verdict\(live == nil && report.isDone ? " good" : "")" id="verdict">\(verdict)</p>
    </header>
    <main>
    \(isLarge ? open + overview : overview + open)\(live == nil ? roomTable + plots + runTable + signatures : "")</main>
    \(live == nil ? end : noScript)\
    </body>
    </html>

    """
  }

  /// Whether the picture of the rooms needs so much space that what is left comes before it.
  private var isLarge: Bool { report.rooms.count > 500 }

  /// How many rooms are done, in the title and at the top.
  var state: String { live?.isKnown == false ? "No state is known" : report.verdict }
  var title: String { "\(report.name): \(state)" }
  var name: Markup { "<bdi>\(report.name)</bdi>" }

  private var skip: Markup { "<a class=\"skip\" href=\"#rooms-title\">To the rooms</a>\n" }

  /// The head of the file, which loads nothing.
  private var embedded: Markup {
    """
    <meta http-equiv="Content-Security-Policy" content="\(BuildingPage.policy)">
    <meta name="referrer" content="no-referrer">
    <meta name="generator" content="roboprov \(report.maker.toolVersion)">
    <style>\(BuildingPage.style)</style>

    """
  }

  private var end: Markup {
    """
    <footer><p>Made by roboprov \(report.maker.toolVersion) from the record of the building. Times are \
    \(times.offset(report.made)) unless marked otherwise.</p></footer>
    <script>\(BuildingPage.script)</script>

    """
  }

  // MARK: Parts of parts

  /// A time for people, to the minute; UTC in its title.
  func time(_ at: Date) -> Markup { "<time title=\"\(times.universal(at))\">\(minute(at))</time>" }

  /// The time of something whose run has a line, which has UTC, too.
  func minute(_ at: Date) -> Markup {
    let offset = times.offset(at)
    return "\(times.minute(at))\(offset == times.offset(report.made) ? "" : " \(offset)")"
  }

  /// A run by its number, which leads to its line.
  func link(run: String) -> Markup {
    guard let number = numbers[run] else { return "run \(run)" }
    return "<a href=\"#run-\(number)\">run \(number)</a>"
  }

  /// A room by its name, which leads to its row. Without rows it is where the room's cell leads.
  func link(room: RoomID, _ name: String) -> Markup {
    let title = title(of: room, name)
    guard let place = places[room] else { return title }
    return live == nil
      ? "<a href=\"#room-\(place)\">\(title)</a>" : "<span id=\"room-\(place)\">\(title)</span>"
  }

  /// A room's name; its id where the name shows nothing.
  func title(of room: RoomID, _ name: String) -> Markup {
    "<bdi>\(name.contains { !$0.isWhitespace } ? name : room.rawValue)</bdi>"
  }

  func section(_ id: Markup, _ title: Markup, _ content: Markup) -> Markup {
    """
    <section id="\(id)" aria-labelledby="\(id)-title">
    <h2 id="\(id)-title" tabindex="-1">\(title)</h2>
    \(content)
    </section>

    """
  }
}
