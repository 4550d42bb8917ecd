/// A place in a text: line and column as an editor shows them.
package struct Mark: Hashable, Sendable, Comparable {
  private var lineNumber: UInt32
  private var columnNumber: UInt32
  private var byteOffset: UInt32
  private var textNumber: UInt32

  /// Line, from 1. Only LF, CR LF and CR end a line, as in an editor.
  package var line: Int {
    get { Int(lineNumber) }
    set { lineNumber = UInt32(newValue) }
  }

  /// Column in Unicode scalars, from 1. A byte order mark does not count.
  package var column: Int {
    get { Int(columnNumber) }
    set { columnNumber = UInt32(newValue) }
  }

  /// Byte offset from the start of the file, from 0. A byte order mark counts.
  package var offset: Int {
    get { Int(byteOffset) }
    set { byteOffset = UInt32(newValue) }
  }

  /// The number of the text (`SourceText.number`).
  package var text: Int { Int(textNumber) }

  /// Each number is at most 2^32 − 1.
  package init(line: Int, column: Int, offset: Int = 0, text: Int = 0) {
    lineNumber = UInt32(line)
    columnNumber = UInt32(column)
    byteOffset = UInt32(offset)
    textNumber = UInt32(text)
  }

  /// Orders by text, line and column.
  package static func < (a: Self, b: Self) -> Bool {
    (a.textNumber, a.lineNumber, a.columnNumber) < (b.textNumber, b.lineNumber, b.columnNumber)
  }
}

/// A part of a text: from `start` up to, not including, `end`.
package struct SourceRange: Hashable, Sendable {
  package var start: Mark
  package var end: Mark

  package init(start: Mark, end: Mark) {
    self.start = start
    self.end = end
  }

  /// The range as byte offsets.
  package var bytes: Range<Int> { start.offset..<max(start.offset, end.offset) }
  /// The number of the text (`SourceText.number`).
  package var text: Int { start.text }
}
