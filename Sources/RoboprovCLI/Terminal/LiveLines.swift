import Reporting

/// Lines of a terminal that are drawn over in place, on stderr. One at a time has the screen.
struct LiveLines {
  private var drawn: [String] = []

  /// Draws the lines over the last ones, in one write: nobody sees half of it. What is the same is not drawn again.
  /// - Parameter bell: Whether the terminal's bell sounds.
  mutating func draw(_ lines: [String], bell: Bool = false) {
    guard bell || lines != drawn else { return }
    // Each line is erased as it is written, and not before: nothing blinks.
    Console.draw(lines, after: "\u{1B}[?2026h" + up, before: "\u{1B}[J\u{1B}[?2026l" + (bell ? "\u{7}" : ""))
    drawn = lines
  }

  /// Takes the lines away.
  mutating func erase() {
    guard !drawn.isEmpty else { return }
    Console.draw([], after: up + "\u{1B}[J")
    drawn = []
  }

  private var up: String { drawn.isEmpty ? "" : "\u{1B}[\(drawn.count)F" }
}
