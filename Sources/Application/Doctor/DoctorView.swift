package import Reporting
import Model

/// The findings as text.
package enum DoctorView {
  /// Each finding with its advice, then the counts. A command has its own line, so that it can be copied.
  package static func lines(_ findings: [Finding], style: TerminalStyle) -> [String] {
    findings.flatMap { lines($0, style) } + ["", summary(findings)]
  }

  private static func lines(_ finding: Finding, _ style: TerminalStyle) -> [String] {
    let sign = style.paint(finding.severity.sign, finding.severity.tone)
    var lines = style.block(finding.sentence.visible, indent: 2, hanging: 0)
    if let first = lines.first { lines[0] = sign + " " + first.dropFirst(2) }
    if let advice = finding.advice { lines += style.block(advice.visible, indent: 4) }
    if let command = finding.command { lines.append("    " + style.paint(command.visible, .bold)) }
    return lines
  }

  /// `1 error, 2 warnings, 3 notes`.
  static func summary(_ findings: [Finding]) -> String {
    let counts: [(Finding.Severity, String)] = [(.error, "error"), (.warning, "warning"), (.note, "note")]
    let parts = counts.compactMap { severity, word -> String? in
      let count = findings.count { $0.severity == severity }
      return count == 0 ? nil : count.counted(word)
    }
    return parts.isEmpty ? "No problem was found." : parts.joined(separator: ", ") + "."
  }

  /// A finding in one line, for the start of a run.
  static func line(_ finding: Finding) -> String {
    let advice = finding.command.map { ": `\($0)`" } ?? finding.advice.map { ". " + $0 } ?? ""
    return "roboprov: \(finding.severity.rawValue): \(clause(finding))\(advice)"
  }

  /// A finding's sentence as a clause: without its full stop, and in lower case if it begins with a common
  /// word.
  static func clause(_ finding: Finding) -> String {
    let text = finding.sentence.hasSuffix(".") ? finding.sentence.dropLast() : finding.sentence[...]
    let isWord = text.dropFirst().first.map { $0.isLowercase || $0 == " " } ?? false
    return isWord ? text.prefix(1).lowercased() + text.dropFirst() : String(text)
  }
}

extension Finding.Severity {
  /// A sign that is distinct even without colour.
  fileprivate var sign: String {
    switch self {
    case .ok: "✓"
    case .note: "·"
    case .warning: "!"
    case .error: "✗"
    }
  }

  fileprivate var tone: TerminalStyle.Tone {
    switch self {
    case .ok: .green
    case .note: .dim
    case .warning: .yellow
    case .error: .red
    }
  }
}
