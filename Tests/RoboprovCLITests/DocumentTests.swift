import ArgumentParser
import Families
import Foundation
import Manifest
import RecordedText
import Testing

@testable import Application
@testable import RoboprovCLI

/// The examples of the documents for users, against the program.
@Suite("The documents for users")
struct DocumentTests {
  private static let names = [
    "README.md", "docs/installer.md", "docs/manifest.md", "docs/qa.md", "docs/automation.md",
  ]

  private static func text(_ name: String) throws -> String {
    try String(contentsOf: projectFile(name), encoding: .utf8)
  }

  /// The words of a command, as a shell reads them; nil for a line that is none.
  private static func words(_ line: Substring) -> [String]? {
    guard line.hasPrefix("    roboprov ") else { return nil }
    return line.replacing(#/\s#\s.*$/#, with: "").matches(
      of: #/"([^"]*)"|'([^']*)'|([^\s"']+)(?:"([^"]*)")?/#
    )
    .map { match in
      [match.output.1, match.output.2, match.output.3, match.output.4].compactMap(\.self).joined()
    }
  }

  @Test("each command exists and accepts its arguments", arguments: names)
  func commands(_ name: String) throws {
    let commands = try Self.text(name).split(separator: "\n").compactMap(Self.words)
    #expect(!commands.isEmpty)
    for command in commands {
      #expect(throws: Never.self, "\(name): \(command)") {
        _ = try Roboprov.parseAsRoot(Array(command.dropFirst()))
      }
    }
  }

  /// The files that the examples name.
  private static let files = ManifestFiles { name, _ in
    let texts = [
      "networks.yaml": "wifi: { guests: { ssid: Guests } }\n", "suites.csv": "room,minor\nSuite 1,901\n",
      "rooms.csv": "Zimmer,Beacon-Nr.,Notizen\nPantry,902,locked\n",
    ]
    return .success(.init(name: name, bytes: Array((texts[name] ?? "").utf8)))
  }

  @Test("each whole manifest is valid")
  func manifests() throws {
    let manifests = try Self.text("docs/manifest.md")
      .matches(of: #/```yaml\n(building:.*?)```/#.dotMatchesNewlines()).map { String($0.output.1) }
    #expect(manifests.count == 2)
    for manifest in manifests {
      let reading = ManifestReader.read(
        Array(manifest.utf8), file: "building.yaml", families: .builtIn, files: Self.files)
      #expect(reading.diagnostics.isEmpty, "\(reading.rendered)")
    }
  }

  @Test("the table of exit statuses has all of them")
  func statuses() throws {
    let rows = try Self.text("docs/automation.md").matches(of: #/(?m)^\| (\d+) \|/#).map {
      Int32($0.output.1)
    }
    #expect(rows == ExitStatus.allCases.map(\.rawValue))
  }

  @Test("the table of environment variables has all of them, each with its option")
  func variables() throws {
    let rows = try Self.text("docs/automation.md").matches(of: #/(?m)^\| `(ROBOPROV_\w+)` \| `(--[a-z-]+)`/#)
      .map { ["\($0.output.1)", "\($0.output.2)"] }
    #expect(rows == OptionVariable.allCases.map { [$0.rawValue, $0.option] })
  }
}
