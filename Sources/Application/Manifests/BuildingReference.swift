import FoundationEssentials
import Model

/// A building as a person names it: by its manifest, or by its id (its folder in the reports directory).
package struct BuildingReference {
  /// The building's id.
  package let id: String
  /// The content of the manifest, if one is named.
  package let source: ManifestSource?
  /// The argument as the person wrote it.
  package let text: String

  /// Reads the manifest, if a file of that name exists.
  /// - Throws: `CommandFailure` when it cannot be used.
  package static func find(_ text: String) throws -> BuildingReference {
    let looksLikeFile = text.contains("/") || text.hasSuffix(".yaml") || text.hasSuffix(".yml")
    guard looksLikeFile || FileManager.default.isReadableFile(atPath: text) && !isDirectory(text) else {
      return BuildingReference(id: text, source: nil, text: text)
    }
    let source = try ManifestSource.load(text)
    return BuildingReference(id: source.building.id, source: source, text: text)
  }

  /// Makes sure that the building is known: by its manifest, or by its folder.
  /// - Throws: `CommandFailure` when it is not.
  package func requireKnown(in reports: String) throws {
    guard source == nil, !FileManager.default.fileExists(atPath: "\(reports)/\(id)") else { return }
    throw CommandFailure(
      .usage, "there is no building \(id.visible) in \(reports)",
      advice: "Name its manifest, or its folder in the reports directory (--reports DIR).")
  }

  private static func isDirectory(_ path: String) -> Bool {
    var isDirectory: Bool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
  }
}
