/// The parts of a file in the format of tar (POSIX.1-1988, ustar), whose files only their owner can read.
enum TarArchive {
  private static let block = 512

  /// What follows the last entry: two blocks of zeros.
  static let end = [UInt8](repeating: 0, count: 2 * block)

  /// A file in a folder.
  /// - Parameter modified: Seconds since 1970.
  /// - Returns: Nil if the folder has more than 155 bytes or the name more than 100, for which the format has no place.
  static func entry(_ name: String, in folder: String, _ bytes: [UInt8], modified: Int) -> [UInt8]? {
    guard folder.utf8.count <= 155, name.utf8.count <= 100 else { return nil }
    func field(_ text: String, _ width: Int) -> [UInt8] {
      Array(text.utf8) + [UInt8](repeating: 0, count: width - text.utf8.count)
    }
    func field(_ number: Int, _ width: Int) -> [UInt8] {
      let largest = 1 << (3 * (width - 1)) - 1
      let digits = String(min(max(0, number), largest), radix: 8)
      return field(String(repeating: "0", count: width - 1 - digits.count) + digits, width)
    }
    let owner = field(0, 8)
    let head =
      field(name, 100) + field(0o600, 8) + owner + owner + field(bytes.count, 12) + field(modified, 12)
    // A regular file without a link; magic and version; no names of owners, no device.
    let tail = field("0", 101) + field("ustar", 6) + field("00", 82) + field(folder, 167)
    // The checksum counts as eight spaces.
    let sum = (head + tail).reduce(8 * 0x20) { $0 + Int($1) }
    return head + field(sum, 7) + [UInt8(ascii: " ")] + tail + bytes
      + [UInt8](repeating: 0, count: (block - bytes.count % block) % block)
  }
}
