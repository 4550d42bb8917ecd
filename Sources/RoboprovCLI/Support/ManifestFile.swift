import Bluetooth
import Foundation
import Manifest
import Model
import YAML

/// A manifest in a file that is to be changed.
struct ManifestFile {
  let path: String
  private let editor: ManifestEditor

  /// The building that it describes now.
  var building: Building { editor.building }

  /// Reads it.
  /// - Parameter edits: changes that are to come, as if they were made.
  /// - Throws: `CommandFailure` when it cannot be read, is no file, or has errors.
  init(_ path: String, _ edits: [ManifestEditor.Edit] = []) throws {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw CommandFailure(
        .manifest, "\(path) is no plain file, so no address can be written into it",
        cure: "Save the manifest to a file.")
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
      editor = try ManifestEditor(bytes, file: path, files: files)
    } catch {
      // What is wrong may have come after it was read for the first time.
      Console.show(ManifestReader.read(bytes, file: path, files: files))
      throw Self.failure(error, Room?.none, in: nil)
    }
    self.path = path
  }

  /// The change that gives a room this address; nil where it has it already.
  /// - Throws: `CommandFailure` when there is none.
  func setting(_ address: BluetoothAddress, of room: RoomID) throws -> ManifestEditor.Edit? {
    do throws(ManifestEditError) {
      return try editor.setting(address, of: room)
    } catch {
      throw Self.failure(error, building.rooms.first { $0.id == room }, in: building)
    }
  }

  /// The changes that give rooms these addresses one after the other, each file changed once.
  /// - Throws: `CommandFailure` when one of them cannot be made.
  static func edits(
    of path: String, _ assignments: [(address: BluetoothAddress, room: RoomID)]
  ) throws -> [ManifestEditor.Edit] {
    var edits: [ManifestEditor.Edit] = []
    for (address, room) in assignments {
      guard let edit = try ManifestFile(path, edits).setting(address, of: room) else { continue }
      if let index = edits.firstIndex(where: { $0.file == edit.file }) {
        edits[index].bytes = edit.bytes
        edits[index].line = edit.line
      } else {
        edits.append(edit)
      }
    }
    return edits
  }

  /// Carries out a change: whole or not at all.
  /// - Throws: `CommandFailure` when the file is as it was.
  static func write(_ edit: ManifestEditor.Edit) throws {
    try OutputFile.change(edit.file, from: edit.original, to: edit.bytes)
  }

  private static func failure(
    _ error: ManifestEditError, _ room: Room?, in building: Building?
  ) -> CommandFailure {
    let name = room?.name ?? "the room"
    switch error {
    case .notValid:
      return CommandFailure(
        .manifest, "the manifest has errors, and is not changed", cure: "Correct it first.")
    case .unknownRoom:
      return CommandFailure(.manifest, "the manifest has no such room any more")
    case .taken(let other):
      let holder = building?.rooms.first { $0.id == other }?.name ?? other.rawValue
      return CommandFailure(
        .usage, "the manifest gives this address to \(holder)", cure: "Compare it with the label.")
    case .noAddressColumn(let file):
      return CommandFailure(
        .manifest, "\(file) has no column for addresses, so \(name) cannot get one",
        cure: "Add a column `address` to its first row; its cells may be empty.")
    case .rangeInTable(let file, let line):
      return CommandFailure(
        .manifest,
        "\(name) is one of a range on line \(line) of \(file), where it cannot get an address of its own",
        cure: "Give it a row of its own below, or put the range into the manifest.")
    case .unsafe(let file, let line):
      return CommandFailure(
        .manifest, "\(file):\(line): \(name)'s address cannot be written here without changing anything else",
        cure: "Write it there by hand: `address: …`.")
    }
  }
}
