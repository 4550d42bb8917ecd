/// The bytes of a text file with an index of its lines.
package struct SourceText: Sendable {
  /// The whole file, converted to UTF-8 if it was in another encoding. It may be invalid UTF-8.
  package let bytes: [UInt8]
  /// How the file was written.
  package let encoding: Encoding
  /// Byte offset of the text: 3 after a byte order mark, else 0.
  package let start: Int
  /// The number of the text among several files, from 0. Its marks carry it.
  package let number: Int

  private let lineStarts: [Int]

  /// - Parameter encoding: How the file was written from which the bytes were converted.
  package init(_ bytes: [UInt8], number: Int = 0, from encoding: Encoding = .utf8) {
    (self.bytes, self.number, self.encoding) = (bytes, number, encoding)
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    self.start = start
    lineStarts = Self.lineStarts(of: bytes.span, from: start)
  }

  private static func lineStarts(of bytes: Span<UInt8>, from start: Int) -> [Int] {
    var lineStarts = [start]
    var index = start
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      let endsLine =
        byte == UInt8(ascii: "\n")
        || byte == UInt8(ascii: "\r") && !(index < bytes.count && bytes[index] == UInt8(ascii: "\n"))
      if endsLine { lineStarts.append(index) }
    }
    return lineStarts
  }

  /// The number of lines: one more than the number of line ends.
  package var lineCount: Int { lineStarts.count }

  /// The place of a byte offset. An offset beyond the end gives the end.
  package func mark(at offset: Int) -> Mark {
    let offset = min(max(offset, start), bytes.count)
    var low = 0
    var high = lineStarts.count
    while low < high {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle + 1 } else { high = middle }
    }
    let text = bytes.span
    var column = 1
    for index in lineStarts[low - 1]..<offset where !text[index].isContinuation { column += 1 }
    return Mark(line: low, column: column, offset: offset, text: number)
  }

  /// The byte range of a line without its line end; nil when there is no such line.
  package func range(ofLine line: Int) -> Range<Int>? {
    guard lineStarts.indices.contains(line - 1) else { return nil }
    let lower = lineStarts[line - 1]
    var upper = line < lineStarts.count ? lineStarts[line] : bytes.count
    while upper > lower, bytes[upper - 1].isLineEnd { upper -= 1 }
    return lower..<upper
  }
}

extension SourceText {
  package enum Encoding: Hashable, Sendable {
    case utf8
    case windows1252
    /// With a byte order mark.
    case utf16(isBigEndian: Bool)
    /// A spreadsheet program's own file. Each line of the text is a row of its sheet. No edit can be written back.
    case workbook
  }

  /// The text of a file that may be in UTF-16, or, if it is not UTF-8, in Windows-1252.
  package init(spreadsheet bytes: [UInt8], number: Int = 0) {
    let text = Self(bytes, number: number)
    switch text.encodingProblem {
    case .invalid?:
      guard let converted = Windows1252.decoded(bytes) else { break }
      self.init(converted, number: number, from: .windows1252)
      return
    case .other("UTF-16")?:
      let isBigEndian = bytes[0] == 0xFE
      guard let converted = UTF16Text.decoded(bytes, isBigEndian: isBigEndian) else { break }
      self.init(converted, number: number, from: .utf16(isBigEndian: isBigEndian))
      return
    default: break
    }
    self = text
  }

  /// This text, or an edit of it, in the encoding of the file.
  package func encoded(_ text: [UInt8]) -> [UInt8] {
    switch encoding {
    case .utf8, .workbook: text
    case .windows1252: Windows1252.encoded(text)
    case .utf16(let isBigEndian): UTF16Text.encoded(text, isBigEndian: isBigEndian)
    }
  }

  /// Converts a byte range to marks.
  package func range(_ bytes: Range<Int>) -> SourceRange {
    SourceRange(start: mark(at: bytes.lowerBound), end: mark(at: bytes.upperBound))
  }
}

extension SourceText {
  /// Why a text is not UTF-8.
  package enum EncodingProblem: Hashable, Sendable {
    /// Another encoding according to its byte order mark: `UTF-16` or `UTF-32`.
    case other(String)
    /// The first invalid bytes.
    case invalid(SourceRange)
  }

  /// Why the text is not UTF-8; nil for valid UTF-8.
  package var encodingProblem: EncodingProblem? {
    if let (_, name) = Self.otherMarks.first(where: { bytes.starts(with: $0.mark) }) { return .other(name) }
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span)
      return nil
    } catch {
      return .invalid(range(error.byteOffsets))
    }
  }

  /// Byte order marks of other encodings. UTF-32 comes first, because its mark begins with that of UTF-16.
  private static let otherMarks: [(mark: [UInt8], name: String)] = [
    ([0xFF, 0xFE, 0x00, 0x00], "UTF-32"), ([0x00, 0x00, 0xFE, 0xFF], "UTF-32"), ([0xFF, 0xFE], "UTF-16"),
    ([0xFE, 0xFF], "UTF-16"),
  ]
}

extension UInt8 {
  /// Whether it is a UTF-8 continuation byte.
  package var isContinuation: Bool { self & 0xC0 == 0x80 }
  /// Whether it is CR or LF.
  package var isLineEnd: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
}
