/// The parts of a command's `discussion`, by convention: examples, paragraphs, exit statuses.
struct HelpText {
  /// The command lines.
  private(set) var examples: [String] = []
  private(set) var paragraphs: [String] = []
  /// The lines after EXIT STATUS.
  private(set) var exitStatus: [ExitLine] = []

  /// A line of the exit statuses.
  enum ExitLine: Hashable {
    /// A status and what it means.
    case status(String, String)
    /// A remark.
    case remark(String)
  }

  init(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for block in lines.split(whereSeparator: { $0.allSatisfy(\.isWhitespace) }) {
      let lines = block.map { $0.trimmingPrefix(while: \.isWhitespace) }
      if lines.first == "EXIT STATUS" {
        exitStatus += lines.dropFirst().map(Self.exitLine)
      } else if lines.allSatisfy({ $0.hasPrefix("roboprov ") }) {
        examples += lines.map(String.init)
      } else {
        paragraphs.append(lines.joined(separator: " "))
      }
    }
  }

  private static func exitLine(_ line: Substring) -> ExitLine {
    let parts = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
    guard parts.count == 2, Int(parts[0]) != nil else { return .remark(String(line)) }
    return .status(String(parts[0]), String(parts[1].trimmingPrefix(while: \.isWhitespace)))
  }
}
