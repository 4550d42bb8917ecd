/// What lies in a building's directory beside its runs: the building's own reports.
public enum BuildingDirectory {
  /// Writes a report, such as `building.json`: whole or not at all, replacing an older one.
  /// - Returns: its path.
  /// - Throws: what stands in the way; the older one is then untouched.
  @discardableResult
  public static func writeReport(
    _ name: String, _ text: String, of building: String, in reports: String
  ) throws(JournalError) -> String {
    try RunDirectory.checkName(name)
    let directory = try RunDirectory.makeBuilding(building, in: reports)
    try RunDirectory.replace(name, in: directory, with: text, synced: true)
    try directory.sync()
    return directory.path + "/" + name
  }

  /// The bytes of a file there; nil where there is none that can be read.
  public static func readBytes(_ name: String, of building: String, in reports: String) -> [UInt8]? {
    guard RunDirectory.isSafeName(name), RunDirectory.isSafeName(building) else { return nil }
    return try? File.directory(reports).directory(building).reading(name).readAll()
  }
}
