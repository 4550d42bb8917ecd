import Bluetooth
import FoundationEssentials
import Model

/// `junit.xml`: a building as a test suite, one test case a room, for servers that show test results.
///
/// The format is that of Jenkins' xUnit plugin: `failure` for a room that was tried and not done, `error` for a device that was
/// not reached, `skipped` with its reason for rooms that are accepted, retired or not tried. A room that is done has the attempts
/// of its newest run that failed as `flakyFailure`, each with the `stackTrace` that the schema of Maven Surefire wants.
package enum JUnitReport {
  /// The file's text.
  package static func text(_ report: BuildingReport) -> String {
    let cases = report.rooms.map { Case($0, building: report.building) }
    func count(_ result: String) -> Int { cases.count { $0.result?.name == result } }
    let counts = [
      ("tests", cases.count), ("failures", count("failure")), ("errors", count("error")),
      ("skipped", count("skipped")),
    ]
    let time = cases.reduce(0) { $0 + $1.seconds }
    let attributes =
      [("name", report.name)] + counts.map { ($0.0, String($0.1)) }
      + [("time", Decimal.short(time) ?? "0"), ("timestamp", RunEvent.timestamp(report.made))]
    let suite = XMLElement(
      "testsuite", attributes,
      [
        XMLElement(
          "properties", [],
          properties(of: report).map { XMLElement("property", [("name", $0.0), ("value", $0.1)]) })
      ] + cases.map(\.element))
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + XMLElement("testsuites", [], [suite]).text
  }

  private static func properties(of report: BuildingReport) -> [(String, String)] {
    [
      ("building", report.building), ("roboprov", report.maker.toolVersion), ("host", report.maker.host),
      ("operator", report.maker.user ?? ""), ("manifest_sha256", report.manifest?.sha256 ?? ""),
      ("journal_sha256", report.runs.last?.journalHash ?? ""),
    ].filter { !$0.1.isEmpty }
  }

  private struct Case {
    let room: BuildingRoom
    let building: String
    /// `failure`, `error` or `skipped`; nil for a room that is done.
    let result: XMLElement?

    init(_ room: BuildingRoom, building: String) {
      (self.room, self.building) = (room, building)
      let explanation = Explanation(of: room)
      let type = room.openReason?.code.rawValue ?? room.state.rawValue
      let attributes = [("message", explanation.sentence), ("type", type)]
      func skipped(_ reason: String) -> XMLElement { XMLElement("skipped", [("message", reason)]) }
      result =
        switch room.state {
        case .done: nil
        case .accepted:
          skipped(room.acceptance.map { "accepted by \($0.by): \($0.reason)" } ?? "accepted")
        case .retired: skipped("retired" + (room.retirement?.reason.map { ": \($0)" } ?? ""))
        case .untried: skipped("no run has worked on this room")
        case .missing: XMLElement("error", attributes, text: explanation.advice)
        case .open where room.last?.room.outcome == .unreachable:
          XMLElement("error", attributes, text: explanation.advice)
        case .open, .changed, .unconfirmed, .actionRequired, .conflicting, .withoutDevice:
          XMLElement("failure", attributes, text: explanation.advice)
        }
    }

    var seconds: Double { room.last?.room.seconds ?? 0 }

    var element: XMLElement {
      XMLElement(
        "testcase",
        [
          ("name", "\(room.name) (\(room.id))"), ("classname", "\(building).\(room.profile)"),
          ("time", Decimal.short(seconds) ?? "0"),
        ], result.map { [$0] } ?? (room.last?.room.attemptReports ?? []).compactMap(Self.flaky))
    }

    /// An attempt that failed; nil for another, or if the host caused it.
    private static func flaky(_ attempt: AttemptReport) -> XMLElement? {
      guard attempt.notCounted == nil else { return nil }
      return attempt.failure.map { failure in
        let stage = failure.stage.map { " in \($0.rawValue)" } ?? ""
        let details = ["attempt \(attempt.number) on \(attempt.adapter)\(stage): \(failure.logWords)"]
        return XMLElement(
          "flakyFailure",
          [
            ("message", "attempt \(attempt.number) failed\(stage): \(failure.code.words)"),
            ("type", failure.code.rawValue),
          ], [XMLElement("stackTrace", [], text: (details + failure.quotes).joined(separator: "; "))])
      }
    }
  }
}

/// An element of an XML document, escaped where it is written.
private struct XMLElement {
  let name: String
  let attributes: [(String, String)]
  let children: [XMLElement]
  let content: String?

  init(_ name: String, _ attributes: [(String, String)], _ children: [XMLElement] = [], text: String? = nil) {
    (self.name, self.attributes, self.children, content) = (name, attributes, children, text)
  }

  var text: String { lines(indent: "").joined(separator: "\n") + "\n" }

  private func lines(indent: String) -> [String] {
    let start = indent + "<" + name + attributes.map { " \($0.0)=\"\(Self.escaped($0.1))\"" }.joined()
    if let content { return [start + ">" + Self.escaped(content) + "</\(name)>"] }
    if children.isEmpty { return [start + "/>"] }
    return [start + ">"] + children.flatMap { $0.lines(indent: indent + "  ") } + [indent + "</\(name)>"]
  }

  /// Markup as entities; characters that XML 1.0 cannot have, or that a terminal would interpret, are spelt
  /// out.
  private static func escaped(_ text: String) -> String {
    text.visible.unicodeScalars.map { scalar in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
      default: String(scalar)
      }
    }.joined()
  }
}
