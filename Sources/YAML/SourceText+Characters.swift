import Source

extension SourceText {
  /// Rejects files that are too large, broken UTF-8 and control characters, with their places. libyaml
  /// reports the last two at the position of its read buffer.
  func checkCharacters() throws(YAMLError) {
    guard bytes.count <= YAMLParser.maximumBytes else {
      throw YAMLError(.fileTooLarge(bytes: bytes.count), at: mark(at: start))
    }
    switch encodingProblem {
    case .other(let encoding)?: throw YAMLError(.otherEncoding(encoding), at: mark(at: start))
    case .invalid(let range)?: throw YAMLError(.notUTF8, in: range)
    case nil: break
    }
    if let (found, scalar) = firstForbidden() {
      throw YAMLError(.forbiddenCharacter(scalar), in: range(found))
    }
  }

  /// The first character outside YAML's `c-printable` (YAML 1.1 §5.1), or a byte order mark that is not at
  /// the start. The text is valid UTF-8, so the continuation bytes of a lead byte exist.
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
