import Model

/// Reads the sheets of an .ods.
enum OpenDocument {
  static func sheets(of content: [UInt8]) throws(WorkbookProblem) -> [Sheet] {
    var sheets: [Sheet] = []
    var hiddenStyles: Set<String> = []
    var style = ""
    var (row, column) = (0, 0)
    var cell = Cell()
    var repeatedRows = 1
    var joined: [(rows: ClosedRange<Int>, column: Int)] = []
    // Only the last cell or row of a sheet is repeated up to its limits, and it is empty.
    var filled: [(column: Int, count: Int, text: String)] = []
    try XMLReader.read(content) { event throws(WorkbookProblem) in
      switch event {
      case .start("style", let attributes): style = attributes["name"] ?? ""
      case .start("table-properties", let attributes):
        if attributes["display"] == "false" { hiddenStyles.insert(style) }
      case .start("table", let attributes):
        sheets.append(
          Sheet(
            name: attributes["name"] ?? "",
            isHidden: attributes["style-name"].map(hiddenStyles.contains) ?? false))
        row = 0
        joined = []
      case .start("table-row", let attributes):
        repeatedRows = count(attributes["number-rows-repeated"])
        column = 0
        filled = []
      case .start("table-cell", let attributes), .start("covered-table-cell", let attributes):
        cell = Cell(attributes)
        let rows = count(attributes["number-rows-spanned"])
        if rows > 1, count(attributes["number-columns-spanned"]) == 1 {
          joined.append((row...row + rows - 1, column))
        }
      case .end("table-cell"), .end("covered-table-cell"):
        if !cell.value.isEmpty { filled.append((column, cell.repeated, cell.value)) }
        column += cell.repeated
      case .end("table-row"):
        guard !sheets.isEmpty else { throw .damaged }
        for cell in filled {
          for row in row..<row + repeatedRows {
            for column in cell.column..<cell.column + cell.count {
              try sheets[sheets.count - 1].set(cell.text, row, column)
            }
          }
        }
        row += repeatedRows
      case .end("table"):
        guard !sheets.isEmpty else { throw .damaged }
        for cells in joined { try sheets[sheets.count - 1].join(cells.rows, cells.column) }
      default: cell.take(event)
      }
    }
    return sheets
  }

  /// How often something is repeated; no sheet has more rows.
  fileprivate static func count(_ text: String?) -> Int {
    text.flatMap { Int($0, in: 1...1_048_576) } ?? 1
  }
}

private struct Cell {
  let repeated: Int
  private let attributes: [String: String]
  private var paragraphs: [String] = []
  private var isParagraph = false
  /// Depth of elements in notes, which are no part of the text.
  private var isNote = false

  init(_ attributes: [String: String] = [:]) {
    self.attributes = attributes
    repeated = OpenDocument.count(attributes["number-columns-repeated"])
  }

  mutating func take(_ event: XMLReader.Event) {
    switch event {
    case .start("annotation", _): isNote = true
    case .end("annotation"): isNote = false
    case .start("p", _):
      guard !isNote else { return }
      isParagraph = true
      paragraphs.append("")
    case .end("p"): isParagraph = false
    case .start("s", let attributes):
      guard isParagraph else { return }
      let count = attributes["c"].flatMap { Int($0, in: 1...1000) } ?? 1
      paragraphs[paragraphs.count - 1] += String(repeating: " ", count: count)
    case .start("tab", _), .start("line-break", _): if isParagraph { paragraphs[paragraphs.count - 1] += " " }
    case .text(let text): if isParagraph { paragraphs[paragraphs.count - 1] += text }
    default: break
    }
  }

  /// The stored value of a number or a date; its shown text may be rounded or have separators.
  var value: String {
    let text = paragraphs.joined(separator: " ")
    switch attributes["value-type"] {
    case "float":
      // The zeros of its format: `007`.
      let digits = text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? text.utf8.count : 0
      return attributes["value"].map { StoredNumber.text($0, digits: digits) } ?? text
    case "date": return attributes["date-value"].map { String($0.prefix(10)) } ?? text
    case "boolean": return attributes["boolean-value"] ?? text
    default: return text
    }
  }
}
