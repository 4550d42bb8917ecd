import Bluetooth
import Engine
import Model
package import Reporting

/// The findings as text, and all that is known as JSON.
extension Diagnosis {
  /// `roboprov doctor --output json`. An unknown value is null, never missing.
  /// - Parameters:
  ///   - computer: The name of this computer.
  ///   - findings: Those of this diagnosis.
  package func json(of computer: String, _ findings: [Finding]) -> JSONValue {
    let counts = Finding.Severity.allCases.map { severity in
      JSONValue.Member(severity.rawValue, .integer(findings.count { $0.severity == severity }))
    }
    let found = findings.map { finding in
      JSONValue.values([
        "code": finding.code, "severity": finding.severity.rawValue, "subject": finding.subject,
        "sentence": finding.sentence, "advice": finding.advice, "command": finding.command,
      ])
    }
    let adapters = listedOnAllHosts.map(\.json)
    return .values([
      "schema": "roboprov/doctor/1", "tool_version": Version.current, "host": computer,
      "building": building?.building.id, "summary": JSONValue.object(counts), "findings": found,
      "adapters": adapters, "reception": building?.reception?.value?.json,
    ])
  }
}

extension RadioFacts.Item {
  fileprivate var json: JSONValue {
    let hardware = adapter.hardware.map { JSONReport.hardware.value($0) }
    let isPowered = adapter.state == .ready
    return .values([
      "name": adapter.name, "address": adapter.id, "alias": description?.alias, "place": description?.place,
      "powered": isPowered, "blocked": block?.rawValue, "hardware": hardware, "links": links,
    ])
  }
}

extension BuildingFacts.ScanReception {
  fileprivate var json: JSONValue {
    func list(_ rooms: [Room]) -> [JSONValue] {
      rooms.map { JSONValue.values(["id": $0.id, "room": $0.name, "floor": $0.floor]) }
    }
    return .values([
      "seconds": seconds, "adapters": adapters, "received": list(rooms.received),
      "not_received": list(rooms.missing), "unknown": list(rooms.unknown), "unclaimed": rooms.unclaimed,
    ])
  }
}

extension [Finding] {
  /// Each finding with its advice, then the counts. A command has its own line, so that it can be copied.
  package func lines(_ style: TerminalStyle) -> [String] {
    flatMap { $0.lines(style) } + ["", summary]
  }

  /// `1 error, 2 warnings, 3 notes`.
  private var summary: String {
    let parts = [Finding.Severity.error, .warning, .note].compactMap { severity -> String? in
      let count = self.count { $0.severity == severity }
      return count == 0 ? nil : count.counted(severity.rawValue)
    }
    return parts.isEmpty ? "No problem was found." : parts.joined(separator: ", ") + "."
  }
}

extension Finding {
  fileprivate func lines(_ style: TerminalStyle) -> [String] {
    var lines = style.block(sentence.visible, indent: 2, hanging: 0)
    if let first = lines.first { lines[0] = style.paint(sign.text, sign.tone) + " " + first.dropFirst(2) }
    if let advice { lines += style.block(advice.visible, indent: 4) }
    if let command { lines.append("    " + style.paint(command.visible, .bold)) }
    return lines
  }

  /// A sign that is distinct even without colour.
  private var sign: (text: String, tone: TerminalStyle.Tone) {
    switch severity {
    case .ok: ("✓", .green)
    case .note: ("·", .dim)
    case .warning: ("!", .yellow)
    case .error: ("✗", .red)
    }
  }

  /// In one line, for the start of a run.
  var line: String {
    let advice = command.map { ": `\($0)`" } ?? self.advice.map { ". " + $0 } ?? ""
    return "roboprov: \(severity.rawValue): \(clause)\(advice)"
  }

  /// The sentence as a clause: without its full stop, and in lower case if it begins with a common word.
  var clause: String {
    let text = sentence.hasSuffix(".") ? sentence.dropLast() : sentence[...]
    let isWord = text.dropFirst().first.map { $0.isLowercase || $0 == " " } ?? false
    return isWord ? text.prefix(1).lowercased() + text.dropFirst() : String(text)
  }
}
