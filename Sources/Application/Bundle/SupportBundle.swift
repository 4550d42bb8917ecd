import Digest
import Model
package import FoundationEssentials
package import Journal
import Zip

/// One file for support: a building's record, even if damaged, and the versions and messages around it.
package struct SupportBundle {
  /// The building's id.
  let building: String
  /// The building's folder.
  let folder: String
  /// The files of the building's folder.
  let files: RecordFiles
  /// The record.
  let archive: BuildingArchive
  /// The building's manifest without its secrets.
  let manifest: BundledManifest
  /// The messages of the Bluetooth service during the runs.
  let messages: ServiceMessages
  /// The time of the bundle.
  let made: Date
  /// Whether to replace Bluetooth addresses with pseudonyms.
  let hidesAddresses: Bool

  package init(
    building: String, folder: String, files: RecordFiles, archive: BuildingArchive, manifest: BundledManifest,
    messages: ServiceMessages, made: Date, hidesAddresses: Bool
  ) {
    (
      self.building, self.folder, self.files, self.archive, self.manifest, self.messages, self.made,
      self.hidesAddresses
    ) = (building, folder, files, archive, manifest, messages, made, hidesAddresses)
  }

  /// A line of the list of contents.
  struct Line {
    var name: String
    var sha256: String
  }

  /// A file of the building's folder, or a generated one.
  private struct Source {
    var name: String
    var bytes: () throws -> [UInt8]
    var modified: Date
  }

  /// Writes the bundle.
  /// - Throws: `CommandFailure` if it cannot be written or would contain a password; then there is no file.
  package func write(to path: String) throws {
    let sources = try sources
    var pseudonyms: AddressPseudonyms?
    if hidesAddresses {
      var all = AddressPseudonyms()
      for address in manifest.addresses { all.note(address) }
      for source in sources { all.learn(try source.bytes()) }
      pseudonyms = all
    }
    let search = SecretSearch(manifest.secrets ?? [])
    do {
      let zip = try ZipWriter(path)
      var lines: [Line] = []
      func add(_ name: String, _ original: [UInt8], _ modified: Date) throws {
        let bytes = pseudonyms?.replacing(original) ?? original
        let name = pseudonyms.map { String(decoding: $0.replacing(Array(name.utf8)), as: UTF8.self) } ?? name
        guard !search.finds(in: bytes) else { throw Self.secret(in: name) }
        try zip.add(name, bytes, modified: Int(modified.timeIntervalSince1970))
        lines.append(Line(name: name, sha256: SHA256(of: bytes).hex))
      }
      for source in sources { try add(source.name, try source.bytes(), source.modified) }
      let readme = BundleReadme(
        bundle: self, lines: lines, passwords: search.count, addresses: pseudonyms?.count)
      try add(BundleReadme.name, Array(readme.text.utf8), made)
      try zip.finish()
    } catch let error as ZipError {
      throw Self.failure(error)
    }
  }

  private static func secret(in name: String) -> CommandFailure {
    CommandFailure(
      .record, "\(name.visible) contains a password of the manifest: no bundle was written",
      advice: """
        If the password is also the name of a room or network, change the password. Otherwise this is a defect of roboprov: \
        please report it, without the file.
        """)
  }

  private static func failure(_ error: ZipError) -> CommandFailure {
    switch error.code {
    case .exists:
      CommandFailure(
        .usage, "\(error.path.visible) exists and was not changed",
        advice: "Give another name with --bundle FILE, or move the file away.")
    case .create, .write:
      CommandFailure(
        .record, "the bundle cannot be written: \(error.description.visible)",
        advice: "Give --bundle FILE a writable folder on a disk with free space.")
    }
  }

  // MARK: Contents

  private var sources: [Source] {
    get throws {
      var sources = try files.own.map(source)
      if let text = manifest.text {
        sources.append(Source(name: "manifest.yaml", bytes: { text }, modified: made))
      }
      if let text = messages.text {
        sources.append(Source(name: "bluetooth-service.log", bytes: { Array(text.utf8) }, modified: made))
      }
      let versions = BundleVersions(archive).text
      sources.append(Source(name: "versions.txt", bytes: { Array(versions.utf8) }, modified: made))
      return sources
    }
  }

  private func source(_ path: String) throws -> Source {
    let file = "\(folder)/\(path)"
    let attributes = try? FileManager.default.attributesOfItem(atPath: file)
    // A disk can claim any time.
    let modified = (attributes?[.modificationDate] as? Date).flatMap {
      RecordedNumbers.times.contains($0.timeIntervalSince1970) ? $0 : nil
    }
    return Source(
      name: "record/" + path.percentEncodedPath, bytes: { try Self.bytes(of: file) },
      modified: modified ?? made)
  }

  private static func bytes(of path: String) throws -> [UInt8] {
    do throws(InputFile.Problem) {
      return try InputFile.contents(of: path, atMost: 1 << 30, patience: nil).bytes
    } catch {
      throw unreadable(path, error.text)
    }
  }

  private static func unreadable(_ path: String, _ reason: String) -> CommandFailure {
    CommandFailure(
      .record, "\(path.visible) cannot be read: \(reason)",
      advice: "Give yourself the right to read it, and run the same command again.")
  }
}
