import Application
import Model
import ArgumentParser
import Manifest
import Reporting

/// `roboprov schema`: prints the JSON Schema of an output, of manifests or of family files.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract:
      "Print the JSON Schema of a machine-readable output, of manifests or of family files, or list them.",
    discussion: """
      roboprov schema
      roboprov schema report
      roboprov schema manifest >building.schema.json
      roboprov schema manifest building.yaml >building.schema.json
      roboprov schema family

      `manifest` describes building.yaml for editors (yaml-language-server), with explanations, and `family` the files under \
      its `families`; JSON Schema draft-07. With a manifest, `manifest` also has the settings of the families that it describes.

      The other names are outputs; JSON Schema draft 2020-12. The schemas are closed: this version writes no key that the \
      schema does not list. docs/outputs.md explains every field.
      """)

  @Argument(help: ArgumentHelp("The name of the schema. Default: list all names.", valueName: "name"))
  var name: String?

  @Argument(
    help: ArgumentHelp(
      "With the name manifest: the building whose families the schema also has.", valueName: "building.yaml"),
    completion: .yaml)
  var manifest: String?

  func validate() throws {
    if manifest != nil, name != ManifestSchema.name {
      throw ValidationError("only `roboprov schema manifest` takes a manifest")
    }
  }

  func run() throws {
    guard let name else {
      Console.data(
        Table.text(
          header: ["NAME", "FORMAT", "WHAT IT IS"],
          rows: Outputs.all.map { [$0.name, $0.identifier, $0.about] }
            + [
              [ManifestSchema.name, ManifestSchema.format, ManifestSchema.about],
              [FamilySchema.name, ManifestSchema.format, FamilySchema.about],
            ]))
      return
    }
    if name == FamilySchema.name { return Console.data(FamilySchema.document.pretty) }
    if name == ManifestSchema.name {
      let families = try manifest.map { try ManifestSource.load($0).building.families }
      return Console.data(ManifestSchema.document(with: families ?? BuiltIn.families).pretty)
    }
    Console.data(try Self.output(name).schemaDocument.pretty)
  }

  /// The output with this name or format.
  private static func output(_ name: String) throws -> Output {
    if let output = Outputs.all.first(where: { $0.name == name || $0.identifier == name }) { return output }
    let names = Outputs.all.map(\.name) + [ManifestSchema.name, FamilySchema.name]
    let nearest = Vocabulary.nearest(to: name, of: names).map { "Did you mean `roboprov schema \($0)`? " }
    throw CommandFailure(
      .usage, "there is no schema “\(name.visible)”",
      advice: (nearest ?? "") + "The schemas: \(names.joined(separator: ", ")).")
  }
}
