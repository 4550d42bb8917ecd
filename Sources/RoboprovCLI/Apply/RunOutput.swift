import Journal
import Application
import Reporting

/// The output of a run at its end.
enum RunOutput {
  /// - Parameter next: The command to run next.
  static func show(
    _ report: RunReport, after: BuildingReport?, in directory: RunDirectory, next: String? = nil,
    as format: OutputFormat
  ) {
    switch format {
    case .json:
      Console.data(JSONReport.text(report, after: after))
    case .text:
      let lines = SummaryView.lines(
        report, after: after, reports: directory.path, next: next, times: .here,
        style: Screen.standardOutput.style)
      Console.data(lines: lines)
    }
  }
}
