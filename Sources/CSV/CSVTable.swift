public import Source

/// A table of comma-separated values (RFC 4180, as spreadsheets export it): rows of cells that know their places.
public struct CSVTable: Hashable, Sendable {
  /// What stands between two cells.
  public enum Delimiter: UInt8, Hashable, Sendable, CaseIterable {
    /// `;`, which spreadsheets use where the comma is the decimal sign.
    case semicolon = 0x3B
    /// `,`
    case comma = 0x2C
    /// A tab.
    case tab = 0x09
  }

  /// A cell.
  public struct Cell: Hashable, Sendable {
    /// Its text, without quotes. White space around a text without quotes is left out; nothing else is changed: `007` stays
    /// `007`.
    public var text: String
    /// Where it is, quotes included.
    public var range: SourceRange

    /// A cell.
    public init(text: String, range: SourceRange) {
      self.text = text
      self.range = range
    }
  }

  /// What stands between two cells.
  public var delimiter: Delimiter
  /// The rows, the header's among them. Rows in which every cell is empty are left out.
  public var rows: [[Cell]]

  /// A table.
  public init(delimiter: Delimiter, rows: [[Cell]]) {
    self.delimiter = delimiter
    self.rows = rows
  }
}

/// Why a text is no table. Quotes nothing of the text.
public struct CSVError: Error, Hashable, Sendable {
  /// What is wrong.
  public var problem: Problem
  /// Where.
  public var range: SourceRange

  /// What can be wrong.
  public enum Problem: Hashable, Sendable {
    /// More bytes than `CSVReader.maximumBytes`.
    case fileTooLarge(bytes: Int)
    /// A byte that is not UTF-8.
    case notUTF8
    /// Another encoding, going by its byte order mark: `UTF-16` or `UTF-32`.
    case otherEncoding(String)
    /// A NUL byte.
    case nulByte
    /// A quote that is never closed; the place is its beginning.
    case unclosedQuote
    /// Text between a closing quote and the next delimiter.
    case textAfterQuote
    /// More than `CSVReader.maximumCells` cells.
    case tooManyCells
  }

  /// An error of a part of a text.
  public init(_ problem: Problem, in range: SourceRange) {
    self.problem = problem
    self.range = range
  }
}
