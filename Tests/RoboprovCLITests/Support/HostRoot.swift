import Foundation

/// A folder that replaces the root directory of a computer, or a part of it.
enum HostRoot {
  /// Creates files and links below a new folder while `body` runs.
  /// - Parameter body: gets the folder's path.
  static func use<Result>(
    _ files: [String: String], links: [String: String] = [:], _ body: (String) throws -> Result
  ) throws -> Result {
    let root = FileManager.default.temporaryDirectory.appending(path: "roboprov-root-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    func place(_ path: String) throws -> URL {
      let place = root.appending(path: path)
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      return place
    }
    for (path, text) in files { try Data(text.utf8).write(to: try place(path)) }
    for (path, target) in links {
      try FileManager.default.createSymbolicLink(atPath: try place(path).path, withDestinationPath: target)
    }
    return try body(root.path)
  }
}
