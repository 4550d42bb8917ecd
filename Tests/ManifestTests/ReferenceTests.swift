import Families
import Foundation
import Manifest
import Model
import RecordedText
import Testing

/// Reads an example manifest of the project and the files that it names.
func readExample(_ path: String) throws -> ManifestReading {
  let directory = (path as NSString).deletingLastPathComponent
  return readManifest(
    Array(try Data(contentsOf: projectFile(path))), file: path,
    families: .builtIn,
    files: ManifestFiles { file, _ in
      let place = directory + "/" + file
      guard let data = try? Data(contentsOf: projectFile(place)) else { return .failure(.missing) }
      return .success(.init(name: place, bytes: Array(data)))
    })
}

@Suite("The reference of findings")
struct ReferenceTests {
  /// `HostileTests` covers `fileTooLarge`, which would need an example of 64 MiB.
  private static let codes = DiagnosticCode.allCases.filter { $0 != .fileTooLarge }

  @Test("every code has an example without any other error", arguments: codes)
  func examples(code: DiagnosticCode) throws {
    let reading = try readExample("manifests/invalid/\(code.rawValue).yaml")
    #expect(reading.diagnostics.contains { $0.code == code }, "\(reading.rendered)")
    #expect(
      reading.diagnostics.allSatisfy { $0.code == code || $0.severity == .warning }, "\(reading.rendered)")
  }

  @Test("the reference explains every code with an example, as recorded")
  func page() throws {
    try expectRecorded(try Self.page(), in: projectFile("docs/diagnostics.md"))
  }

  @Test("every example belongs to a code")
  func unusedExamples() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: projectFile("manifests/invalid").path)
    let unknown = names.filter { name in
      name != "files" && !DiagnosticCode.allCases.contains { "\($0.rawValue).yaml" == name }
    }
    #expect(unknown == [])
  }

  private static func page() throws -> String {
    var page = """
      # Findings about manifests

      What `roboprov validate`, and every other command that reads a manifest, can report about it. Codes are stable; texts may \
      change with any version. A manifest with an error cannot be used; one with warnings can. `roboprov validate --fix` \
      corrects what is certain.

      This page is generated from the code and the examples in `manifests/invalid`, one for each finding. Do not edit it; \
      record it with `ROBOPROV_RECORD=1 make test FILTER=ReferenceTests`.

      """
    for code in DiagnosticCode.allCases {
      page += "\n## \(code.rawValue)\n\n\(code.explanation)\n"
      guard codes.contains(code) else { continue }
      let lines = try readExample("manifests/invalid/\(code.rawValue).yaml").rendered.lines
      page += "\n" + lines.map { $0.isEmpty ? "" : "    " + $0 }.joined(separator: "\n")
    }
    return page
  }
}
