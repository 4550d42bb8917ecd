import Foundation
import Reporting
import Testing

@testable import Application
@testable import RoboprovCLI

/// Outputs in a folder of a site, which a third-party validator compares with their schemas.
struct OutputFolder {
  private let site: Site
  private let name: String

  /// Creates a folder with the schema of each output.
  init(_ name: String, at site: Site) throws {
    self.site = site
    self.name = name
    try FileManager.default.createDirectory(
      at: site.directory.appending(path: name), withIntermediateDirectories: true)
    for output in Outputs.all {
      try site.write("\(name)/\(output.name).schema.json", output.schemaDocument.pretty)
    }
  }

  /// Writes an output to the folder.
  /// - Parameter file: the suffix of the file's name. A name that ends with `jsonl` has one output per line.
  ///   In a name that begins with `whole`, no key may be absent.
  func add(_ output: String, _ file: String, _ text: String) throws {
    try site.write("\(name)/\(output).\(file)", text)
  }

  /// Checks that each output is valid.
  func expectValid(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await run([], sourceLocation)
  }

  /// Checks that each output becomes invalid if a key is missing, added, or has a value of another type.
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
