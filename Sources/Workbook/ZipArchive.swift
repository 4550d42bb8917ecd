import CZlib

/// The entries of a ZIP archive (APPNOTE.TXT 6.3.3: stored or deflated, without encryption, up to 4 GiB).
struct ZipArchive {
  /// Maximum size of an unpacked entry in bytes. No allowed table needs more.
  static let maximumBytes = 128 << 20
  /// Deflate packs no more than 1032 bytes into one.
  private static let bestRatio = 1032

  private struct Entry {
    var method: Int
    var crc: Int
    var packedSize: Int
    var size: Int
    var offset: Int
    var isEncrypted: Bool
  }

  private let bytes: [UInt8]
  private var entries: [String: Entry] = [:]

  /// Reads the central directory.
  init(_ bytes: [UInt8]) throws(WorkbookProblem) {
    self.bytes = bytes
    // The end record has 22 bytes and a comment of up to 64 KiB.
    let starts = stride(from: bytes.count - 22, through: max(0, bytes.count - 22 - 0xFFFF), by: -1)
    guard let end = starts.first(where: { number($0, 4) == 0x0605_4B50 }), let count = number(end + 10, 2),
      var offset = number(end + 16, 4)
    else { throw .damaged }
    for _ in 0..<count {
      guard number(offset, 4) == 0x0201_4B50, let flags = number(offset + 8, 2),
        let method = number(offset + 10, 2), let crc = number(offset + 16, 4),
        let packedSize = number(offset + 20, 4), let size = number(offset + 24, 4),
        let nameLength = number(offset + 28, 2), let extraLength = number(offset + 30, 2),
        let commentLength = number(offset + 32, 2), let local = number(offset + 42, 4),
        offset + 46 + nameLength <= bytes.count
      else { throw .damaged }
      let name = String(decoding: bytes[offset + 46..<offset + 46 + nameLength], as: UTF8.self)
      entries[name] = Entry(
        method: method, crc: crc, packedSize: packedSize, size: size, offset: local,
        isEncrypted: flags & 1 != 0)
      offset += 46 + nameLength + extraLength + commentLength
    }
  }

  func has(_ name: String) -> Bool { entries[name] != nil }

  /// The unpacked bytes of an entry.
  func contents(of name: String) throws(WorkbookProblem) -> [UInt8] {
    guard let entry = entries[name] else { throw .damaged }
    guard !entry.isEncrypted else { throw .oldOrProtected }
    guard entry.size <= Self.maximumBytes else { throw .tooLarge }
    guard number(entry.offset, 4) == 0x0403_4B50, let nameLength = number(entry.offset + 26, 2),
      let extraLength = number(entry.offset + 28, 2)
    else { throw .damaged }
    let start = entry.offset + 30 + nameLength + extraLength
    guard start + entry.packedSize <= bytes.count, entry.size <= entry.packedSize * Self.bestRatio
    else { throw .damaged }
    let packed = bytes[start..<start + entry.packedSize]
    switch entry.method {
    case 0 where entry.size == entry.packedSize: return Array(packed)
    case 8:
      var unpacked = [UInt8](repeating: 0, count: entry.size)
      // zlib keeps no address after the call, and writes at most the given number of bytes.
      let isWhole = packed.withUnsafeBufferPointer { packed in
        unpacked.withUnsafeMutableBufferPointer { unpacked in
          czlib_inflate(
            packed.baseAddress, UInt32(packed.count), unpacked.baseAddress, UInt32(unpacked.count),
            UInt(entry.crc))
        }
      }
      guard isWhole == 1 else { throw .damaged }
      return unpacked
    default: throw .damaged
    }
  }

  /// A number of this many bytes, little-endian; nil beyond the end.
  private func number(_ offset: Int, _ count: Int) -> Int? {
    guard offset >= 0, offset + count <= bytes.count else { return nil }
    return bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
