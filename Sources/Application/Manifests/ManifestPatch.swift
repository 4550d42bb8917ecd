import Host
package import Manifest

/// The text that an edit replaced in a file, for undo.
package struct ManifestPatch {
  private let file: String
  /// The digests of the file before the change, and with it.
  private let before: String
  private var digest: String
  /// Nil once a later change touched the same bytes.
  private var place: Range<Int>?
  private let removed: [UInt8]

  package init(_ edit: ManifestEditor.Edit) {
    self.init(edit.file, from: edit.original, to: edit.bytes)
  }

  private init(_ file: String, from old: [UInt8], to new: [UInt8]) {
    let prefix = zip(old, new).prefix { $0 == $1 }.count
    let suffix = zip(old[prefix...].reversed(), new[prefix...].reversed()).prefix { $0 == $1 }.count
    self.file = file
    (before, digest) = (HostEnvironment.sha256(old), HostEnvironment.sha256(new))
    place = prefix..<new.count - suffix
    removed = Array(old[prefix..<old.count - suffix])
  }

  /// Takes note of a later change, which leaves this one in its place or moves it.
  mutating func follow(_ later: ManifestPatch) {
    // After a change by another program nothing is known of the place.
    guard later.file == file, later.before == digest, let other = later.place else { return }
    digest = later.digest
    guard let place else { return }
    if other.lowerBound >= place.upperBound { return }
    let isBefore = other.lowerBound + later.removed.count <= place.lowerBound
    let shift = other.count - later.removed.count
    self.place = isBefore ? place.lowerBound + shift..<place.upperBound + shift : nil
  }

  /// Restores the file.
  /// - Returns: That change.
  /// - Throws: `CommandFailure`, also if the file changed after the edit.
  @discardableResult
  package func takeBack() throws -> ManifestPatch {
    let bytes = try InputFile.read(file, atMost: 1 << 30).bytes
    guard HostEnvironment.sha256(bytes) == digest, let place else {
      throw CommandFailure(
        .record,
        place == nil
          ? "\(file) was changed at the same place in the meantime"
          : "another program changed \(file) in the meantime",
        advice: "Remove the address or the `device` by hand.")
    }
    var original = bytes
    original.replaceSubrange(place, with: removed)
    try OutputFile.change(file, from: bytes, to: original)
    return ManifestPatch(file, from: bytes, to: original)
  }
}
