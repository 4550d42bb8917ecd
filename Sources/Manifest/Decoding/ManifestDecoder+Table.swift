package import CSV
import Model
import Source
import Workbook
import YAML

extension ManifestDecoder {
  /// The rows of a table under `rooms_from`, each as a mapping like a room's entry; nil when the table cannot
  /// be used.
  mutating func table(_ node: YAMLNode) -> (rows: [YAMLNode], layout: TableLayout)? {
    var mapping = ColumnMapping()
    var path = node
    if node.entries != nil {
      guard let fields = fields(of: node, "`rooms_from`", known: Vocabulary.table) else { return nil }
      if let columns = fields["columns"] { mapping.columns = self.columns(columns) }
      if let ignored = fields["ignore"] { mapping.ignored = oneOrMoreTexts(ignored, "ignore") }
      guard
        let file = required(
          "file", in: fields, "`rooms_from` without `file`", advice: "name the table: file: rooms.csv")
      else { return nil }
      path = file
    }
    guard let source = file(path, "rooms_from", atMost: CSVReader.maximumBytes) else { return nil }
    var table: CSVTable
    do throws(CSVError) {
      table = try CSVReader.read(source)
    } catch {
      findings.append(Diagnostic(error))
      return nil
    }
    // Also the title above the header, which is no row.
    texts.set(YAMLNode(table), isWhole: true, of: source.number)
    let first = self.header(of: table, mapping)
    table.rows.removeFirst(first)
    guard let header = table.rows.first else {
      return refused(
        .badTable, "the table is empty", at: path.range,
        advice: "its first row names the columns: room;\(vocabulary.numberKey ?? "id");address")
    }
    let columns = keys(of: header, mapping)
    // A column that gives no key has no effect, and may contain anything, passwords too.
    texts.setContent(
      YAMLNode(table) { columns.indices.contains($0) && !columns[$0].keys.isEmpty }, of: source.number)
    let layout = TableLayout(
      text: source.number, delimiter: table.delimiter,
      columns: columns.enumerated().reduce(into: [:]) { places, column in
        for key in column.element.keys { places[key] = column.offset }
      })
    if source.encoding == .windows1252 { warnOfEncoding(of: table, columns.map(\.keys)) }
    return (rows(of: table, columns), layout)
  }

  /// Warns at the first cell in use whose text depends on the encoding.
  private mutating func warnOfEncoding(of table: CSVTable, _ keys: [[String]]) {
    let used = table.rows.dropFirst().lazy.flatMap { row in zip(row, keys).filter { !$0.1.isEmpty }.map(\.0) }
    guard let cell = used.first(where: { !$0.text.allSatisfy(\.isASCII) }) else { return }
    warning(
      .assumedEncoding, "the table is not UTF-8: it is read as Windows-1252", at: cell.range,
      advice: "check that this cell is right, or export the table as “CSV UTF-8”")
  }

  private struct ColumnMapping {
    /// Keys with their headers, and the place of the mapping.
    var columns: [(key: String, header: String, range: SourceRange)] = []
    var ignored: [(text: String, range: SourceRange)] = []
  }

  private mutating func columns(_ node: YAMLNode) -> [(key: String, header: String, range: SourceRange)] {
    guard let fields = fields(of: node, "`columns`", known: vocabulary.columns) else { return [] }
    return fields.all.compactMap { entry in
      text(entry.value, entry.key).map { (entry.key, $0, entry.value.range) }
    }
  }

  /// A scalar or a list of scalars.
  private mutating func oneOrMoreTexts(_ node: YAMLNode, _ key: String) -> [(
    text: String, range: SourceRange
  )] {
    (node.items ?? [node]).compactMap { node in text(node, key).map { ($0, node.range) } }
  }

  private mutating func rows(
    of table: CSVTable, _ keys: [(keys: [String], range: SourceRange)]
  ) -> [YAMLNode] {
    table.rows.dropFirst().map { row in
      if let cell = row.dropFirst(keys.count).first(where: { !$0.text.isEmpty }) {
        error(
          .badTable, "this row has more cells than the header", at: cell.range,
          advice: "quote a cell that contains the delimiter, or name the column")
      }
      let entries = zip(row, keys).flatMap { cell, column in
        column.keys.compactMap { key in
          cell.text.isEmpty
            ? nil
            : YAMLNode.Entry(
              key: key, keyRange: column.range,
              value: YAMLNode(.scalar(cell.text, isPlain: false), range: cell.range))
        }
      }
      return YAMLNode(.mapping(entries), range: row.range)
    }
  }

  /// The index of the row that names the columns; 0 if no word is known.
  private func header(of table: CSVTable, _ mapping: ColumnMapping) -> Int {
    vocabulary.header(of: table) { isKnown($0, mapping) } ?? 0
  }

  private func isKnown(_ text: String, _ mapping: ColumnMapping) -> Bool {
    mapping.ignored.contains { $0.text == text } || mapping.columns.contains { $0.header == text }
      || vocabulary.column(named: text) != nil
  }

  private mutating func keys(
    of header: [CSVTable.Cell], _ mapping: ColumnMapping
  ) -> [(keys: [String], range: SourceRange)] {
    let names = Set(header.map(\.text))
    for (name, range) in mapping.columns.map({ ($0.header, $0.range) }) + mapping.ignored
    where !names.contains(name) {
      error(
        .unknownColumn, "the table has no column of this name", at: range,
        advice: similarColumn(to: name, in: header))
    }
    var places: [String: SourceRange] = [:]
    let ignored = Set(mapping.ignored.map(\.text))
    func isKnown(_ text: String) -> Bool { self.isKnown(text, mapping) }
    // A table without a header begins with data, perhaps with a password.
    let isHeader = header.count { isKnown($0.text) } * 2 >= header.count { !$0.text.isEmpty }
    return header.map { cell in
      if isHeader || isKnown(cell.text) { show(cell.range) }
      let mapped = mapping.columns.filter { $0.header == cell.text }.map(\.key)
      if !mapped.isEmpty || ignored.contains(cell.text) || cell.text.isEmpty {
        for key in mapped { claim(key, cell, &places) }
        return (mapped, cell.range)
      }
      guard let key = Vocabulary.key(spelt: cell.text, among: vocabulary.columns) else {
        let meant = vocabulary.column(named: cell.text)
        let similar = meant ?? nearest(to: cell.text, of: vocabulary.columns)
        let shown = isHeader ? presentable(cell.text).map { YAMLScalar.text($0) } : nil
        error(
          .unknownColumn, "this column is not a key of a room", at: cell.range,
          advice: (similar.map { "did you mean `\($0)`? " } ?? "")
            + "map it (columns: { \(similar ?? "KEY"): \(shown ?? "…") }), or leave it out (ignore: [\(shown ?? " … ")])"
        )
        // The rows are decoded as meant, so that nothing else is reported.
        let given = names.union(mapping.columns.map(\.key))
        guard let meant, places[meant] == nil, !given.contains(meant) else { return ([], cell.range) }
        places[meant] = cell.range
        return ([meant], cell.range)
      }
      claim(key, cell, &places)
      return ([key], cell.range)
    }
  }

  private mutating func claim(_ key: String, _ cell: CSVTable.Cell, _ places: inout [String: SourceRange]) {
    if let first = places[key] {
      error(
        .duplicateColumn, "another column gives `\(key)`", at: cell.range,
        notes: [.init("the first", at: first)],
        advice: "leave one of them out (ignore: [ … ])")
    }
    places[key] = cell.range
  }

  private func similarColumn(to name: String, in header: [CSVTable.Cell]) -> String? {
    nearest(to: name, of: header.map(\.text))
      .flatMap { presentable($0).map { "did you mean `\($0)`?" } }
  }
}

extension YAMLNode {
  /// A table as a list of rows, each a list of cells.
  /// - Parameter isUsed: Whether to include the cells of a column, by its index; other cells are empty. The
  ///   first row is always included.
  init(_ table: CSVTable, isUsed: (Int) -> Bool = { _ in true }) {
    let rows = table.rows.enumerated().map { number, row in
      let cells = row.enumerated().map { column, cell in
        YAMLNode(.scalar(number == 0 || isUsed(column) ? cell.text : "", isPlain: false), range: cell.range)
      }
      return YAMLNode(.sequence(cells), range: row.range)
    }
    let start = rows.first?.range.start ?? Mark(line: 1, column: 1)
    self.init(.sequence(rows), range: SourceRange(start: start, end: rows.last?.range.end ?? start))
  }
}

extension [CSVTable.Cell] {
  /// From the first cell of a row to its last; a row has at least one.
  fileprivate var range: SourceRange {
    SourceRange(start: self[0].range.start, end: self[count - 1].range.end)
  }
}

extension Diagnostic {
  /// The finding for a CSV error, with advice.
  package init(_ error: CSVError) {
    let (code, message, advice): (DiagnosticCode, String, String?) =
      switch error.problem {
      case .fileTooLarge(let bytes):
        (
          .fileTooLarge, "the file has \(bytes) bytes; \(CSVReader.maximumBytes) are allowed",
          "is it the right file?"
        )
      case .workbook(let problem):
        (.badTable, Self.message(problem), Self.advice(problem))
      case .notUTF8:
        (.wrongEncoding, "neither UTF-8 nor Windows-1252 from here on", "export the table as “CSV UTF-8”")
      case .otherEncoding(let name):
        (.wrongEncoding, "the file is \(name), not UTF-8", "export the table as “CSV UTF-8”")
      case .nulByte: (.forbiddenCharacter, "a NUL byte", "is it a table of comma-separated values?")
      case .unclosedQuote: (.badTable, "this quote is never closed", "close it, or leave it out")
      case .textAfterQuote:
        (.badTable, "text after a closing quote", "double a quote that is part of the cell")
      case .tooManyCells: (.documentTooLarge, "more than \(CSVReader.maximumCells) cells", nil)
      }
    self.init(.error, code, message, at: error.range, advice: advice)
  }

  private static func advice(_ problem: WorkbookProblem) -> String {
    switch problem {
    case .oldOrProtected, .otherFormat, .damaged:
      "open it in the spreadsheet program, and save it as .xlsx without a password, or as “CSV UTF-8”"
    case .tooLarge, .empty, .severalSheets: "save the sheet of the rooms alone, or as “CSV UTF-8”"
    case .noSheet: "check the name of the sheet"
    }
  }

  private static func message(_ problem: WorkbookProblem) -> String {
    switch problem {
    case .oldOrProtected: "this workbook is an old one (.xls), or has a password"
    case .otherFormat: "this is neither .xlsx nor .ods"
    case .damaged: "this workbook is damaged"
    case .tooLarge: "this workbook is larger than any table of rooms"
    case .empty: "this workbook is empty"
    case .severalSheets(let names): "this workbook has \(names.count) sheets with a table: \(names.quoted)"
    case .noSheet(let names): "this workbook has no such sheet, only \(names.quoted)"
    }
  }
}

extension [String] {
  fileprivate var quoted: String { map { "“\($0)”" }.joined(separator: ", ") }
}
