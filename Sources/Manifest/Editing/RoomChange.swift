import CSV
import Hex
import Model
import Source
import YAML

/// The edit of one line that gives a room the value of a key: the address or the name of its device, its own name, its floor, or its id.
/// It works on bytes and does not cover all of YAML's grammar, so the caller must read the result again.
struct RoomChange {
  /// A part of a text with its replacement.
  struct Change {
    /// The number of the text.
    var text: Int
    /// The bytes to replace; empty for an insertion.
    var bytes: Range<Int>
    var replacement: String
    /// The line that is changed or added, from 1.
    var line: Int
  }

  private let decoder: ManifestDecoder
  private let index: Int
  private let key: String
  private let text: String

  /// A room has one of these keys: each with the one that it replaces.
  private static let deviceKeys = ["address": "device", "device": "address"]

  private var isAddress: Bool { key == "address" }
  private var draft: RoomDraft { decoder.drafts[index] }

  /// - Parameter room: The index of the room in the building.
  init(_ decoder: ManifestDecoder, room: Int, _ key: String, _ text: String) {
    (self.decoder, index, self.key, self.text) = (decoder, room, key, text)
  }

  func change() throws(ManifestEditError) -> Change {
    if let written = draft.fields[key] { return replacing(written.range) }
    if let other = Self.deviceKeys[key].flatMap({ draft.fields.entry($0) }) { return try replacing(other) }
    if draft.isOfRange { return try addingEntry() }
    switch decoder.lists[draft.origin.list] {
    case .rows(let table): return try fillingCell(of: table)
    case .entries: return try addingKey()
    }
  }

  // MARK: Replacing a value

  private func replacing(_ range: SourceRange) -> Change {
    let bytes = source(range.text).bytes
    let quote = quote(at: range)
    let value =
      switch (quote, table(range.text)) {
      case (_, let table?): cell(isQuoted: quote == "\"", in: table)
      case (let quote?, nil): written(in: quote)
      case (nil, nil): isPlain(range) ? plain : quoted
      }
    return change(value, at: range.bytes.lowerBound..<Self.end(of: range, in: bytes), in: range.text)
  }

  /// Replaces the room's address by a name, or its name by an address.
  private func replacing(_ entry: YAMLNode.Entry) throws(ManifestEditError) -> Change {
    let (key, value) = (entry.keyRange, entry.value.range)
    // In a table the key is a header.
    guard table(value.text) == nil else { throw unsafe(value) }
    let end = Self.end(of: value, in: source(value.text).bytes)
    return change(pair(keyed: quote(at: key)), at: key.bytes.lowerBound..<end, in: key.text)
  }

  /// The quote with which a value begins; nil without one.
  private func quote(at range: SourceRange) -> String? {
    switch source(range.text).bytes[range.bytes.lowerBound...].first {
    case UInt8(ascii: "\"")?: "\""
    case UInt8(ascii: "'")?: "'"
    default: nil
    }
  }

  /// True if the new value is no address, or this one begins like an unquoted address.
  private func isPlain(_ range: SourceRange) -> Bool {
    guard isAddress else { return true }
    return source(range.text).bytes[range.bytes.lowerBound...].first.flatMap { UInt8(hexDigit: $0) } != nil
  }

  // MARK: Adding a key

  /// Adds the key to the room's own entry.
  private func addingKey() throws(ManifestEditError) -> Change {
    let entry = draft.origin.entry
    let own = draft.fields.all.filter {
      $0.keyRange.text == entry.text && entry.bytes.contains($0.keyRange.start.offset)
    }
    guard let first = own.min(by: { $0.keyRange.start < $1.keyRange.start }),
      let last = own.max(by: { $0.value.range.end < $1.value.range.end })
    else { throw unsafe(entry) }
    let bytes = source(entry.text).bytes
    let pair = pair(keyed: quote(at: first.keyRange))
    // `&anchor {`
    if bytes[entry.bytes.lowerBound..<first.keyRange.start.offset].contains(UInt8(ascii: "{")) {
      let end = last.value.range.end.offset
      return change(", " + pair, at: end..<end, in: entry.text)
    }
    let indentation = String(repeating: " ", count: first.keyRange.start.column - 1)
    // It goes below its number or the name.
    let above = (decoder.vocabulary.counted.map(\.name.rawValue) + ["room"]).lazy.compactMap { key in
      own.first { $0.key == key }
    }.first
    guard let above else { throw unsafe(entry) }
    let end = Self.end(of: above.value.range, in: bytes)
    return addingLine(indentation + pair, below: end, in: entry.text, bytes)
  }

  // MARK: Adding an entry

  /// Adds an entry for the room after the range that contains it.
  private func addingEntry() throws(ManifestEditError) -> Change {
    let range = draft.origin.entry
    let bytes = source(range.text).bytes
    guard case .entries = decoder.lists[draft.origin.list] else {
      throw .rangeInTable(file: decoder.texts.texts[range.text].name, line: range.start.line)
    }
    guard let name = draft.fields["room"]?.text else { throw unsafe(range) }
    let entry = "{ room: \(YAMLScalar.text(name)), \(key): \(styled) }"
    let previous = self.previous(in: range)
    let end = Self.end(of: previous, in: bytes)
    guard let dash = dash(of: previous) else {
      // A flow sequence.
      return change(", " + entry, at: end..<end, in: range.text)
    }
    let line = source(range.text).mark(at: dash)
    let indentation = String(repeating: " ", count: line.column - 1)
    return addingLine(indentation + "- " + entry, below: end, in: range.text, bytes)
  }

  /// The entry after which the new one belongs: that of the nearest earlier room of the range, else the range
  /// itself.
  private func previous(in range: SourceRange) -> SourceRange {
    let earlier = decoder.drafts[..<index].last { other in
      !other.isOfRange && other.origin.range == range && other.origin.list == draft.origin.list
    }
    return earlier?.origin.entry ?? range
  }

  /// The offset of the dash of a list entry; nil in a flow sequence.
  private func dash(of entry: SourceRange) -> Int? {
    let before = source(entry.text).bytes[..<entry.bytes.lowerBound]
    return before.lastIndex { !$0.isBlankOrLineEnd }.flatMap { before[$0] == UInt8(ascii: "-") ? $0 : nil }
  }

  // MARK: Filling a cell

  /// Writes it into the cell of the room's row.
  private func fillingCell(of table: TableLayout) throws(ManifestEditError) -> Change {
    let file = decoder.texts.texts[table.text]
    guard let column = table.columns[key] else { throw .noColumn(file: file.name, of: key) }
    let rows = file.root?.items ?? []
    guard let cells = rows.first(where: { $0.range == draft.origin.entry })?.items, let last = cells.last
    else { throw unsafe(draft.origin.entry) }
    let others = rows.dropFirst().lazy.compactMap { row in
      row.items.flatMap { $0.indices.contains(column) && $0[column].text != "" ? $0[column].range : nil }
    }
    let neighbour = others.last { $0.start < draft.origin.entry.start } ?? others.first
    let isUsual = neighbour.flatMap { quote(at: $0) } == "\""
    if column < cells.count {
      let place = cells[column].range.bytes
      return change(cell(isQuoted: isUsual || !place.isEmpty, in: table), at: place, in: table.text)
    }
    let delimiter = Character(UnicodeScalar(table.delimiter.rawValue))
    let missing = String(repeating: delimiter, count: column - cells.count + 1)
    let end = last.range.bytes.upperBound
    return change(missing + cell(isQuoted: isUsual, in: table), at: end..<end, in: table.text)
  }

  /// The value as a cell, in quotes if it is wanted or needed.
  private func cell(isQuoted: Bool, in table: TableLayout) -> String {
    let special: Set<UInt8> = [table.delimiter.rawValue, UInt8(ascii: "\"")]
    guard isQuoted || text.utf8.contains(where: special.contains) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }

  // MARK: Style

  private var quoted: String { YAMLScalar.quoted(text) }

  /// Unquoted, unless other YAML readers would read something else.
  private var plain: String {
    if isAddress { return PlainScalar.otherMeaning(of: text) == nil ? text : quoted }
    // A number is a text here, but not for other readers.
    return PlainScalar.isPlainNumber(text) ? quoted : YAMLScalar.text(text)
  }

  private func written(in quote: String) -> String {
    quote == "\"" ? quoted : quote + text.replacing("'", with: "''") + quote
  }

  /// Key and value, both in the style of the room's other keys.
  private func pair(keyed quote: String?) -> String {
    guard let quote else { return "\(key): \(styled)" }
    return "\(quote)\(key)\(quote): \(isAddress ? styled : written(in: quote))"
  }

  /// A text, quoted where it must be; an address in the quoting style of the nearest address above, else below, else in
  /// double quotes.
  private var styled: String {
    guard isAddress else { return plain }
    func isNeighbour(_ draft: RoomDraft) -> Bool {
      draft.fields["address"].map { $0.range.text == self.draft.origin.entry.text } ?? false
    }
    let drafts = decoder.drafts
    let neighbour = drafts[..<index].last(where: isNeighbour) ?? drafts[index...].first(where: isNeighbour)
    guard let range = neighbour?.fields["address"]?.range else { return quoted }
    if let quote = quote(at: range) { return written(in: quote) }
    return isPlain(range) ? plain : quoted
  }

  // MARK: Text

  private func source(_ text: Int) -> SourceText { decoder.texts.texts[text].source }

  private func table(_ text: Int) -> TableLayout? {
    decoder.lists.lazy.compactMap { list in
      if case .rows(let table) = list, table.text == text { table } else { nil }
    }.first
  }

  private func unsafe(_ range: SourceRange) -> ManifestEditError {
    .unsafe(file: decoder.texts.texts[range.text].name, line: range.start.line)
  }

  private func change(_ replacement: String, at bytes: Range<Int>, in text: Int) -> Change {
    Change(
      text: text, bytes: bytes, replacement: replacement, line: source(text).mark(at: bytes.lowerBound).line)
  }

  private func addingLine(_ line: String, below offset: Int, in text: Int, _ bytes: [UInt8]) -> Change {
    let source = source(text)
    let above = source.mark(at: offset).line
    let end = source.range(ofLine: above)?.upperBound ?? bytes.count
    return Change(
      text: text, bytes: end..<end, replacement: Self.lineEnd(of: bytes) + line, line: above + 1)
  }

  /// How the lines of a text end.
  private static func lineEnd(of bytes: [UInt8]) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    return text.contains("\r\n" as Character) ? "\r\n" : text.contains("\n" as Character) ? "\n" : "\r"
  }

  /// The end of a value without trailing spaces and line ends.
  private static func end(of range: SourceRange, in bytes: [UInt8]) -> Int {
    var value = bytes[range.bytes]
    while value.last?.isBlankOrLineEnd == true { value.removeLast() }
    return value.endIndex
  }
}

extension UInt8 {
  fileprivate var isBlankOrLineEnd: Bool {
    self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || isLineEnd
  }
}
