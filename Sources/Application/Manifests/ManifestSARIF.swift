import FoundationEssentials
package import Manifest
package import Reporting
import Source

/// Findings about a manifest as SARIF 2.1.0 (Static Analysis Results Interchange Format), which CI servers show.
package enum ManifestSARIF {
  /// A log of one run.
  package static func log(_ reading: ManifestReading) -> JSONValue {
    let codes = DiagnosticCode.allCases.filter { code in reading.diagnostics.contains { $0.code == code } }
    return [
      "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
      "runs": [
        [
          "tool": [
            "driver": [
              "name": "roboprov", "version": .string(Version.current), "rules": .array(codes.map(rule)),
            ]
          ], "columnKind": "unicodeCodePoints",
          "results": .array(reading.diagnostics.map { result($0, codes, reading) }),
        ]
      ],
    ]
  }

  private static func rule(_ code: DiagnosticCode) -> JSONValue {
    ["id": .string(code.rawValue), "fullDescription": text(code.explanation)]
  }

  private static func text(_ text: String) -> JSONValue { ["text": .string(text)] }

  private static func result(
    _ finding: Diagnostic, _ codes: [DiagnosticCode], _ reading: ManifestReading
  ) -> JSONValue {
    let notes = finding.notes.map { note -> JSONValue in
      ["physicalLocation": place(note.range, reading), "message": text(note.message)]
    }
    return [
      "ruleId": .string(finding.code.rawValue),
      "ruleIndex": .integer(codes.firstIndex(of: finding.code) ?? -1),
      "level": .string(finding.severity.rawValue),
      "message": text(finding.message + (finding.advice.map { ". " + $0 } ?? "")),
      "locations": [["physicalLocation": place(finding.range, reading)]],
      "relatedLocations": .array(notes), "fixes": .array(finding.fix.map { [change($0, reading)] } ?? []),
    ]
  }

  private static func place(_ range: SourceRange, _ reading: ManifestReading) -> JSONValue {
    ["artifactLocation": artifact(range, reading), "region": region(range)]
  }

  private static func artifact(_ range: SourceRange, _ reading: ManifestReading) -> JSONValue {
    let path = reading.excerpts[range.text].file
    let uri = path.percentEncodedPath
    return ["uri": .string(path.hasPrefix("/") ? "file://" + uri : uri)]
  }

  private static func region(_ range: SourceRange) -> JSONValue {
    [
      "startLine": .integer(range.start.line), "startColumn": .integer(range.start.column),
      "endLine": .integer(range.end.line), "endColumn": .integer(range.end.column),
    ]
  }

  private static func change(_ fix: Diagnostic.Fix, _ reading: ManifestReading) -> JSONValue {
    let replacements = fix.edits.map { edit -> JSONValue in
      ["deletedRegion": region(edit.range), "insertedContent": text(edit.text)]
    }
    let changes = fix.edits.prefix(1).map { edit -> JSONValue in
      ["artifactLocation": artifact(edit.range, reading), "replacements": .array(replacements)]
    }
    return ["artifactChanges": .array(changes)]
  }
}
