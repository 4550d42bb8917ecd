/// A place in a text: line and column as an editor shows them.
public struct Mark: Hashable, Sendable, Comparable {
  private var lineNumber: UInt32
  private var columnNumber: UInt32
  private var byteOffset: UInt32
  private var textNumber: UInt32

  /// Line, from 1. Lines end with LF, CR LF or CR and with nothing else, as in an editor.
  public var line: Int {
    get { Int(lineNumber) }
    set { lineNumber = UInt32(newValue) }
  }

  /// Column in Unicode scalars, from 1. A byte order mark takes none.
  public var column: Int {
    get { Int(columnNumber) }
    set { columnNumber = UInt32(newValue) }
  }

  /// Offset in bytes from the beginning of the text, from 0; a byte order mark counts.
  public var offset: Int {
    get { Int(byteOffset) }
    set { byteOffset = UInt32(newValue) }
  }

  /// Which text it is in (`SourceText.number`).
  public var text: Int { Int(textNumber) }

  /// A place. Each number is at most 2^32 - 1.
  public init(line: Int, column: Int, offset: Int = 0, text: Int = 0) {
    lineNumber = UInt32(line)
    columnNumber = UInt32(column)
    byteOffset = UInt32(offset)
    textNumber = UInt32(text)
  }

  /// Reading order: text by text.
  public static func < (a: Self, b: Self) -> Bool {
    (a.textNumber, a.lineNumber, a.columnNumber) < (b.textNumber, b.lineNumber, b.columnNumber)
  }
}

/// A part of a text: from `start` up to, not including, `end`.
public struct SourceRange: Hashable, Sendable {
  /// Where it begins.
  public var start: Mark
  /// Just behind its end.
  public var end: Mark

  /// A part of a text.
  public init(start: Mark, end: Mark) {
    self.start = start
    self.end = end
  }

  /// The same in bytes of the text.
  public var bytes: Range<Int> { start.offset..<max(start.offset, end.offset) }
  /// Which text it is in (`SourceText.number`).
  public var text: Int { start.text }
}
