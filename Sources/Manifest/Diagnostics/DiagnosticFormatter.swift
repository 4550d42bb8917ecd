import Model
import Source
import YAML

/// Formats findings for a person: `file:line:column: error: message`, the line, a caret and the advice.
package struct DiagnosticFormatter: Sendable {
  private let excerpts: [SourceExcerpt]
  private let isColored: Bool
  /// The maximum number of findings that are shown, those of a kind counted once.
  package static let maximumFindings = 50
  /// The maximum width of a source line, in columns.
  private static let width = 100

  /// - Parameters:
  ///   - excerpts: The texts, by number.
  ///   - isColored: Whether to use the colours of `DiagnosticTone`.
  package init(_ excerpts: [SourceExcerpt], isColored: Bool = false) {
    self.excerpts = excerpts
    self.isColored = isColored
  }

  /// Findings as text; every line ends with a newline. More than three of a kind are one with their number. At most
  /// `maximumFindings` are shown, errors first.
  package func text(of findings: [Diagnostic]) -> String {
    let groups = groups(of: findings.sortedByPlace())
    let byUrgency = groups.filter { $0[0].severity == .error } + groups.filter { $0[0].severity == .warning }
    let shown = byUrgency.prefix(Self.maximumFindings).sorted {
      ($0[0].range.start, $0[0].message) < ($1[0].range.start, $1[0].message)
    }
    let omitted = findings.count - shown.reduce(0) { $0 + $1.count }
    let text = shown.map(text(ofGroup:)).joined()
    guard omitted > 0 else { return text }
    return text + "\(excerpts[0].file.visible): \(omitted) more finding\(omitted == 1 ? "" : "s") not shown\n"
  }

  /// The number of findings that are shown with their line.
  private static let few = 3

  private struct Kind: Hashable {
    var code: DiagnosticCode
    var message: String
    var text: Int
    /// The text at the place, if the message is about it without naming it.
    var subject: ArraySlice<UInt8>
  }

  /// The findings by place; more than a few of a kind together, at the place of the first.
  private func groups(of findings: [Diagnostic]) -> [[Diagnostic]] {
    var kinds: [Kind: [Int]] = [:]
    for (index, finding) in findings.enumerated() { kinds[kind(of: finding), default: []].append(index) }
    return kinds.values.flatMap { $0.count > Self.few ? [$0] : $0.map { [$0] } }
      .sorted { $0[0] < $1[0] }.map { $0.map { findings[$0] } }
  }

  /// The numbers in a message differ from room to room.
  private func kind(of finding: Diagnostic) -> Kind {
    let namesNothing: [DiagnosticCode] = [
      .unknownKey, .unknownColumn, .unknownNetwork, .unknownAdapter, .unknownValue,
    ]
    let bytes = excerpts[finding.range.text].source.bytes
    return Kind(
      code: finding.code, message: finding.message.filter { !$0.isNumber }, text: finding.range.text,
      subject: namesNothing.contains(finding.code) ? bytes[finding.range.bytes] : [])
  }

  /// Findings of one kind as one, with the notes of the first.
  private func text(ofGroup group: [Diagnostic]) -> String {
    let first = group[0]
    let tone: DiagnosticTone = first.severity == .error ? .error : .warning
    let count = group.count > 1 ? ", \(group.count) times" : ""
    var text = part(
      paint(first.severity.rawValue, tone), "\(first.message)\(count) [\(first.code.rawValue)]", first.range)
    let excerpt = excerpts[first.range.text]
    for other in group.prefix(Self.few).dropFirst() { text += underlined(other.range, excerpt) }
    if let lines = Self.lines(of: group.dropFirst(Self.few)) { text += "      = also on \(lines)\n" }
    if let advice = first.advice { text += "      = \(advice.visible)\n" }
    for note in first.notes { text += part(paint("note", .note), note.message, note.range) }
    return text
  }

  /// The lines of findings: `lines 5–301, 304`; nil without findings.
  private static func lines(of findings: some Sequence<Diagnostic>) -> String? {
    var runs: [ClosedRange<Int>] = []
    for line in findings.map(\.range.start.line) {
      if let last = runs.last, line <= last.upperBound + 1 {
        runs[runs.count - 1] = last.lowerBound...max(last.upperBound, line)
      } else {
        runs.append(line...line)
      }
    }
    guard let first = runs.first else { return nil }
    let most = 10
    let words = runs.prefix(most).map {
      $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)–\($0.upperBound)"
    }
    return (runs.count == 1 && first.count == 1 ? "line " : "lines ") + words.listed
      + (runs.count > most ? " …" : "")
  }

  private func paint(_ text: String, _ tone: DiagnosticTone) -> String {
    isColored ? tone.rawValue + text + DiagnosticTone.end : text
  }

  private func part(_ kind: String, _ message: String, _ range: SourceRange) -> String {
    let excerpt = excerpts[range.text]
    let place = "\(excerpt.file.visible):\(range.start.line):\(range.start.column)"
    return "\(place): \(kind): \(message.visible)\n" + underlined(range, excerpt)
  }

  /// The first line of a range with a mark below the range.
  private func underlined(_ range: SourceRange, _ excerpt: SourceExcerpt) -> String {
    guard let line = excerpt.source.range(ofLine: range.start.line) else { return "" }
    // Only bytes near the mark can be shown, so a line of megabytes is not formatted as a whole.
    let window = excerpt.source.scalars(around: range.start.offset, in: line, distance: 4 * Self.width)
    let cells = cells(ofLine: range.start.line, in: window, excerpt)
    guard !cells.isEmpty else { return "" }
    let marked = range.start.offset..<max(range.start.offset + 1, range.end.offset)
    let first = cells.firstIndex { $0.bytes.upperBound > marked.lowerBound } ?? cells.count
    let last = max(first, cells.lastIndex { $0.bytes.lowerBound < marked.upperBound } ?? first)

    let visible = visibleCells(cells, first: first)
    let isCutBefore = visible.lowerBound > 0 || window.lowerBound > line.lowerBound
    let isCutAfter = visible.upperBound < cells.count || window.upperBound < line.upperBound
    let text = cells[visible].map(\.text).joined()
    let offset = cells[visible.lowerBound..<first].reduce(0) { $0 + $1.width }
    let length =
      first < cells.count
      ? cells[first...min(last, visible.upperBound - 1)].reduce(0) { $0 + $1.width } : 1

    let number = String(range.start.line)
    let gutter = String(repeating: " ", count: max(0, 5 - number.count)) + number
    let blank = String(repeating: " ", count: gutter.count)
    let mark = paint("^" + String(repeating: "~", count: max(0, length - 1)), .mark)
    let indent = String(repeating: " ", count: offset + (isCutBefore ? 1 : 0))
    return
      "\(gutter) | \(isCutBefore ? "…" : "")\(text)\(isCutAfter ? "…" : "")\n\(blank) | \(indent)\(mark)\n"
  }

  /// The cells that fit, with the first marked one among them: from the start of the line if possible, else
  /// with a third of the width before the mark.
  private func visibleCells(_ cells: [Cell], first: Int) -> Range<Int> {
    let before = cells.prefix(first).reduce(0) { $0 + $1.width }
    let room = before <= Self.width * 2 / 3 ? before : Self.width / 3
    var lower = first
    var used = 0
    while lower > 0, used + cells[lower - 1].width <= room {
      lower -= 1
      used += cells[lower].width
    }
    var upper = first
    while upper < cells.count, used + cells[upper].width <= Self.width || upper == first {
      used += cells[upper].width
      upper += 1
    }
    return lower..<upper
  }

  private func cells(ofLine line: Int, in window: Range<Int>, _ excerpt: SourceExcerpt) -> [Cell] {
    var cells: [Cell] = []
    var column = 0
    for piece in excerpt.pieces(ofLine: line, in: window) {
      for cell in Cell.cells(of: piece, in: excerpt.source, column: column) {
        cells.append(cell)
        column += cell.width
      }
    }
    return cells
  }
}

/// The colours of findings, as control sequences (ECMA-48 SGR).
package enum DiagnosticTone: String, CaseIterable, Sendable {
  /// The word `error`: red.
  case error = "\u{1B}[31m"
  /// The word `warning`: yellow.
  case warning = "\u{1B}[33m"
  /// The word `note`: bold.
  case note = "\u{1B}[1m"
  /// The mark below a place: green.
  case mark = "\u{1B}[32m"

  /// Resets the colour.
  package static let end = "\u{1B}[0m"
}

extension [String] {
  /// Joins with commas: `a, b, c`.
  var listed: String { joined(separator: ", ") }
}
