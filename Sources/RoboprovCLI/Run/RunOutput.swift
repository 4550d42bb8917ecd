import Journal
import Reporting

/// What a run shows on stdout at its end.
enum RunOutput {
  static func show(
    _ report: RunReport, after: BuildingReport?, in directory: RunDirectory, as format: OutputFormat
  ) {
    switch format {
    case .json:
      Console.data(JSONReport.text(report, after: after))
    case .text:
      let screen = Screen.standardOutput
      let lines = SummaryView.lines(
        report, after: after, reports: directory.path,
        style: TerminalStyle(width: screen.width, hasColor: screen.hasColor))
      Console.data(lines: lines)
    }
  }
}
