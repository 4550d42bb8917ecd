import FoundationEssentials
import Model

/// `building.html`: the state of a building, for signature. One file, without a network.
package enum BuildingHTML {
  /// The file's text.
  /// - Parameters:
  ///   - times: The local time. Times in UTC are marked as such.
  ///   - isSimulated: Whether the building is virtual. Every page is then marked.
  package static func text(_ report: BuildingReport, times: LocalTime, isSimulated: Bool = false) -> String {
    BuildingPage(report, times: times, isSimulated: isSimulated).document.text
  }
}

/// The page, with the data that its parts share.
struct BuildingPage {
  let report: BuildingReport
  let times: LocalTime
  let isSimulated: Bool
  /// The newest run that reached the radio: its number and itself.
  let newest: (number: Int, run: BuildingRun)?

  /// Whether the histories have the attempts of older runs; with very many attempts the page would be too
  /// large to open.
  let isDetailed: Bool

  /// How many settings of most done rooms have each state: a room's line says only where it differs.
  let usualSettings: String

  /// The number of each record on the page, by its id.
  private let numbers: [String: Int]
  private let places: [RoomID: Int]

  init(_ report: BuildingReport, times: LocalTime, isSimulated: Bool) {
    (self.report, self.times, self.isSimulated) = (report, times, isSimulated)
    numbers = Dictionary(
      report.runs.enumerated().map { ($1.started.run, $0 + 1) }, uniquingKeysWith: { first, _ in first })
    places = Dictionary(
      report.rooms.enumerated().map { ($1.id, $0 + 1) }, uniquingKeysWith: { first, _ in first })
    isDetailed =
      report.rooms.reduce(0) { $0 + $1.runs.reduce(0) { $0 + $1.room.attemptReports.count } } <= 4000
    newest = report.newestAtRadio
    let settings = report.rooms.filter { $0.state == .done }.map(\.settingsSummary)
    usualSettings =
      Dictionary(grouping: settings, by: \.self).max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }?
      .key ?? ""
  }

  var document: HTML {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="\(BuildingPage.policy)">
    <meta name="referrer" content="no-referrer">
    <meta name="color-scheme" content="light dark">
    <meta name="generator" content="roboprov \(report.maker.toolVersion)">
    <title>\(title)</title>
    <style>\(BuildingPage.style)</style>
    \(isSimulated ? "<style>\(BuildingPage.simulatedStyle)</style>\n" : "")\
    </head>
    <body>
    <a class="skip" href="#rooms-title">To the rooms</a>
    \(stamp)\(header)
    <main>
    \(overview)\(left)\(roomTable)\(plots)\(runTable)\(signatures)</main>
    <footer><p>Made by roboprov \(report.maker.toolVersion) from the record of the building. Times are \
    \(times.offset(report.made)) unless marked otherwise.</p></footer>
    <script>\(BuildingPage.script)</script>
    </body>
    </html>

    """
  }

  private var title: String {
    "\(isSimulated ? "SIMULATED: " : "")\(report.name): \(report.verdict)"
  }

  /// The stamp is on each page of paper and across the screen. Its words are also in the summary.
  private var stamp: HTML {
    isSimulated ? "<div class=\"stamp\" aria-hidden=\"true\"><span>SIMULATED</span></div>\n" : ""
  }

  /// A time for people, to the minute; UTC in its title.
  func time(_ at: Date) -> HTML { "<time title=\"\(times.universal(at))\">\(minute(at))</time>" }

  /// The time of something whose run has a line, which has UTC, too.
  func minute(_ at: Date) -> HTML {
    let offset = times.offset(at)
    return "\(times.minute(at))\(offset == times.offset(report.made) ? "" : " \(offset)")"
  }

  /// A run by its number, which leads to its line.
  func link(run: String) -> HTML {
    guard let number = numbers[run] else { return "run \(run)" }
    return "<a href=\"#run-\(number)\">run \(number)</a>"
  }

  /// A room by its name, which leads to its row.
  func link(room: RoomID, _ name: String) -> HTML {
    guard let place = places[room] else { return title(of: room, name) }
    return "<a href=\"#room-\(place)\">\(title(of: room, name))</a>"
  }

  /// A room's name; its id where the name shows nothing.
  func title(of room: RoomID, _ name: String) -> HTML {
    "<bdi>\(name.contains { !$0.isWhitespace } ? name : room.rawValue)</bdi>"
  }

  func section(_ id: HTML, _ title: HTML, _ content: HTML) -> HTML {
    """
    <section id="\(id)" aria-labelledby="\(id)-title">
    <h2 id="\(id)-title" tabindex="-1">\(title)</h2>
    \(content)
    </section>

    """
  }
}
