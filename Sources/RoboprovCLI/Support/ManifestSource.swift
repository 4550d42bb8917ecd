import Foundation
import Manifest
import Model

/// A manifest as it was read: the building it describes, and what the report says about its bytes.
struct ManifestSource {
  /// The checked building.
  let building: Building
  /// SHA-256 of the bytes, lower-case hex.
  let sha256: String

  /// Reads and checks a manifest; findings go to stderr.
  /// - Throws: `CommandFailure` when it cannot be read or cannot be applied.
  static func load(_ path: String) throws -> ManifestSource {
    let bytes = try bytes(
      of: path, ifMissing: "Look at the path, or copy manifests/example-building.yaml there.")
    let reading = ManifestReader.read(bytes, file: path)
    Console.show(reading.rendered)
    guard let building = reading.building else {
      throw CommandFailure(
        .manifest, "\(path) cannot be applied",
        cure: "Nothing was touched. Correct it; `roboprov validate \(path)` checks it offline.")
    }
    return ManifestSource(building: building, sha256: HostEnvironment.sha256(bytes))
  }

  /// A file's bytes.
  /// - Parameter cure: What to do where there is no such file.
  /// - Throws: `CommandFailure` that says why it cannot be read.
  static func bytes(of path: String, ifMissing cure: String = "Look at the path.") throws -> [UInt8] {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw CommandFailure(.manifest, "there is no file \(path)", cure: cure)
    }
    if isDirectory.boolValue {
      throw CommandFailure(.manifest, "\(path) is a directory", cure: "Name the file in it.")
    }
    do {
      return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      throw CommandFailure(
        .manifest, "\(path) cannot be read: \((error as NSError).localizedDescription)",
        cure: "Give yourself the right to read it.")
    }
  }
}
