import Host
package import Manifest

/// The text that an edit replaced in a file, for undo.
package struct ManifestPatch {
  private let file: String
  /// The digest of the file with the change.
  private let digest: String
  private let place: Range<Int>
  private let removed: [UInt8]

  package init(_ edit: ManifestEditor.Edit) {
    let (old, new) = (edit.original, edit.bytes)
    let prefix = zip(old, new).prefix { $0 == $1 }.count
    let suffix = zip(old[prefix...].reversed(), new[prefix...].reversed()).prefix { $0 == $1 }.count
    file = edit.file
    digest = HostEnvironment.sha256(new)
    place = prefix..<new.count - suffix
    removed = Array(old[prefix..<old.count - suffix])
  }

  /// Restores the file.
  /// - Throws: `CommandFailure`, also if the file changed after the edit.
  package func takeBack() throws {
    let bytes = try InputFile.read(file, atMost: 1 << 30).bytes
    guard HostEnvironment.sha256(bytes) == digest else {
      throw CommandFailure(
        .record, "another program changed \(file) in the meantime",
        advice: "Remove the address or the `device` by hand.")
    }
    var original = bytes
    original.replaceSubrange(place, with: removed)
    try OutputFile.change(file, from: bytes, to: original)
  }
}
