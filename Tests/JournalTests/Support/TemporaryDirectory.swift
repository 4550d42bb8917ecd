import Foundation
import Testing

/// A directory of a test's own, removed when the test is over.
final class TemporaryDirectory {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "roboprov-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path(percentEncoded: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The permission bits of a file or folder in the directory.
  func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
    return try #require(attributes[.posixPermissions] as? NSNumber).intValue
  }

  /// Everything below, sorted; links are not followed.
  func contents() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
  }

  func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path + "/" + name)), as: UTF8.self)
  }

  func write(_ text: String, _ name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path + "/" + name))
  }

  /// Writes into a file that is there, which stays the same file.
  func overwrite(_ text: String, _ name: String) throws {
    let handle = try FileHandle(forWritingTo: URL(filePath: path + "/" + name))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: Data(text.utf8))
    try handle.close()
  }
}
