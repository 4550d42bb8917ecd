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

  /// The page as it is, with the examples made anew: only its introduction and the explanations are written by hand.
  private static func page() throws -> String {
    let written = try String(contentsOf: projectFile("docs/diagnostics.md"), encoding: .utf8)
    let sections = written.components(separatedBy: "\n## ")
    var page = sections[0]
    for code in DiagnosticCode.allCases {
      let heading = "\(code.rawValue)\n\n"
      let section = try #require(
        sections.first { $0.hasPrefix(heading) }, "docs/diagnostics.md does not explain \(code.rawValue)")
      let explanation = try #require(section.dropFirst(heading.count).split(separator: "\n").first)
      page += "\n## \(heading)\(explanation)\n"
      guard codes.contains(code) else { continue }
      let lines = try readExample("manifests/invalid/\(code.rawValue).yaml").rendered.lines
      page += "\n" + lines.map { $0.isEmpty ? "" : "    " + $0 }.joined(separator: "\n")
    }
    return page
  }
}
