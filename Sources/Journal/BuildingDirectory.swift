import Model

/// The building's own reports, in the building's directory beside its runs.
package enum BuildingDirectory {
  /// Writes a report, such as `building.json`, atomically. It replaces an older one.
  /// - Returns: the report's path.
  /// - Throws: the first failure; the older report is then unchanged.
  @discardableResult
  package static func writeReport(
    _ name: String, _ text: String, of building: String, in reports: String
  ) throws(JournalError) -> String {
    let directory = try RunDirectory.makeBuilding(building, in: reports)
    try RunDirectory.writeReport(name, text, in: directory)
    return directory.path + "/" + name
  }

  /// The bytes of a file in the building's directory; nil when it cannot be read.
  package static func readBytes(_ name: String, of building: String, in reports: String) -> [UInt8]? {
    guard name.isFileName, building.isFileName else { return nil }
    return try? File.directory(reports).directory(building).reading(name).readAll()
  }
}
