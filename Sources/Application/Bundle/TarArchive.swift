/// Files in the format of tar (POSIX.1-1988, ustar) that only their owner can read.
struct TarArchive {
  private var content: [UInt8] = []
  /// Seconds since 1970, for all files.
  private let modified: Int

  init(modified: Int) { self.modified = modified }

  private static let block = 512

  /// The archive's bytes, which end with two blocks of zeros.
  var bytes: [UInt8] { content + [UInt8](repeating: 0, count: 2 * Self.block) }

  /// Adds a file in a folder.
  /// - Returns: False if the folder has more than 155 bytes or the name more than 100, for which the format has no place.
  mutating func add(_ name: String, in folder: String, _ bytes: [UInt8]) -> Bool {
    guard folder.utf8.count <= 155, name.utf8.count <= 100 else { return false }
    func field(_ text: String, _ width: Int) -> [UInt8] {
      Array(text.utf8) + [UInt8](repeating: 0, count: width - text.utf8.count)
    }
    func field(_ number: Int, _ width: Int) -> [UInt8] {
      let digits = String(number, radix: 8)
      return field(String(repeating: "0", count: max(0, width - 1 - digits.count)) + digits, width)
    }
    let owner = field(0, 8)
    let head =
      field(name, 100) + field(0o600, 8) + owner + owner + field(bytes.count, 12) + field(modified, 12)
    // A regular file without a link; magic and version; no names of owners, no device.
    let tail = field("0", 101) + field("ustar", 6) + field("00", 82) + field(folder, 167)
    // The checksum counts as eight spaces.
    let sum = (head + tail).reduce(8 * 0x20) { $0 + Int($1) }
    content += head + field(sum, 7) + [UInt8(ascii: " ")] + tail + bytes
    content += [UInt8](repeating: 0, count: (Self.block - bytes.count % Self.block) % Self.block)
    return true
  }
}
