import ArgumentParser
import Manifest
import Reporting

/// `roboprov schema`: what programs can rely on in what they read.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON Schema of a machine-readable output, or of manifests; or list what there is.",
    discussion: """
      roboprov schema
      roboprov schema report
      roboprov schema manifest >building.schema.json

      `manifest` is for editors (yaml-language-server): what building.yaml can have, with explanations. Draft-07.

      The others are outputs; draft 2020-12. The outputs are closed objects: a key that the schema does not have is never written by this version. \
      docs/outputs.md explains every field.
      """)

  @Argument(help: ArgumentHelp("The output; without it, all are listed.", valueName: "name"))
  var name: String?

  func run() throws {
    guard let name else {
      Console.data(
        Table.text(
          header: ["NAME", "FORMAT", "WHAT IT IS"],
          rows: Outputs.all.map { [$0.name, $0.identifier, $0.about] }
            + [[ManifestSchema.name, ManifestSchema.format, ManifestSchema.about]]))
      return
    }
    if name == ManifestSchema.name { return Console.data(ManifestSchema.document.pretty) }
    Console.data(try Self.output(name).schemaDocument.pretty)
  }

  /// The output of this name, or of this format.
  private static func output(_ name: String) throws -> Output {
    if let output = Outputs.all.first(where: { $0.name == name || $0.identifier == name }) { return output }
    let names = Outputs.all.map(\.name) + [ManifestSchema.name]
    let nearest = Vocabulary.nearest(to: name, of: names).map { "Did you mean `roboprov schema \($0)`? " }
    throw CommandFailure(
      .usage, "there is no output “\(name.visible)”",
      cure: (nearest ?? "") + "The outputs: \(names.joined(separator: ", ")).")
  }
}
