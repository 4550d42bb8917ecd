import FoundationEssentials
import Model

/// A table for spreadsheets: RFC 4180 with a byte order mark, by which a spreadsheet that opens the file by double click
/// knows that it is UTF-8.
///
/// Comma, CRLF, a header row, quotes where needed. A text that a spreadsheet would take for a formula gets a leading
/// apostrophe; numbers stay numbers. Column names are frozen, new ones come last.
struct CSVText {
  /// A column: its name and its cells.
  struct Column<Row> {
    var name: String
    var cell: (Row) -> CSVCell

    init(_ name: String, _ cell: @escaping (Row) -> CSVCell) {
      (self.name, self.cell) = (name, cell)
    }
  }

  /// The file's text.
  static func text<Row>(_ columns: [Column<Row>], _ rows: [Row]) -> String {
    let header = columns.map { CSVCell.text($0.name).encoded }
    let lines = [header] + rows.map { row in columns.map { $0.cell(row).encoded } }
    return "\u{FEFF}" + lines.map { $0.joined(separator: ",") + "\r\n" }.joined()
  }
}

extension CSVText.Column {
  /// The settings in each state, the strongest first, and the values of those that are no secrets.
  static func settings(_ settings: @escaping (Row) -> [SettingResult]) -> [Self] {
    let names = SettingState.strongestFirst.map { state in
      Self("settings_\(state.rawValue)") { row in
        .text(settings(row).filter { $0.state == state }.map(\.name.rawValue).joined(separator: " "))
      }
    }
    let values = Self("settings") { row in
      let values = settings(row).compactMap { setting in setting.value.map { "\(setting.name)=\($0)" } }
      return .text(values.joined(separator: "; "))
    }
    return names + [values]
  }

  /// What a device reports of its place in its network and its cloud.
  static func details(_ details: @escaping (Row) -> [DeviceDetail]) -> [Self] {
    [DeviceDetail.Name.ipAddress, .bssid, .channel, .nodeID].map { name in
      Self(name.rawValue) { row in .text(details(row).first { $0.name == name }?.value) }
    }
  }
}

/// A cell before it is written down.
enum CSVCell {
  /// Text from outside: never a formula.
  case text(String?)
  /// A number from roboprov, written unchanged.
  case number(String?)

  static func integer(_ number: (some BinaryInteger)?) -> CSVCell { .number(number.map { String($0) }) }
  /// Seconds, to the thousandth.
  static func seconds(_ seconds: Double?) -> CSVCell { .number(seconds.flatMap { Decimal.short($0) }) }
  /// A time, UTC (ISO 8601).
  static func time(_ time: Date?) -> CSVCell { .text(time.map(RunEvent.timestamp)) }
  /// `true` or `false`.
  static func flag(_ flag: Bool?) -> CSVCell { .text(flag.map { $0 ? "true" : "false" }) }

  /// The text of the cell in the file.
  var encoded: String {
    switch self {
    case .number(let digits): digits ?? ""
    case .text(let text?) where !Self.isPlain(text): Self.quoted(Self.neutralised(Self.printable(text)))
    case .text(let text): text ?? ""
    }
  }

  /// Whether a text is written unchanged, as nearly every one: printable ASCII without what ends a cell or begins a formula.
  private static func isPlain(_ text: String) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, let last = bytes.last else { return true }
    return first != UInt8(ascii: " ") && last != UInt8(ascii: " ") && !"=+-@".utf8.contains(first)
      && bytes.allSatisfy { (0x20..<0x7F).contains($0) && !",;\"".utf8.contains($0) }
  }

  /// The text without characters that end or corrupt a file for common readers. Tabs and line ends stay,
  /// because they can be quoted.
  private static func printable(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      let isLayout = scalar == "\t" || scalar == "\n" || scalar == "\r"
      if scalar.isControlling, !isLayout {
        result += scalar.escapeSequence
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static let dangerous: Set<Unicode.Scalar> = ["=", "+", "-", "@", "＝", "＋", "－", "＠"]
  private static let ends: Set<Unicode.Scalar> = [";", "\t", "\r", "\n"]

  /// The text with an apostrophe wherever a spreadsheet would begin to calculate: at the beginning, and after what
  /// it may take for the end of a cell, because where the comma is the decimal sign it splits at `;`, also within
  /// quotes. Some spreadsheets skip leading blanks, and some accept full-width signs.
  private static func neutralised(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    /// Where the present cell begins in the result; nil after its first character.
    var start: String.UnicodeScalarView.Index? = result.startIndex
    if let first = text.unicodeScalars.first, first != ";", ends.contains(first) {
      result.append("'")
      start = result.endIndex
    }
    for scalar in text.unicodeScalars {
      if let place = start, dangerous.contains(scalar) { result.insert("'", at: place) }
      if start != nil, !scalar.properties.isWhitespace { start = nil }
      result.append(scalar)
      if ends.contains(scalar) { start = result.endIndex }
    }
    return String(result)
  }

  /// Scalar by scalar: a quote with a combining mark is one character to Swift, and still ends a field.
  private static func quoted(_ text: String) -> String {
    let scalars = text.unicodeScalars
    let needsQuotes =
      scalars.contains { $0 == "," || $0 == ";" || $0 == "\"" || $0 == "\n" || $0 == "\r" }
      || scalars.first == " " || scalars.last == " "
    guard needsQuotes else { return text }
    var result = "\""
    for scalar in scalars {
      if scalar == "\"" { result.unicodeScalars.append(scalar) }
      result.unicodeScalars.append(scalar)
    }
    return result + "\""
  }
}
