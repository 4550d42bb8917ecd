package import Model
import Source

/// Changes the device, the name or the floor of a room in a manifest, and keeps every other byte. Rooms may lack their addresses.
package struct ManifestEditor: Sendable {
  private let decoder: ManifestDecoder
  private let file: String
  private let bytes: [UInt8]
  private let files: ManifestFiles?
  package let building: Building

  /// A text after an edit.
  package struct Edit: Hashable, Sendable {
    /// The name of the text: the manifest, or a table that it names.
    package var file: String
    /// The text before the edit.
    package var original: [UInt8]
    /// The text after the edit.
    package var bytes: [UInt8]
    /// The first line that is changed or added, from 1.
    package var line: Int
  }

  /// Reads a manifest, which must be valid.
  /// - Parameters:
  ///   - file: The manifest's name.
  ///   - families: The device families that rooms may have.
  ///   - files: Reads the files that the manifest names; nil if it must not name any.
  /// - Throws: `notValid` when it has errors.
  package init(
    _ bytes: [UInt8], file: String, families: FamilyCatalogue, files: ManifestFiles? = nil
  ) throws(ManifestEditError) {
    var decoder = ManifestDecoder(families, files: files, labelsFollow: true)
    let building = decoder.building(in: bytes, file: file)
    guard let building, !decoder.findings.contains(where: { $0.severity == .error }) else {
      throw .notValid
    }
    (self.decoder, self.building, self.file) = (decoder, building, file)
    (self.bytes, self.files) = (bytes, files)
  }

  /// Names the device of a room.
  ///
  /// An existing address or name is replaced. Otherwise it is added to the room's entry or table row; for a
  /// room of a range, in a new entry after the range. The result is read again and must be the same building
  /// except for this device.
  ///
  /// - Returns: the changed text; nil when the room already has the device.
  /// - Throws: why it cannot be set by changing one line.
  package func setting(
    _ device: DeviceReference, of room: RoomID
  ) throws(ManifestEditError) -> Edit? {
    guard let index = building.rooms.firstIndex(where: { $0.id == room }) else { throw .unknownRoom }
    if building.rooms[index].device == device { return nil }
    if let other = building.rooms.first(where: { $0.device == device }) { throw .taken(by: other.id) }
    var expected = building
    expected.rooms[index].setDevice(device)

    return try edit([RoomChange(decoder, room: index, device.key, device.description)], giving: expected)
  }

  /// Gives a room another name. Its id stays: if it is made from its name, it becomes a key of its own.
  ///
  /// - Returns: the changed text; nil when the room already has the name.
  /// - Throws: why it cannot be done at the room's entry or row alone.
  package func renaming(_ room: RoomID, to name: String) throws(ManifestEditError) -> Edit? {
    guard let index = building.rooms.firstIndex(where: { $0.id == room }) else { throw .unknownRoom }
    if building.rooms[index].name == name { return nil }
    let description = ManifestDecoder.name(ofRoomsWith: building.rooms[index].family)
    if RoomRange.isMeant(by: name) || description.violation(of: .text(name)) != nil {
      let bytes = if case .text(let bytes) = description.kind { bytes } else { ManifestLimits.label }
      throw .badName(bytes: bytes)
    }
    let draft = decoder.drafts[index]
    if let range = draft.origin.range {
      throw .ofRange(file: decoder.texts.texts[range.text].name, line: range.start.line)
    }
    var expected = building
    expected.rooms[index].name = name
    if building.rooms[index].settings[.roomName] != nil {
      expected.rooms[index].settings[.roomName] = .text(name)
    }
    var changes = [RoomChange(decoder, room: index, "room", name)]
    if draft.fields["id"] == nil, Slug.make(of: name) != room.rawValue {
      changes.append(RoomChange(decoder, room: index, "id", room.rawValue))
    }
    return try edit(changes, giving: expected)
  }

  /// Puts a room on another floor. Its settings stay those that it has where it is written.
  ///
  /// - Returns: the changed text; nil when the room is on that floor.
  /// - Throws: why it cannot be done at the room's entry or row alone.
  package func moving(_ room: RoomID, to floor: String) throws(ManifestEditError) -> Edit? {
    guard let index = building.rooms.firstIndex(where: { $0.id == room }) else { throw .unknownRoom }
    if building.rooms[index].floor == floor { return nil }
    var expected = building
    expected.rooms[index].floor = floor
    return try edit([RoomChange(decoder, room: index, "floor", floor)], giving: expected)
  }

  /// The edit of these changes of a room. All are in the text of its entry or row.
  /// - Throws: `unsafe` if it makes another building than the expected one.
  private func edit(
    _ changes: [RoomChange], giving expected: Building
  ) throws(ManifestEditError) -> Edit {
    var parts: [RoomChange.Change] = []
    for change in changes { parts.append(try change.change()) }
    let (number, line) = (parts[0].text, parts[0].line)
    let text = decoder.texts.texts[number]
    guard text.source.encoding != .workbook else { throw .workbook(file: text.name) }
    var edited = text.source.bytes
    // From the end, so that the places of the others stay.
    for part in parts.sorted(by: { $0.bytes.lowerBound > $1.bytes.lowerBound }) {
      edited.replaceSubrange(part.bytes, with: part.replacement.utf8)
    }
    let edit = Edit(
      file: text.name, original: text.source.encoded(text.source.bytes), bytes: text.source.encoded(edited),
      line: line)
    guard reread(edit, of: number)?.withoutPlaces == expected.withoutPlaces else {
      throw .unsafe(file: edit.file, line: line)
    }
    return edit
  }

  /// The building after an edit; nil if it has errors.
  private func reread(_ edit: Edit, of text: Int) -> Building? {
    let manifest = text == 0 ? edit.bytes : bytes
    let files = files.map { files in
      ManifestFiles { path, limit in
        let result = files.read(path, limit)
        guard case .success(let file) = result, file.name == edit.file else { return result }
        return .success(.init(name: file.name, bytes: edit.bytes))
      }
    }
    return ManifestReader.read(
      manifest, file: file, families: decoder.givenFamilies, files: files, labelsFollow: true
    ).building
  }
}

extension Building {
  /// This building without the places of its references to secrets, which an added line moves.
  fileprivate var withoutPlaces: Building {
    resolvingSecrets { Secret(SecretReference($0.source, file: "", line: 0, column: 0)) }
  }
}

extension DeviceReference {
  /// The manifest's key for it.
  fileprivate var key: String {
    switch self {
    case .address: "address"
    case .name: "device"
    }
  }
}

package enum ManifestEditError: Error, Hashable, Sendable {
  case notValid
  case unknownRoom
  /// Another room has the device.
  case taken(by: RoomID)
  /// The room is a row of a table without a column for this key.
  case noColumn(file: String, of: String)
  /// The room is a row of a spreadsheet program's own file, which is not written.
  case workbook(file: String)
  /// The room belongs to a range in a table row.
  case rangeInTable(file: String, line: Int)
  /// No room of its family can have the name: a name has this many bytes, and no braces or control characters.
  case badName(bytes: ClosedRange<Int>)
  /// The room has its name from a range.
  case ofRange(file: String, line: Int)
  /// Changing one line would change something else, or nothing.
  case unsafe(file: String, line: Int)
}
