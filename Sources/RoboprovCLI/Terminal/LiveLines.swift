import Reporting

/// Lines on stderr that are redrawn in place, below lines that stay. Only one instance uses the screen at a
/// time.
struct LiveLines {
  private var drawn: [String] = []
  private var width = 0

  /// Redraws the lines in one write, so that no partial state is visible. Unchanged lines are not drawn
  /// again.
  /// - Parameters:
  ///   - stay: Lines that stay, above the others.
  ///   - width: The present number of columns.
  ///   - bell: Whether to sound the terminal's bell.
  mutating func draw(_ lines: [String], above stay: [String] = [], width: Int, bell: Bool = false) {
    guard bell || !stay.isEmpty || lines != drawn || width != self.width else { return }
    // Each line is erased only when it is written, which avoids flicker.
    Console.draw(
      stay + lines, after: "\u{1B}[?2026h" + up(in: width),
      before: "\u{1B}[J\u{1B}[?2026l" + (bell ? "\u{7}" : ""))
    (drawn, self.width) = (lines, width)
  }

  /// Erases the lines.
  mutating func erase(width: Int) {
    guard !drawn.isEmpty else { return }
    Console.draw([], after: up(in: width) + "\u{1B}[J")
    drawn = []
  }

  /// Moves the cursor to the first line. A terminal that has become narrower shows a line on several rows.
  private func up(in width: Int) -> String {
    let rows = drawn.reduce(0) { $0 + max(1, ($1.columnsWithoutTones + width - 1) / max(1, width)) }
    return rows > 0 ? "\u{1B}[\(rows)F" : ""
  }
}
