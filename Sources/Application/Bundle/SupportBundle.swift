package import FoundationEssentials
package import Journal
import Model

/// One file for support, a tar: all journals of a building, even if damaged, and its manifest without secrets.
package struct SupportBundle {
  /// The building's id.
  let building: String
  /// The record.
  let archive: BuildingArchive
  /// The building's manifest without its secrets.
  let manifest: BundledManifest
  /// The time of the bundle.
  let made: Date

  package init(building: String, archive: BuildingArchive, manifest: BundledManifest, made: Date) {
    (self.building, self.archive, self.manifest, self.made) = (building, archive, manifest, made)
  }

  /// Writes the bundle.
  /// - Throws: `CommandFailure` if it cannot be written or would contain a password; then there is no file.
  package func write(to path: String) throws {
    guard !FileManager.default.fileExists(atPath: path) else {
      throw CommandFailure(
        .usage, "\(path.visible) exists and was not changed",
        advice: "Give another name with --bundle FILE, or move the file away.")
    }
    let search = SecretSearch(manifest.secrets)
    let runs = archive.runs.map { ($0.id, $0.journal) } + archive.faults.map { ($0.run, $0.journal) }
    let journals = Dictionary(runs) { journal, _ in journal }
    try OutputFile.create(path) { write in
      func add(_ name: String, in folder: String, _ bytes: [UInt8]) throws {
        guard !search.finds(in: bytes) else {
          throw Self.secret(in: folder.isEmpty ? name : "\(folder)/\(name)")
        }
        let modified = Int(made.timeIntervalSince1970)
        guard let entry = TarArchive.entry(name, in: folder, bytes, modified: modified) else {
          throw CommandFailure(.record, "the name of \(folder.visible) is too long for a bundle")
        }
        try write(entry)
      }
      for (run, journal) in journals.sorted(by: { $0.key < $1.key }) {
        guard let bytes = try Self.bytes(of: journal) else { continue }
        try add(JournalWriter.fileName, in: "\(building)/\(run)", bytes)
      }
      if let text = manifest.text { try add("manifest.yaml", in: "", text) }
      try write(TarArchive.end)
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

  /// The bytes of a journal; nil if there is none, which is a fault of the record.
  private static func bytes(of path: String) throws -> [UInt8]? {
    do throws(InputFile.Problem) {
      return try InputFile.contents(of: path, atMost: 1 << 30, patience: nil).bytes
    } catch {
      if case .missing = error { return nil }
      throw CommandFailure(
        .record, "\(path.visible) cannot be read: \(error.text)",
        advice: "Give yourself the right to read it, and run the same command again.")
    }
  }
}
