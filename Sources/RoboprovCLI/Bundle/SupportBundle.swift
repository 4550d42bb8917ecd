import Digest
import Foundation
import Hex
import Journal
import Model
import Reporting
import Zip

/// What support needs of a building, in one file: its record as it is, also a damaged one, and what it came about with.
struct SupportBundle {
  /// The building's id.
  let building: String
  /// The building's folder.
  let folder: String
  /// What is on record.
  let archive: BuildingArchive
  /// The building's manifest without its secrets.
  let manifest: BundledManifest
  /// What the Bluetooth service wrote in the time of the runs.
  let messages: ServiceMessages
  /// When it is made.
  let made: Date
  /// Whether Bluetooth addresses are replaced by pseudonyms.
  let hidesAddresses: Bool

  /// One line of the list of contents.
  struct Line {
    var name: String
    var sha256: String
  }

  /// A file of the building's folder, or one that is made for the bundle.
  private struct Source {
    var name: String
    var bytes: () throws -> [UInt8]
    var modified: Date
  }

  /// Writes it.
  /// - Throws: `CommandFailure` where it cannot be written, or a password would be in it. There is no file then.
  func write(to path: String) throws {
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
      .record, "\(name.visible) has a password of the manifest in it: no bundle was written",
      cure: """
        Where the password is also the name of a room or network, that name gives it away: change the password. Else this is \
        a defect of roboprov; please report it, without the file.
        """)
  }

  private static func failure(_ error: ZipError) -> CommandFailure {
    switch error.code {
    case .exists:
      CommandFailure(
        .usage, "\(error.path.visible) is there already, and stays as it is",
        cure: "Give another name with --bundle FILE, or move that file away.")
    case .create, .write:
      CommandFailure(
        .record, "the bundle cannot be written: \(error.description.visible)",
        cure: "Name a file in a folder that you can write, on a disk with room, with --bundle FILE.")
    }
  }

  // MARK: What is in it

  private var sources: [Source] {
    get throws {
      var sources = try files(in: "")
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

  /// The files of the building's folder, in the order of their names. Rehearsals are left out; so are links and what is hidden.
  private func files(in path: String) throws -> [Source] {
    let manager = FileManager.default
    do {
      return try manager.contentsOfDirectory(atPath: folder + path).sorted().flatMap { name -> [Source] in
        let file = "\(path)/\(name)"
        if name.hasPrefix(".") || file == "/\(RunDirectory.rehearsals)" { return [] }
        let attributes = try manager.attributesOfItem(atPath: folder + file)
        switch attributes[.type] as? FileAttributeType {
        case .typeDirectory?: return try files(in: file)
        case .typeRegular?:
          return [
            Source(
              name: "record" + Self.plain(file), bytes: { try Self.bytes(of: folder + file) },
              modified: attributes[.modificationDate] as? Date ?? made)
          ]
        default: return []
        }
      }
    } catch let error as CommandFailure {
      throw error
    } catch {
      throw Self.unreadable(folder + path, error)
    }
  }

  private static func bytes(of path: String) throws -> [UInt8] {
    do {
      return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      throw unreadable(path, error)
    }
  }

  private static func unreadable(_ path: String, _ error: any Error) -> CommandFailure {
    CommandFailure(
      .record, "\(path.visible) cannot be read: \((error as NSError).localizedDescription)",
      cure: "Give yourself the right to read it, and give the same command again.")
  }

  /// A path in ASCII, as every unpacker reads it: other bytes in hexadecimal, as in an address of the web.
  private static func plain(_ path: String) -> String {
    path.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
        UInt8(ascii: "/"):
        String(UnicodeScalar(byte))
      default: "%" + byte.hex(digits: 2, uppercase: true)
      }
    }.joined()
  }
}
