import Host
import Journal
import Application
import Reporting

/// The output of a run at its end.
enum RunOutput {
  /// - Parameters:
  ///   - next: The line with the command to run next.
  ///   - isBelowProgress: Whether the progress of the run is above it on a terminal.
  static func show(
    _ report: RunReport, after: BuildingReport?, in directory: RunDirectory, next: String? = nil,
    isBelowProgress: Bool = false, as format: OutputFormat
  ) {
    switch format {
    case .json:
      Console.data(JSONReport.text(report, after: after))
    case .text:
      let lines = SummaryView.lines(
        report, after: after, reports: directory.path, next: next, times: .here,
        style: Screen.standardOutput.style)
      let isBelow = isBelowProgress && Screen.standardError.isTerminal && Screen.standardOutput.isTerminal
      Console.data(lines: (isBelow ? [""] : []) + lines)
    }
  }
}
