import CQREncode

/// A QR code (ISO/IEC 18004) with its quiet zone, by libqrencode.
package struct QRCode: Hashable, Sendable {
  /// The width of the quiet zone, in modules (ISO/IEC 18004, 6.3.8).
  package static let quietZone = 4

  /// The number of modules on a side, with the quiet zone.
  package let side: Int
  /// A byte for each module, row by row, of which bit 0 is set where it is dark; without the quiet zone.
  private let modules: [UInt8]

  /// The smallest code of a text, of which 15 % may be damaged. Nil for a text of more than 2,331 bytes, or an empty one.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty, bytes.count <= 2331 else { return nil }
    let longest = Int(cqrencode_longest_side)
    var modules = [UInt8](repeating: 0, count: longest * longest)
    let width = Int(cqrencode_symbol(bytes, Int32(bytes.count), &modules))
    guard width > 0 else { return nil }
    side = width + 2 * Self.quietZone
    self.modules = Array(modules.prefix(width * width))
  }

  /// Whether the module in a column and row is dark; the quiet zone, and what is beyond, is light.
  package subscript(column: Int, row: Int) -> Bool {
    let width = side - 2 * Self.quietZone
    let (x, y) = (column - Self.quietZone, row - Self.quietZone)
    guard (0..<width).contains(x), (0..<width).contains(y) else { return false }
    return modules[y * width + x] & 1 == 1
  }

  /// The dark modules as data of an SVG path in `viewBox="0 0 side side"`, on a light ground.
  package var path: String {
    var path = ""
    for row in 0..<side {
      var column = 0
      while column < side {
        var end = column
        while self[end, row] { end += 1 }
        if end > column { path += "M\(column) \(row)h\(end - column)v1h-\(end - column)z" }
        column = end + 1
      }
    }
    return path
  }

  /// The code in lines of half blocks, two rows of modules in each.
  /// - Parameter hasColor: Whether the terminal shows colours: dark is then black and light is white, whatever its own
  ///   colours are. Otherwise light modules have the colour of text, which is right on a dark ground; on a light one the
  ///   code is inverted, which most readers accept.
  package func lines(hasColor: Bool) -> [String] {
    stride(from: 0, to: side, by: 2).map { row in
      let line = (0..<side).map { column in
        // The last line may have one row only; below it is the ground of the terminal.
        let (upper, lower) = (!self[column, row], row + 1 < side && !self[column, row + 1])
        return upper ? (lower ? "█" : "▀") : (lower ? "▄" : " ")
      }.joined()
      // Foreground 231 and background 16 of 256 colours do not depend on the terminal's theme.
      return hasColor ? "\u{1B}[38;5;231;48;5;16m\(line)\u{1B}[0m" : line
    }
  }
}
