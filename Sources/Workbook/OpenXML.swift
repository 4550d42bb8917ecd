import Model

/// Reads the sheets of an .xlsx.
struct OpenXML {
  private(set) var sheets: [Sheet] = []

  /// The numbers of formats, styles and texts.
  private static let indices = 0...100_000_000
  /// The numbers of rows.
  private static let rows = 1...1_048_576

  /// How a cell shows its number.
  private enum Format {
    case other
    case date
    /// With at least this many digits.
    case zeros(Int)
  }

  init(_ archive: ZipArchive) throws(WorkbookProblem) {
    let targets = try Self.targets(of: archive)
    let strings = archive.has("xl/sharedStrings.xml") ? try Self.strings(of: archive) : []
    let formats = archive.has("xl/styles.xml") ? try Self.formats(of: archive) : []
    var listed: [(sheet: Sheet, part: String)] = []
    var is1904 = false
    try XMLReader.read(try archive.contents(of: "xl/workbook.xml")) { event in
      guard case .start(let element, let attributes) = event else { return }
      if element == "workbookPr" { is1904 = ["1", "true"].contains(attributes["date1904"]) }
      guard element == "sheet", let name = attributes["name"] else { return }
      // A chart or a macro sheet has no such part.
      guard let part = attributes["r:id"].flatMap({ targets[$0] }) else { return }
      listed.append((Sheet(name: name, isHidden: attributes["state"].map { $0 != "visible" } ?? false), part))
    }
    for (sheet, part) in listed where archive.has(part) {
      sheets.append(
        try Self.filled(sheet, try archive.contents(of: part), strings, formats, is1904: is1904))
    }
  }

  /// The parts of the archive that have the sheets, by the id of their relationship.
  private static func targets(of archive: ZipArchive) throws(WorkbookProblem) -> [String: String] {
    var targets: [String: String] = [:]
    try XMLReader.read(try archive.contents(of: "xl/_rels/workbook.xml.rels")) { event in
      guard case .start("Relationship", let attributes) = event, let id = attributes["Id"],
        let target = attributes["Target"], attributes["Type"]?.hasSuffix("/worksheet") == true
      else { return }
      targets[id] = target.hasPrefix("/") ? String(target.dropFirst()) : "xl/" + target
    }
    return targets
  }

  /// The texts of cells, which name them by their number.
  private static func strings(of archive: ZipArchive) throws(WorkbookProblem) -> [String] {
    var strings: [String] = []
    var text = RichText()
    try XMLReader.read(try archive.contents(of: "xl/sharedStrings.xml")) { event in
      text.take(event)
      switch event {
      case .start("si", _): text.clear()
      case .end("si"): strings.append(text.text)
      default: break
      }
    }
    return strings
  }

  /// The formats of cells, which name them by their number.
  private static func formats(of archive: ZipArchive) throws(WorkbookProblem) -> [Format] {
    var formats: [Format] = []
    var codes: [Int: String] = [:]
    var isOfCells = false
    try XMLReader.read(try archive.contents(of: "xl/styles.xml")) { event in
      switch event {
      case .start("numFmt", let attributes):
        if let id = attributes["numFmtId"].flatMap({ Int($0, in: indices) }) {
          codes[id] = attributes["formatCode"]
        }
      case .start("cellXfs", _): isOfCells = true
      case .end("cellXfs"): isOfCells = false
      case .start("xf", let attributes):
        guard isOfCells else { return }
        let id = attributes["numFmtId"].flatMap { Int($0, in: indices) } ?? 0
        formats.append(codes[id].map(format) ?? (isDate(id) ? .date : .other))
      default: break
      }
    }
    return formats
  }

  /// Whether a format that needs no code is one of dates (ISO/IEC 29500-1, 18.8.30, with those of other languages).
  private static func isDate(_ id: Int) -> Bool {
    [14...22, 27...36, 45...47, 50...58].contains { $0.contains(id) }
  }

  private static func format(_ code: String) -> Format {
    if code.allSatisfy({ $0 == "0" }) { return .zeros(code.utf8.count) }
    // Texts, colours and single characters are no part of a date.
    let letters = code.lowercased().replacing(/"[^"]*"|\[[^\]]*\]|[\\_*]./, with: "")
    return letters != "general" && letters.contains(where: { "dmy".contains($0) }) ? .date : .other
  }

  private static func filled(
    _ sheet: Sheet, _ part: [UInt8], _ strings: [String], _ formats: [Format], is1904: Bool
  ) throws(WorkbookProblem) -> Sheet {
    var sheet = sheet
    var (row, column) = (-1, -1)
    var (type, format) = ("n", Format.other)
    var (value, text) = ("", RichText())
    var isValue = false
    var joined: [(rows: ClosedRange<Int>, column: Int)] = []
    try XMLReader.read(part) { event throws(WorkbookProblem) in
      text.take(event)
      switch event {
      case .start("row", let attributes):
        row += 1
        column = -1
        if let text = attributes["r"] {
          guard let number = Int(text, in: rows) else { throw .damaged }
          row = number - 1
        }
      case .start("c", let attributes):
        column = attributes["r"].flatMap { reference($0[...])?.column } ?? column + 1
        type = attributes["t"] ?? "n"
        let index = attributes["s"].flatMap { Int($0, in: indices) } ?? 0
        format = formats.indices.contains(index) ? formats[index] : .other
        value = ""
        text.clear()
      case .start("v", _): isValue = true
      case .end("v"): isValue = false
      case .text(let part): if isValue { value += part }
      case .end("c"):
        switch type {
        case "s":
          guard let index = Int(value, in: indices), strings.indices.contains(index) else { throw .damaged }
          value = strings[index]
        case "inlineStr": value = text.text
        case "b": value = value == "1" ? "true" : "false"
        case "d": value = String(value.prefix(10))
        case "n":
          switch format {
          case .date: value = StoredNumber.date(value, is1904: is1904) ?? value
          case .zeros(let digits): value = StoredNumber.text(value, digits: digits)
          case .other: value = StoredNumber.text(value)
          }
        default: break
        }
        try sheet.set(value, row, column)
      case .start("mergeCell", let attributes):
        let ends = (attributes["ref"] ?? "").split(separator: ":").compactMap(reference)
        if ends.count == 2, ends[0].column == ends[1].column, ends[0].row < ends[1].row {
          joined.append((ends[0].row...ends[1].row, ends[0].column))
        }
      default: break
      }
    }
    for cells in joined { try sheet.join(cells.rows, cells.column) }
    return sheet
  }

  /// The place of a cell, from 0, by its reference such as `AB12`.
  private static func reference(_ text: Substring) -> (row: Int, column: Int)? {
    let letters = text.prefix { $0.isASCII && $0.isLetter }
    guard (1...3).contains(letters.utf8.count), let row = Int(text[letters.endIndex...], in: rows) else {
      return nil
    }
    let column = letters.uppercased().utf8.reduce(0) { $0 * 26 + Int($1) - 64 }
    return (row - 1, column - 1)
  }
}

/// The text of `t` elements, without the readings that are shown above Japanese characters.
private struct RichText {
  private(set) var text = ""
  private var isText = false
  private var isReading = false

  mutating func clear() { self = Self() }

  mutating func take(_ event: XMLReader.Event) {
    switch event {
    case .start("t", _): isText = true
    case .end("t"): isText = false
    case .start("rPh", _): isReading = true
    case .end("rPh"): isReading = false
    case .text(let part): if isText, !isReading { text += part }
    default: break
    }
  }
}
