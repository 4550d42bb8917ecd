import Foundation
import Manifest
import Model
import YAML

/// A manifest as it was read: the building it describes, and what the report says about its bytes.
struct ManifestSource {
  /// The checked building.
  let building: Building
  /// What records have of it: `content:` and the SHA-256 of its content without the passwords, lower-case hex. A digest of
  /// its bytes would let passwords be found by trying.
  let digest: String
  /// SHA-256 of its bytes, as plans of earlier versions have it. It goes nowhere.
  private let sha256: String

  /// Whether a record's digest is that of this manifest.
  func hasDigest(_ recorded: String) -> Bool { recorded == digest || recorded == sha256 }

  /// Reads and checks a manifest; findings go to stderr.
  /// - Throws: `CommandFailure` when it cannot be read or cannot be applied.
  static func load(_ path: String) throws -> ManifestSource {
    let file = try InputFile.read(
      path, atMost: YAMLParser.maximumBytes,
      ifMissing: "Look at the path, or copy manifests/example-building.yaml there.")
    let reading = ManifestReader.read(file.bytes, file: path)
    Console.show(reading.rendered)
    guard let building = reading.building else {
      throw CommandFailure(
        .manifest, "\(path) cannot be applied",
        cure: "Nothing was touched. Correct it; `roboprov validate \(path)` checks it offline.")
    }
    warnOfOthers(file, path, building)
    OutsideWords.hide(secretsOf: building)
    let digests = digests(of: reading, file.bytes)
    return ManifestSource(building: building, digest: digests[0], sha256: digests[1])
  }

  /// What records may have of a manifest: its digest as it is made now, and as earlier versions made it.
  static func digests(of reading: ManifestReading, _ bytes: [UInt8]) -> [String] {
    ["content:" + HostEnvironment.sha256(reading.content), HostEnvironment.sha256(bytes)]
  }

  /// Tells a person who else can read the passwords, or say what is done.
  private static func warnOfOthers(_ file: InputFile, _ path: String, _ building: Building) {
    let hasSecrets = building.rooms.contains { !$0.secrets.isEmpty }
    let rights = [(hasSecrets && file.isReadableByOthers, "read"), (file.isWritableByOthers, "change")]
      .filter(\.0).map(\.1)
    guard !rights.isEmpty else { return }
    let what = hasSecrets ? "\(path), which has passwords" : path
    Console.say(
      "roboprov: warning: other users can \(rights.joined(separator: " and ")) \(what): `chmod 600 \(path)`")
  }
}
