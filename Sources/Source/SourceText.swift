/// A text file's bytes, and where its lines begin.
public struct SourceText: Sendable {
  /// The file, byte for byte. Not necessarily UTF-8.
  public let bytes: [UInt8]
  /// Where the text begins: behind a byte order mark, if there is one.
  public let start: Int
  /// Which of several texts it is; 0 of the first. Its marks have it, too.
  public let number: Int

  private let lineStarts: [Int]

  /// The text in these bytes.
  public init(_ bytes: [UInt8], number: Int = 0) {
    self.bytes = bytes
    self.number = number
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

  /// The number of lines; one more than the number of line ends.
  public var lineCount: Int { lineStarts.count }

  /// The place of a byte; beyond the end, the end.
  public func mark(at offset: Int) -> Mark {
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

  /// Where a line's text lies in `bytes`, without its end; nil when there is no such line.
  public func range(ofLine line: Int) -> Range<Int>? {
    guard lineStarts.indices.contains(line - 1) else { return nil }
    let lower = lineStarts[line - 1]
    var upper = line < lineStarts.count ? lineStarts[line] : bytes.count
    while upper > lower, bytes[upper - 1].isLineEnd { upper -= 1 }
    return lower..<upper
  }
}

extension SourceText {
  /// Both ends of a stretch of bytes as places.
  public func range(_ bytes: Range<Int>) -> SourceRange {
    SourceRange(start: mark(at: bytes.lowerBound), end: mark(at: bytes.upperBound))
  }
}

extension SourceText {
  /// Why a text is not UTF-8.
  public enum EncodingProblem: Hashable, Sendable {
    /// Another encoding, going by its byte order mark: `UTF-16` or `UTF-32`.
    case other(String)
    /// Bytes that are no UTF-8, the first of them here.
    case invalid(SourceRange)
  }

  /// Why it is not UTF-8; nil of a text that is.
  public var encodingProblem: EncodingProblem? {
    if let (_, name) = Self.otherMarks.first(where: { bytes.starts(with: $0.mark) }) { return .other(name) }
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span)
      return nil
    } catch {
      return .invalid(range(error.byteOffsets))
    }
  }

  /// Byte order marks of encodings that are not UTF-8. That of UTF-32 begins like that of UTF-16.
  private static let otherMarks: [(mark: [UInt8], name: String)] = [
    ([0xFF, 0xFE, 0x00, 0x00], "UTF-32"), ([0x00, 0x00, 0xFE, 0xFF], "UTF-32"), ([0xFF, 0xFE], "UTF-16"),
    ([0xFE, 0xFF], "UTF-16"),
  ]
}

extension UInt8 {
  /// Whether it goes on with a scalar that an earlier byte began.
  public var isContinuation: Bool { self & 0xC0 == 0x80 }
  /// Whether it is CR or LF.
  public var isLineEnd: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }
}
