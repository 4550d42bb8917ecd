public import Bluetooth
public import Model
import Source

/// Changes a manifest as a person would: one line, everything else byte for byte as it was.
public struct ManifestEditor: Sendable {
  private let decoder: ManifestDecoder
  private let file: String
  private let bytes: [UInt8]
  private let files: ManifestFiles?
  /// The building that the manifest describes.
  public let building: Building

  /// A text as it is after an edit.
  public struct Edit: Hashable, Sendable {
    /// The name of the text: the manifest, or a table that it names.
    public var file: String
    /// What was in it before.
    public var original: [UInt8]
    /// What is in it now.
    public var bytes: [UInt8]
    /// The line that was changed or added, from 1.
    public var line: Int
  }

  /// Reads a manifest that can be applied.
  /// - Parameters:
  ///   - file: its name.
  ///   - files: how the files are read that it names; nil where it cannot name any.
  /// - Throws: `notValid` where it has errors.
  public init(
    _ bytes: [UInt8], file: String, files: ManifestFiles? = nil
  ) throws(ManifestEditError) {
    var decoder = ManifestDecoder(files: files)
    let building = decoder.building(in: bytes, file: file)
    guard let building, !decoder.findings.contains(where: { $0.severity == .error }) else {
      throw .notValid
    }
    (self.decoder, self.building, self.file) = (decoder, building, file)
    (self.bytes, self.files) = (bytes, files)
  }

  /// The manifest with another address for a room.
  ///
  /// The room's address is replaced where it has one. Else it is added: to its entry, to its row of a table, or, for a room of
  /// a range, in an entry of its own behind the range. What comes of it is read again and must be the same building, but for
  /// this address.
  ///
  /// - Returns: the text that changes; nil where the room has this address already.
  /// - Throws: why there is no such manifest, or none that can be made by changing one line.
  public func setting(
    _ address: BluetoothAddress, of room: RoomID
  ) throws(ManifestEditError) -> Edit? {
    guard let index = building.rooms.firstIndex(where: { $0.id == room }) else { throw .unknownRoom }
    if building.rooms[index].address == address { return nil }
    if let other = building.rooms.first(where: { $0.address == address }) { throw .taken(by: other.id) }
    var expected = building
    expected.rooms[index].address = address

    let change = try AddressChange(decoder, room: index, address).change()
    let text = decoder.texts.texts[change.text]
    var edited = text.source.bytes
    edited.replaceSubrange(change.bytes, with: change.replacement.utf8)
    let edit = Edit(file: text.name, original: text.source.bytes, bytes: edited, line: change.line)
    guard reread(edit, of: change.text) == expected else { throw .unsafe(file: edit.file, line: edit.line) }
    return edit
  }

  /// The building after an edit; nil where it would have errors.
  private func reread(_ edit: Edit, of text: Int) -> Building? {
    let manifest = text == 0 ? edit.bytes : bytes
    let files = files.map { files in
      ManifestFiles { path, limit in
        let result = files.read(path, limit)
        guard text > 0, case .success(let file) = result, file.name == edit.file else { return result }
        return .success(.init(name: file.name, bytes: edit.bytes))
      }
    }
    return ManifestReader.read(manifest, file: file, files: files).building
  }
}

/// Why a manifest is not edited.
public enum ManifestEditError: Error, Hashable, Sendable {
  /// It has errors.
  case notValid
  /// It has no room of this id.
  case unknownRoom
  /// The address is another room's.
  case taken(by: RoomID)
  /// The room is a row of a table that has no column for addresses.
  case noAddressColumn(file: String)
  /// The room is one of a range that is a row of a table.
  case rangeInTable(file: String, line: Int)
  /// It is written in a way in which changing one line would change something else, or nothing.
  case unsafe(file: String, line: Int)
}
