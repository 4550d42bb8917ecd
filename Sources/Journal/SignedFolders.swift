import Model
import FoundationEssentials

/// What was signed of a building: a folder `signed/<time>/` in the building's folder for each signature. A folder
/// appears at once with all its files, and nothing changes it afterwards.
package enum SignedFolders {
  package static let name = "signed"

  /// The names of the folders, oldest first.
  /// - Throws: when the directory cannot be read.
  package static func names(of building: String, in reports: String) throws(JournalError) -> [String] {
    do throws(JournalError) {
      return try File.directory(reports).directory(building).directory(name).names().filter {
        $0.isFileName
      }
    } catch  where error.cause == .missing {
      return []
    }
  }

  /// Writes a folder. The caller holds the building's lock.
  /// - Parameters:
  ///   - folder: Its name, which must be new.
  ///   - files: Its files, with their paths in it.
  ///   - complete: Adds the signature to the folder at this path, before it gets its name.
  /// - Returns: its path.
  /// - Throws: the first failure; then there is no folder.
  package static func add(
    _ folder: String, _ files: [(path: String, bytes: [UInt8])], of building: String, in reports: String,
    complete: (String) throws -> Void
  ) throws -> String {
    try RunDirectory.checkName(folder)
    let top = try RunDirectory.makeBuilding(building, in: reports)
    if try top.createDirectory(name) { try top.sync() }
    let all = try top.directory(name)
    guard all.kind(of: folder) == nil else {
      throw JournalError(.createDirectory, "\(all.path)/\(folder)", .exists)
    }
    // A command that was killed may have left a part of a folder.
    for left in try all.names() where left.hasPrefix(".") {
      try? FileManager.default.removeItem(atPath: "\(all.path)/\(left)")
    }
    let temporary = "." + folder
    guard try all.createDirectory(temporary) else {
      throw JournalError(.createDirectory, "\(all.path)/\(temporary)", .exists)
    }
    do {
      let place = try all.directory(temporary)
      for file in files { try write(file.bytes, file.path.split(separator: "/").map(String.init), in: place) }
      try complete(place.path)
      for name in try place.names() { try place.reading(name).sync() }
      try place.sync()
      try all.rename(temporary, to: folder)
      try all.sync()
    } catch {
      try? FileManager.default.removeItem(atPath: "\(all.path)/\(temporary)")
      throw error
    }
    return "\(all.path)/\(folder)"
  }

  private static func write(
    _ bytes: [UInt8], _ path: [String], in directory: File
  ) throws(JournalError) {
    guard let name = path.first else { return }
    try RunDirectory.checkName(name)
    if path.count == 1 {
      try directory.create(name, with: bytes, synced: true)
    } else {
      _ = try directory.createDirectory(name)
      try write(bytes, Array(path.dropFirst()), in: try directory.directory(name))
    }
  }
}
