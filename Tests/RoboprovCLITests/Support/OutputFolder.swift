import Foundation
import Reporting
import Testing

@testable import RoboprovCLI

/// Outputs in a folder of a site, to be held against their schemas by Python's `jsonschema`.
struct OutputFolder {
  private let site: Site
  private let name: String

  /// A new folder, with the schema of every output.
  init(_ name: String, at site: Site) throws {
    self.site = site
    self.name = name
    try FileManager.default.createDirectory(
      at: site.directory.appending(path: name), withIntermediateDirectories: true)
    for output in Outputs.all {
      try site.write("\(name)/\(output.name).schema.json", output.schemaDocument.pretty)
    }
  }

  /// Puts an output into the folder.
  /// - Parameter file: the end of its file's name; what ends with `jsonl` is an output a line, and in what begins with
  ///   `whole` no key may be absent.
  func add(_ output: String, _ file: String, _ text: String) throws {
    try site.write("\(name)/\(output).\(file)", text)
  }

  /// Checks that every output is valid.
  func expectValid(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await run([], sourceLocation)
  }

  /// Checks that no output is valid any more once a key is missing or added, or has a value of another type.
  func expectRefusedWhenChanged(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await run(["--changed"], sourceLocation)
  }

  /// Checks that no output is valid.
  func expectRefused(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await run(["--refused"], sourceLocation)
  }

  private func run(_ options: [String], _ sourceLocation: SourceLocation) async throws {
    let checkout = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
    let python = checkout.appending(path: ".build-interop/venv/bin/python3").path
    try #require(
      FileManager.default.isExecutableFile(atPath: python), "no Python for this: run `make venv`",
      sourceLocation: sourceLocation)
    let script = checkout.appending(path: "Tests/Interop/check_outputs.py").path
    let outcome = try await site.runTool([python, script] + options + [name])
    try #require(outcome.status == 0, "\(outcome)", sourceLocation: sourceLocation)
    let lines = outcome.output.split(separator: "\n").compactMap { JSON(String($0)) }
    #expect(
      lines.last?["schemas"].items.compactMap(\.text) == Outputs.all.map(\.name).sorted(),
      sourceLocation: sourceLocation)
    let files = lines.dropLast()
    #expect(!files.isEmpty, sourceLocation: sourceLocation)
    for file in files {
      let errors = file["errors"].items.compactMap(\.text).joined(separator: "\n")
      #expect(
        errors.isEmpty, "\(file["file"].text ?? "?")\n\(errors)", sourceLocation: sourceLocation)
      #expect((file["documents"].integer ?? 0) > 0, sourceLocation: sourceLocation)
    }
  }
}
