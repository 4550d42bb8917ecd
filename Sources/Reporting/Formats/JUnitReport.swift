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
    func count(_ name: String) -> Int { cases.count { $0.result?.name == name } }
    let time = Decimal.short(cases.reduce(0) { $0 + $1.seconds }) ?? "0"
    let document: Markup = """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites>
        <testsuite name="\(report.name)" tests="\(cases.count)" failures="\(count("failure"))" errors="\(count("error"))" \
      skipped="\(count("skipped"))" time="\(time)" timestamp="\(RunEvent.timestamp(report.made))">
          <properties>
      \(properties(of: report))    </properties>
      \(cases.map(\.text).joined())  </testsuite>
      </testsuites>

      """
    return document.text
  }

  private static func properties(of report: BuildingReport) -> Markup {
    let all: [(name: String, value: String)] = [
      ("building", report.building), ("roboprov", report.maker.toolVersion), ("host", report.maker.host),
      ("operator", report.maker.user ?? ""), ("manifest_sha256", report.manifest?.sha256 ?? ""),
      ("journal_sha256", report.runs.last?.journalHash ?? ""),
    ]
    return all.filter { !$0.value.isEmpty }.map { name, value -> Markup in
      "      <property name=\"\(name)\" value=\"\(value)\"/>\n"
    }.joined()
  }

  private struct Case {
    typealias Result = (name: String, element: Markup)

    let room: BuildingRoom
    let building: String
    /// `failure`, `error` or `skipped`; nil for a room that is done.
    let result: Result?

    init(_ room: BuildingRoom, building: String) {
      (self.room, self.building) = (room, building)
      let explanation = Explanation(of: room, times: .utc)
      let type = room.openReason?.code.rawValue ?? room.state.rawValue
      func skipped(_ reason: String) -> Result { ("skipped", "<skipped message=\"\(reason)\"/>") }
      func notDone(_ name: String) -> Result {
        let attributes: Markup = "message=\"\(explanation.sentence)\" type=\"\(type)\""
        return (name, "<\(name) \(attributes)>\(explanation.advice)</\(name)>")
      }
      result =
        switch room.state {
        case .done: nil
        case .accepted:
          skipped(room.acceptance.map { "accepted by \($0.by): \($0.reason)" } ?? "accepted")
        case .retired: skipped("retired" + (room.retirement?.reason.map { ": \($0)" } ?? ""))
        case .untried: skipped("no run has worked on this room")
        case .missing: notDone("error")
        case .open where room.last?.room.outcome == .unreachable: notDone("error")
        case .open, .changed, .unconfirmed, .actionRequired, .conflicting, .withoutDevice: notDone("failure")
        }
    }

    var seconds: Double { room.last?.room.seconds ?? 0 }

    var text: Markup {
      let children =
        result.map { [$0.element] } ?? (room.last?.room.attemptReports ?? []).compactMap(Self.flaky)
      let start: Markup = """
            <testcase name="\(room.name) (\(room.id.rawValue))" classname="\(building).\(room.profile.rawValue)" \
        time="\(Decimal.short(seconds) ?? "0")"
        """
      if children.isEmpty { return "\(start)/>\n" }
      let lines = children.map { "      \($0)\n" as Markup }
      return "\(start)>\n\(lines.joined())    </testcase>\n"
    }

    /// An attempt that failed; nil for another, or if the host caused it.
    private static func flaky(_ attempt: AttemptReport) -> Markup? {
      guard attempt.notCounted == nil, let failure = attempt.failure else { return nil }
      let stage = failure.stage.map { " in \($0.rawValue)" } ?? ""
      let details = ["attempt \(attempt.number) on \(attempt.adapter)\(stage): \(failure.logWords)"]
      return """
        <flakyFailure message="attempt \(attempt.number) failed\(stage): \(failure.code.words)" \
        type="\(failure.code.rawValue)">
                <stackTrace>\((details + failure.quotes).joined(separator: "; "))</stackTrace>
              </flakyFailure>
        """
    }
  }
}
