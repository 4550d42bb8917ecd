import Application
import Reporting
import ArgumentParser
import FoundationEssentials
import Glibc
import Manifest
import YAML

/// `roboprov validate`: checks a manifest without Bluetooth.
struct ValidateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check a manifest, without Bluetooth.",
    discussion: """
        roboprov validate building.yaml
        roboprov validate building.yaml --fix
        roboprov validate building.yaml --output sarif > findings.sarif

      Also checks the files that the manifest names. Each finding has a code, which docs/diagnostics.md explains. Exit status \
      \(ExitStatus.done.rawValue) if the manifest can be applied, \(ExitStatus.manifest.rawValue) if not.
      """)

  @Argument(
    help: ArgumentHelp("The building: rooms, minors, WiFi.", valueName: "building.yaml"), completion: .yaml)
  var manifest: String

  @Flag(help: "Correct the findings that have a certain correction, keep comments and layout, then check.")
  var fix = false

  @Option(help: "Format of stdout: text for people, json for programs, sarif (2.1.0) for CI servers.")
  var output = Format.text

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
    case sarif
  }

  func run() throws {
    if fix { try applyFixes(to: try read()) }
    let reading = try read()
    switch output {
    case .json:
      Console.data(ManifestFindings.json(reading, file: manifest).pretty)
    case .sarif:
      Console.data(ManifestSARIF.log(reading).pretty)
    case .text:
      Messages.show(reading)
      ManifestSource.warnOfOthers(reading)
      for line in ManifestFindings.tables(reading) { Console.say(line) }
      if let building = reading.building {
        Console.data(ManifestFindings.summary(building, file: manifest) + "\n")
      }
    }
    if reading.building == nil { throw ExitStatus.manifest }
  }

  private func read() throws -> ManifestReading {
    let bytes = try InputFile.read(manifest, atMost: YAMLParser.maximumBytes).bytes
    return ManifestReader.read(
      bytes, file: manifest, families: BuiltIn.families, files: .beside(manifest))
  }

  private func applyFixes(to reading: ManifestReading) throws {
    let fixed = reading.fixed()
    if fixed.isEmpty { Console.say("No finding has a certain correction; nothing was changed.") }
    for text in fixed {
      try OutputFile.change(text.name, from: text.original, to: text.bytes)
      Console.say("\(text.name): \(text.count) finding\(text.count == 1 ? "" : "s") corrected")
    }
  }
}
