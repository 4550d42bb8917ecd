import Journal
import Reporting

/// What a run shows on stdout at its end.
enum RunOutput {
  /// - Parameter next: The command that does what is left.
  static func show(
    _ report: RunReport, after: BuildingReport?, in directory: RunDirectory, next: String? = nil,
    as format: OutputFormat
  ) {
    switch format {
    case .json:
      Console.data(JSONReport.text(report, after: after))
    case .text:
      let lines = SummaryView.lines(
        report, after: after, reports: directory.path, next: next, style: Screen.standardOutput.style)
      Console.data(lines: lines)
    }
  }
}
