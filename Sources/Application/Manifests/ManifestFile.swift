import FoundationEssentials
import Glibc
import Host
package import Manifest
package import Model
import YAML

/// A manifest file to be changed.
package struct ManifestFile {
  package let path: String
  private let editor: ManifestEditor

  /// The building in the present text.
  package var building: Building { editor.building }

  /// Reads the manifest.
  /// - Parameter edits: Planned edits, applied before it is read.
  /// - Throws: `CommandFailure` if it cannot be read, is not a regular file, or has errors.
  package init(_ path: String, _ edits: [ManifestEditor.Edit] = []) throws {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw CommandFailure(
        .manifest, "\(path) is not a regular file, so nothing can be written to it",
        advice: "Save the manifest to a file.")
    }
    func edited(_ file: String) -> [UInt8]? { edits.first { $0.file == file }?.bytes }
    let bytes = try edited(path) ?? InputFile.read(path, atMost: YAMLParser.maximumBytes).bytes
    let files = ManifestFiles.beside(path).map { files in
      ManifestFiles { name, limit in
        files.read(name, limit).map { file in
          .init(name: file.name, bytes: edits.first { $0.file == file.name }?.bytes ?? file.bytes)
        }
      }
    }
    do throws(ManifestEditError) {
      editor = try ManifestEditor(bytes, file: path, families: BuiltIn.families, files: files)
    } catch {
      // The errors may be newer than the first reading of the file.
      Messages.show(
        ManifestReader.read(
          bytes, file: path, families: BuiltIn.families, files: files, labelsFollow: true))
      throw Self.failure(error, Room?.none, in: nil)
    }
    self.path = path
  }

  /// The edit that gives a room this device; nil if the room already has it.
  /// - Throws: `CommandFailure` if there is no such edit.
  package func setting(_ device: DeviceReference, of id: RoomID) throws -> ManifestEditor.Edit? {
    let room = room(id)
    if let room, device.name == nil, room.labelSources.keys.contains(where: { $0 != .passkey }) {
      throw CommandFailure(
        .manifest, "\(room.name) needs the secrets on its device's label; an address does not have them",
        advice:
          "Scan its QR code in `roboprov capture` (with --all if the room has a device) or `roboprov walk`.")
    }
    do throws(ManifestEditError) {
      return try editor.setting(device, of: id)
    } catch {
      throw Self.failure(error, room, in: building)
    }
  }

  /// The edit that gives a room another name while it keeps its id; nil if it has the name already.
  /// - Throws: `CommandFailure` if there is no such edit.
  package func renaming(_ id: RoomID, to name: String) throws -> ManifestEditor.Edit? {
    do throws(ManifestEditError) {
      return try editor.renaming(id, to: name)
    } catch {
      throw Self.failure(error, room(id), in: building, writing: .name)
    }
  }

  /// The edit that puts a room on another floor; nil if it is there already.
  /// - Throws: `CommandFailure` if there is no such edit.
  package func moving(_ id: RoomID, to floor: String) throws -> ManifestEditor.Edit? {
    do throws(ManifestEditError) {
      return try editor.moving(id, to: floor)
    } catch {
      throw Self.failure(error, room(id), in: building, writing: .floor(floor))
    }
  }

  private func room(_ id: RoomID) -> Room? { building.rooms.first { $0.id == id } }

  /// The edits that give rooms these devices, one edit for each file.
  /// - Throws: `CommandFailure` if one of them is not possible.
  static func edits(
    of path: String, _ assignments: [(device: DeviceReference, room: RoomID)]
  ) throws -> [ManifestEditor.Edit] {
    var edits: [ManifestEditor.Edit] = []
    for (device, room) in assignments {
      guard let edit = try ManifestFile(path, edits).setting(device, of: room) else { continue }
      if let index = edits.firstIndex(where: { $0.file == edit.file }) {
        edits[index].bytes = edit.bytes
        edits[index].line = edit.line
      } else {
        edits.append(edit)
      }
    }
    return edits
  }

  /// Writes an edit atomically.
  /// - Throws: `CommandFailure` if the file was not changed.
  package static func write(_ edit: ManifestEditor.Edit) throws {
    try OutputFile.change(edit.file, from: edit.original, to: edit.bytes)
  }

  /// What an edit writes about a room.
  private enum Subject {
    case device
    case name
    case floor(String)

    var words: String {
      switch self {
      case .device: "device"
      case .name: "name"
      case .floor: "floor"
      }
    }
  }

  private static func failure(
    _ error: ManifestEditError, _ room: Room?, in building: Building?, writing subject: Subject = .device
  ) -> CommandFailure {
    let name = room?.name ?? "the room"
    switch error {
    case .notValid:
      return CommandFailure(
        .manifest, "the manifest has errors and was not changed", advice: "Correct it first.")
    case .unknownRoom:
      return CommandFailure(.manifest, "the manifest no longer has the room")
    case .taken(let other):
      let holder = building?.rooms.first { $0.id == other }?.name ?? other.rawValue
      return CommandFailure(
        .usage, "the manifest gives this device to \(holder)", advice: "Compare it with the label.")
    case .noColumn(let file, let key):
      return CommandFailure(
        .manifest,
        "\(file) has no column `\(key)`, so the \(subject.words) of \(name) cannot be written there",
        advice: "Add a column `\(key)` to its first row; its cells may be empty.")
    case .workbook(let file):
      return CommandFailure(
        .manifest, "\(file) is a workbook, which roboprov reads but does not write: \(name) was not changed",
        advice: "Save it as “CSV UTF-8”, and name that file under `rooms_from`.")
    case .rangeInTable(let file, let line):
      return CommandFailure(
        .manifest,
        "\(name) is part of a range on line \(line) of \(file), so it cannot get its own \(subject.words) there",
        advice: "Add a row for this room, or move the range into the manifest.")
    case .badName(let bytes):
      return CommandFailure(
        .usage, "\(name) cannot get this name",
        advice:
          "A name has \(bytes.lowerBound) to \(bytes.upperBound) bytes, and no braces or control characters."
      )
    case .ofRange(let file, let line):
      return CommandFailure(
        .manifest, "\(name) is part of a range on line \(line) of \(file), so it cannot get another name",
        advice: "Divide the range, so that this room has an entry of its own.")
    case .unsafe(let file, let line):
      let byHand =
        switch subject {
        case .device: "`address: …`, or `device: …` for a name"
        case .name: "with the room's present id: `id: \(room?.id.rawValue ?? "…")`"
        case .floor(let floor): "`floor: \(floor.visible)`"
        }
      return CommandFailure(
        .manifest,
        "\(file):\(line): the \(subject.words) of \(name) cannot be written here without other changes",
        advice: "Write it there by hand: \(byHand).")
    }
  }
}
