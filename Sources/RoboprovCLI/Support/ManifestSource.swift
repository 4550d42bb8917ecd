import Foundation
import Manifest
import Model
import YAML

/// A manifest as it was read: the building it describes, and what the report says about its bytes.
struct ManifestSource {
  /// Its path, as the command line named it.
  let path: String
  /// The checked building.
  var building: Building
  /// What is known of its passwords.
  let passwords: ManifestPasswords
  /// The files that were read: the manifest and those that it names.
  let files: [String]
  private let digests: ManifestDigests

  /// What records have of it.
  var digest: String { digests.content }

  /// Whether a record's digest is that of this manifest.
  func hasDigest(_ recorded: String) -> Bool { digests.contain(recorded) }

  /// Reads and checks a manifest; findings go to stderr.
  /// - Parameters:
  ///   - keepsEnvironment: Whether passwords are still to be taken from the environment (`SecretResolver`). Otherwise they are
  ///     removed from it at once: what this command does needs none.
  ///   - warnsOfOthers: Whether it warns of other users' rights.
  /// - Throws: `CommandFailure` when it cannot be read or cannot be applied.
  static func load(_ path: String, keepsEnvironment: Bool = false, warnsOfOthers: Bool = true) throws
    -> ManifestSource
  {
    let file = try InputFile.read(
      path, atMost: YAMLParser.maximumBytes,
      ifMissing: "Look at the path; `roboprov init` writes a manifest that explains every key.")
    let reading = ManifestReader.read(file.bytes, file: path, files: .beside(path))
    Console.show(reading)
    guard let building = reading.building else {
      throw CommandFailure(
        .manifest, "\(path) cannot be applied",
        cure: "Nothing was touched. Correct it; `roboprov validate \(path)` checks it offline.")
    }
    if warnsOfOthers { warnOfOthers(reading) }
    OutsideWords.hide(secretsOf: building)
    if !keepsEnvironment { HostEnvironment.forget(reading.passwords.environment) }
    return ManifestSource(
      path: path, building: building, passwords: reading.passwords, files: reading.files,
      digests: ManifestDigests(of: reading, file.bytes))
  }

  /// A manifest that a command made itself; findings go to stderr. Its passwords are still to be resolved.
  /// - Parameter name: What stands for its path in messages.
  /// - Throws: `CommandFailure` when it cannot be applied.
  static func made(_ text: String, named name: String) throws -> ManifestSource {
    let bytes = Array(text.utf8)
    let reading = ManifestReader.read(bytes, file: name)
    Console.show(reading)
    guard let building = reading.building else {
      throw CommandFailure(
        .usage, "\(name) cannot be applied; nothing was written", cure: "Correct what is told above.")
    }
    OutsideWords.hide(secretsOf: building)
    return ManifestSource(
      path: name, building: building, passwords: reading.passwords, files: reading.files,
      digests: ManifestDigests(of: reading, bytes))
  }

  /// Warns of others who can change the manifest or a file that it names, or read passwords in one of them.
  static func warnOfOthers(_ reading: ManifestReading) {
    for file in reading.files {
      OtherUsers.warn(of: file, reading.passwords.files.contains(file) ? "which has passwords" : nil)
    }
  }
}

/// What records may have of a manifest.
struct ManifestDigests {
  /// `content:` and the SHA-256 of its content without the passwords, lower-case hex. A digest of its bytes would let passwords
  /// be found by trying.
  let content: String
  /// SHA-256 of its bytes, as records of earlier versions have it. It goes nowhere.
  private let sha256: String

  init(of reading: ManifestReading, _ bytes: [UInt8]) {
    content = "content:" + HostEnvironment.sha256(reading.content)
    sha256 = HostEnvironment.sha256(bytes)
  }

  /// Whether one of them is this.
  func contain(_ recorded: String) -> Bool { recorded == content || recorded == sha256 }
}
