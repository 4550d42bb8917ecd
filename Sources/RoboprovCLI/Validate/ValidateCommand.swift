import Application
import Host
import Reporting
import ArgumentParser
import FoundationEssentials
import Glibc
import Manifest
import YAML

/// `roboprov validate`: checks a manifest without Bluetooth.
struct ValidateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check a manifest, without Bluetooth.",
    discussion: """
        roboprov validate building.yaml
        roboprov validate building.yaml --fix

      Also checks the files that the manifest names, and recognises rooms that were renamed since the last run. Each finding has a code, which docs/diagnostics.md explains. Exit status \
      \(ExitStatus.done.rawValue) if the manifest can be applied, \(ExitStatus.manifest.rawValue) if not.
      """)

  @Argument(
    help: ArgumentHelp("The building: rooms, minors, WiFi.", valueName: "building.yaml"), completion: .yaml)
  var manifest: String

  @Option(help: ArgumentHelp("The reports directory.", valueName: "dir"), completion: .directory)
  var reports = Preferences.current.reports

  @Flag(
    help:
      "Correct the findings whose correction is certain, or that you confirm; keep comments and layout, then check."
  )
  var fix = false

  @Option(name: .output, help: "Format of stdout: text for people, json for programs.")
  var output = OutputFormat.text

  func run() async throws {
    let reading = fix ? try await fixed() : try read()
    switch output {
    case .json:
      Console.data(ManifestFindings.json(reading, file: manifest).pretty)
    case .text:
      Messages.show(reading)
      ManifestSource.warnOfOthers(reading)
      for line in ManifestFindings.tables(reading) { Console.say(line) }
      if let building = reading.building {
        for line in ManifestFindings.renamed(building, in: reports) { Console.say(line) }
        Console.data(ManifestFindings.summary(building, file: manifest) + "\n")
      }
      let fixable = reading.diagnostics.count { $0.fix != nil }
      if fixable > 0 {
        let these =
          reading.diagnostics.count == 1 ? "it" : fixable == 1 ? "one of them" : "\(fixable) of them"
        Console.say("`roboprov validate \(manifest) --fix` corrects \(these).")
      }
    }
    if reading.building == nil { throw ExitStatus.manifest }
  }

  private func read() throws -> ManifestReading {
    let bytes = try InputFile.read(manifest, atMost: YAMLParser.maximumBytes).bytes
    return ManifestReader.read(
      bytes, file: manifest, families: BuiltIn.families, files: .beside(manifest))
  }

  /// Asks once about all corrections that only a person can decide.
  private func isAnswered(_ reading: ManifestReading) async -> Bool {
    let questions = reading.diagnostics.compactMap(\.fix?.question)
    guard let first = questions.first, Screen.canAnswer else { return false }
    return await Keyboard.confirms(
      questions.count == 1 ? first : "\(first) And \(questions.count - 1) more like it?")
  }

  /// Applies every certain correction, and those that a person confirms; also those that only show when the text is YAML, up
  /// to a bound.
  private func fixed() async throws -> ManifestReading {
    var counts: [(file: String, count: Int)] = []
    var reading = try read()
    let isAnswered = await isAnswered(reading)
    for _ in 0..<1000 {
      let fixed = reading.fixed(isAnswered: isAnswered)
      if fixed.isEmpty { break }
      for text in fixed {
        try OutputFile.change(text.name, from: text.original, to: text.bytes)
        if let index = counts.firstIndex(where: { $0.file == text.name }) {
          counts[index].count += text.count
        } else {
          counts.append((text.name, text.count))
        }
      }
      reading = try read()
    }
    if counts.isEmpty { Console.say("No finding has a correction that is certain; nothing was changed.") }
    for (file, count) in counts { Console.say("\(file): \(count) finding\(count == 1 ? "" : "s") corrected") }
    return reading
  }
}
