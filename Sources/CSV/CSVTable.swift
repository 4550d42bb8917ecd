package import Source
package import Workbook

/// A table of comma-separated values (RFC 4180 with the delimiters of spreadsheets). Each cell has its place.
package struct CSVTable: Hashable, Sendable {
  package enum Delimiter: UInt8, Hashable, Sendable, CaseIterable {
    /// Semicolon, which spreadsheets use where the comma is the decimal sign.
    case semicolon = 0x3B
    case comma = 0x2C
    case tab = 0x09
  }

  package struct Cell: Hashable, Sendable {
    /// The text without quotes. White space around an unquoted text is removed; nothing else is changed:
    /// `007` stays `007`.
    package var text: String
    /// The place, with quotes.
    package var range: SourceRange

    package init(text: String, range: SourceRange) {
      self.text = text
      self.range = range
    }
  }

  package var delimiter: Delimiter
  /// The rows, with the header. Rows with only empty cells are left out.
  package var rows: [[Cell]]
}

/// Why a text cannot be read as a table. It quotes nothing of the text.
package struct CSVError: Error, Hashable, Sendable {
  package var problem: Problem
  package var range: SourceRange

  package enum Problem: Hashable, Sendable {
    /// More bytes than `CSVReader.maximumBytes`.
    case fileTooLarge(bytes: Int)
    /// The file of a spreadsheet program without a table that can be used.
    case workbook(WorkbookProblem)
    /// Bytes that are not UTF-8.
    case notUTF8
    /// Another encoding according to its byte order mark: `UTF-16` or `UTF-32`.
    case otherEncoding(String)
    case nulByte
    /// A quoted cell without its closing quote; the range is its start.
    case unclosedQuote
    /// Text between a closing quote and the next delimiter.
    case textAfterQuote
    /// More cells than `CSVReader.maximumCells`.
    case tooManyCells
  }

  package init(_ problem: Problem, in range: SourceRange) {
    self.problem = problem
    self.range = range
  }
}
