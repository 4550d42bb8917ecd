import FoundationEssentials
import Glibc
import Host
package import Manifest
package import Model
import YAML

/// A manifest as read: the building, and its digest for the record.
package struct ManifestSource: Sendable {
  /// The path on the command line.
  package let path: String
  /// The checked building.
  package var building: Building
  /// The sources of its passwords.
  package let passwords: ManifestPasswords
  /// The files that were read: the manifest and those that it names.
  package let files: [String]
  /// The digest for the record.
  let digest: String

  /// Reads and checks a manifest, and prints its findings to stderr.
  /// - Parameters:
  ///   - keepsEnvironment: Whether `SecretResolver` still takes passwords from the environment. If false,
  ///     they are removed from the environment, because the command needs none.
  ///   - warnsOfOthers: Whether to warn about permissions of other users.
  ///   - labelsFollow: Whether rooms may lack their addresses because the labels are read now.
  /// - Throws: `CommandFailure` if it cannot be read or cannot be applied.
  package static func load(
    _ path: String, keepsEnvironment: Bool = false, warnsOfOthers: Bool = true, labelsFollow: Bool = false
  ) throws -> ManifestSource {
    let file = try InputFile.read(
      path, atMost: YAMLParser.maximumBytes,
      ifMissing: "Check the path; `roboprov init` writes a manifest that explains every key.")
    let reading = ManifestReader.read(
      file.bytes, file: path, families: BuiltIn.families, files: .beside(path), labelsFollow: labelsFollow)
    Messages.show(reading)
    guard let building = reading.building else {
      throw CommandFailure(
        .manifest, "\(path) cannot be applied",
        advice: "No device was written. Correct the manifest and check it with `roboprov validate \(path)`.")
    }
    if warnsOfOthers { warnOfOthers(reading) }
    OutsideWords.hide(secretsOf: building)
    if !keepsEnvironment { HostEnvironment.forget(reading.passwords.environment) }
    return ManifestSource(
      path: path, building: building, passwords: reading.passwords, files: reading.files,
      digest: reading.digest)
  }

  /// A manifest that a command made; its findings go to stderr. Its passwords are not resolved yet.
  /// - Parameter name: The name for messages, in place of a path.
  /// - Throws: `CommandFailure` if it cannot be applied.
  static func made(_ reading: ManifestReading, named name: String) throws -> ManifestSource {
    Messages.show(reading)
    guard let building = reading.building else {
      throw CommandFailure(
        .usage, "\(name) cannot be applied; nothing was written", advice: "Correct the findings above.")
    }
    OutsideWords.hide(secretsOf: building)
    return ManifestSource(
      path: name, building: building, passwords: reading.passwords, files: reading.files,
      digest: reading.digest)
  }

  /// Warns if other users can change the manifest or a file that it names, or can read passwords in them.
  package static func warnOfOthers(_ reading: ManifestReading) {
    for file in reading.files {
      OtherUsers.warn(of: file, reading.passwords.files.contains(file) ? "which has passwords" : nil)
    }
  }
}

extension ManifestReading {
  /// The digest for the record: `content:` and the SHA-256 (lower-case hex) of the content without passwords. A
  /// digest of all bytes would allow an offline search for the passwords.
  var digest: String { "content:" + HostEnvironment.sha256(content) }
}
