import Source

extension SourceText {
  /// Finds what libyaml would refuse without saying where: it reports broken UTF-8 and control characters at
  /// wherever its buffer happens to stand.
  func checkCharacters() throws(YAMLError) {
    guard bytes.count <= YAMLParser.maximumBytes else {
      throw YAMLError(.fileTooLarge(bytes: bytes.count), at: mark(at: start))
    }
    for (mark, encoding) in Self.otherMarks where bytes.starts(with: mark) {
      throw YAMLError(.otherEncoding(encoding), at: self.mark(at: start))
    }
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span)
    } catch {
      throw YAMLError(.notUTF8, in: range(error.byteOffsets))
    }
    if let (found, scalar) = firstForbidden() {
      throw YAMLError(.forbiddenCharacter(scalar), in: range(found))
    }
  }

  /// Byte order marks of encodings that are not UTF-8. That of UTF-32 begins like that of UTF-16.
  private static let otherMarks: [([UInt8], String)] = [
    ([0xFF, 0xFE, 0x00, 0x00], "UTF-32"), ([0x00, 0x00, 0xFE, 0xFF], "UTF-32"),
    ([0xFF, 0xFE], "UTF-16"), ([0xFE, 0xFF], "UTF-16"),
  ]

  /// The first character that is not in YAML's `c-printable` (YAML 1.1 §5.1), or a byte order mark that is not
  /// at the beginning. The text is valid UTF-8, so bytes at fixed distances are there to be looked at.
  private func firstForbidden() -> (Range<Int>, UInt32)? {
    bytes.withUnsafeBufferPointer { bytes in
      var index = start
      while index < bytes.count {
        let byte = bytes[index]
        switch byte {
        case 0x20..<0x7F, 0x09, 0x0A, 0x0D: break
        case 0..<0x80: return (index..<index + 1, UInt32(byte))
        case 0xC2 where bytes[index + 1] < 0xA0 && bytes[index + 1] != 0x85:
          return (index..<index + 2, UInt32(bytes[index + 1]))
        case 0xEF where bytes[index + 1] == 0xBB && bytes[index + 2] == 0xBF:
          return (index..<index + 3, 0xFEFF)
        case 0xEF where bytes[index + 1] == 0xBF && bytes[index + 2] >= 0xBE:
          return (index..<index + 3, 0xFF40 + UInt32(bytes[index + 2]))
        default: break
        }
        index += 1
      }
      return nil
    }
  }
}
