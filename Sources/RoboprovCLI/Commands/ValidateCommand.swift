import ArgumentParser
import Foundation
import Manifest
import Model
import Reporting
import YAML

/// `roboprov validate`: everything that can be said about a manifest without a radio.
struct ValidateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check a manifest, offline.",
    discussion:
      "Exit status: \(ExitStatus.done.rawValue) when it can be applied, \(ExitStatus.manifest.rawValue) when not."
  )

  @Argument(help: ArgumentHelp("The building: rooms, minors, WiFi.", valueName: "building.yaml"))
  var manifest: String

  @Option(help: "What goes to stdout.")
  var output = OutputFormat.text

  func run() throws {
    let bytes = try InputFile.read(manifest, atMost: YAMLParser.maximumBytes).bytes
    let reading = ManifestReader.read(bytes, file: manifest, files: .beside(manifest))
    switch output {
    case .json:
      Console.data(ManifestFindings.json(reading, file: manifest).pretty + "\n")
    case .text:
      Console.show(reading.rendered)
      if let building = reading.building {
        Console.data(ManifestFindings.summary(building, file: manifest) + "\n")
      }
    }
    if reading.building == nil { throw ExitStatus.manifest.exit }
  }
}
