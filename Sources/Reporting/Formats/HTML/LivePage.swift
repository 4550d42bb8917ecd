package import FoundationEssentials
import Model

/// The page of `serve`: a building as its record shows it while a run works on it. Its parts have fixed ids; what has
/// changed is sent as JSON, and the script puts it in place.
package struct LivePage: Sendable {
  private let page: BuildingPage
  /// The content of each element with a fixed id, in the order of the page.
  private let parts: [Part]

  private struct Part: Hashable {
    var id: String
    var html: Markup
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
    page = BuildingPage(
      report ?? BuildingReport(unknown: building), times: times,
      live: .init(isKnown: report != nil, isWorking: isWorking, problems: problems, changed: changed))
    parts = [
      Part(id: "problem", html: page.problem), Part(id: "name", html: page.name),
      Part(id: "verdict", html: page.verdict), Part(id: "counts", html: page.counts),
      Part(id: "left", html: page.left),
    ]
  }

  /// The page, with everything in place.
  package var document: String { page.text }

  /// The whole state in JSON, on one line.
  package var whole: String { json(parts, [.init("grid", .string(page.cells.text))]).line }

  /// What has changed since an earlier page, in JSON on one line; nil if the rooms are not the same.
  package func change(since earlier: LivePage) -> String? {
    func names(_ floor: RoomGrid.Floor) -> [String] {
      ["\(floor.isInManifest)", floor.title] + floor.cells.flatMap { [$0.id.rawValue, $0.name] }
    }
    let (old, new) = (earlier.page.grid.floors, page.grid.floors)
    guard old.map(names) == new.map(names) else { return nil }
    let cells = zip(old, new).flatMap { zip($0.cells, $1.cells).filter { $0 != $1 }.map(\.1) }
    let floors = zip(old, new).enumerated().filter { $0.element.0 != $0.element.1 }
    return json(
      parts.filter { !earlier.parts.contains($0) },
      [
        .init(
          "cells",
          .array(
            cells.map { [.integer($0.place), .string($0.mark.name), .string($0.title(page.times).visible)] })),
        .init(
          "floors",
          .array(
            floors.map { index, pair in
              [
                .integer(index), .string("\(pair.1.count(.done))/\(pair.1.total)"),
                .string(page.grid.words(of: pair.1).visible),
              ]
            })),
      ]
    ).line
  }

  private func json(_ parts: [Part], _ more: [JSONValue.Member]) -> JSONValue {
    .object(
      [
        .init("title", .string(page.title.visible)),
        .init("parts", .object(parts.map { .init($0.id, .string($0.html.text)) })),
      ] + more)
  }
}

extension BuildingReport {
  /// The report of a building whose record could not be read.
  fileprivate init(unknown building: String) {
    self.init(
      building: building, BuildingRuns(), LastKnownBuilding(), nil, made: Date(timeIntervalSince1970: 0),
      by: .init(toolVersion: "", host: "", user: nil))
  }
}
