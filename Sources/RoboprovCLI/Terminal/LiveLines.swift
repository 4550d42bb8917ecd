import Reporting

/// Lines of a terminal that are drawn over in place, on stderr, with lines that stay above them. One at a time has the screen.
struct LiveLines {
  private var drawn: [String] = []
  private var width = 0

  /// Draws the lines over the last ones, in one write: nobody sees half of it. What is the same is not drawn again.
  /// - Parameters:
  ///   - stay: Lines that stay, above them.
  ///   - width: Columns of the terminal now.
  ///   - bell: Whether the terminal's bell sounds.
  mutating func draw(_ lines: [String], above stay: [String] = [], width: Int, bell: Bool = false) {
    guard bell || !stay.isEmpty || lines != drawn || width != self.width else { return }
    // Each line is erased as it is written, and not before: nothing blinks.
    Console.draw(
      stay + lines, after: "\u{1B}[?2026h" + up(in: width),
      before: "\u{1B}[J\u{1B}[?2026l" + (bell ? "\u{7}" : ""))
    (drawn, self.width) = (lines, width)
  }

  /// Takes the lines away.
  mutating func erase(width: Int) {
    guard !drawn.isEmpty else { return }
    Console.draw([], after: up(in: width) + "\u{1B}[J")
    drawn = []
  }

  /// To the first line. A terminal that has become narrower has broken its lines into several.
  private func up(in width: Int) -> String {
    let rows = drawn.reduce(0) { $0 + max(1, ($1.columnsWithoutTones + width - 1) / max(1, width)) }
    return rows > 0 ? "\u{1B}[\(rows)F" : ""
  }
}
