import Model

/// Text that is HTML or XML. Only a literal in the source is markup; everything that is put into one is escaped here and
/// nowhere else, so that text from outside cannot become markup by accident.
///
///     let cell: Markup = "<td>\(room.name)</td>"
struct Markup: Hashable, Sendable, ExpressibleByStringInterpolation {
  private(set) var text: String

  /// Markup that is in the source.
  init(stringLiteral markup: StaticString) {
    text = markup.description
  }

  /// Markup in the source, with interpolated values.
  init(stringInterpolation: StringInterpolation) {
    text = stringInterpolation.text
  }

  /// Markup in a file that is a part of the program.
  init(embedded file: [UInt8]) {
    text = String(decoding: file, as: UTF8.self)
  }

  /// Text from outside.
  init(_ text: String) {
    self.text = Self.escaped(text)
  }

  /// The parts of an interpolated literal.
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    mutating func appendLiteral(_ markup: StaticString) {
      text += markup.description
    }

    /// Markup stays markup.
    mutating func appendInterpolation(_ html: Markup) {
      text += html.text
    }

    /// Markup that may be missing.
    mutating func appendInterpolation(_ html: Markup?) {
      if let html { text += html.text }
    }

    /// Text is escaped. A literal within a literal is markup, too: it is in the source as well.
    @_disfavoredOverload
    mutating func appendInterpolation(_ text: String) {
      self.text += Markup.escaped(text)
    }

    /// A number needs no escaping.
    mutating func appendInterpolation(_ number: some BinaryInteger) {
      text += String(number)
    }
  }

  static func + (a: Markup, b: Markup) -> Markup {
    var sum = a
    sum.text += b.text
    return sum
  }

  static func += (a: inout Markup, b: Markup) {
    a.text += b.text
  }

  /// Text without characters that end an element or an attribute value. Characters that would reorder or hide
  /// other text (control characters, bidirectional marks) are escaped. U+FFFE and U+FFFF, which XML cannot have, become U+FFFD.
  private static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.visible.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "'"): bytes += "&#39;".utf8
      case 0xBE...0xBF where bytes.suffix(2) == [0xEF, 0xBF]: bytes.append(0xBD)
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Sequence<Markup> {
  /// One after the other.
  func joined(separator: Markup = "") -> Markup {
    var result: Markup = ""
    for (index, part) in enumerated() {
      if index > 0 { result += separator }
      result += part
    }
    return result
  }
}
