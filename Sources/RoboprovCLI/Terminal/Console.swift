import Foundation
import Reporting
import Synchronization

/// Where words go: data to stdout, everything else to stderr. Nothing below the command line prints.
///
/// All text for people leaves here, and nothing in it can make a terminal do anything, wherever it came from: what a terminal
/// would obey is spelt out, except line ends where there are several lines, and the colours of views.
enum Console {
  /// Data, for people or programs: any number of lines.
  static func data(_ text: String) { output(text.visibleLines) }

  /// Lines of a view; what is within a line stays there.
  static func data(lines: [String]) { output(lines.map { $0.visibleLine + "\n" }.joined()) }

  /// A line for the person at the terminal.
  static func say(_ line: String) { write(line.visible + "\n", to: STDERR_FILENO) }

  /// Lines of a view for the person at the terminal; what is within a line stays there.
  static func say(lines: [String]) {
    write(lines.map { $0.visibleLine + "\n" }.joined(), to: STDERR_FILENO)
  }

  /// A text of lines that are ended, for the person at the terminal.
  static func show(_ text: String) { write(text.visibleLines, to: STDERR_FILENO) }

  /// A question; what is answered stands behind it.
  static func ask(_ question: String) { write(question.visible, to: STDERR_FILENO) }

  /// An error, and what to do next; for programs as one line of JSON (`ErrorJSON`).
  static func fail(_ failure: CommandFailure, forPrograms: Bool = false) {
    show(forPrograms ? ErrorJSON.line(failure) + "\n" : "roboprov: error: " + failure.text + "\n")
  }

  /// Lines at a place of the terminal to which `control` leads, all in one write: nobody sees half of it.
  static func draw(_ lines: [String], after control: String, before end: String = "") {
    let text = lines.map { "\u{1B}[2K" + $0.visibleLine + "\n" }.joined()
    write(control + text + end, to: STDERR_FILENO)
  }

  /// Has the terminal make a sound.
  static func ring() { write("\u{07}", to: STDERR_FILENO) }

  // MARK: Writing

  private static let failure = Mutex<Int32?>(nil)

  /// Why not all data could be written to stdout; nil when it was, or its reader went away, as `head` does.
  static var outputFailure: CommandFailure? {
    guard let code = failure.withLock({ $0 }), code != EPIPE else { return nil }
    return CommandFailure(
      .record, "not all could be written to stdout: \(String(cString: strerror(code)))",
      cure: "What was written there is not whole.")
  }

  /// Whether what is written to stdout arrives nowhere any more.
  static var hasLostReader: Bool { failure.withLock { $0 != nil } }

  private static func output(_ text: String) {
    guard failure.withLock({ $0 }) == nil else { return }
    let code = write(text, to: STDOUT_FILENO)
    if code != 0 { failure.withLock { $0 = code } }
  }

  /// Writes all of it, in one call where the system takes it in one; waits where the other end is not ready.
  /// - Returns: 0, or the `errno` of the failure.
  @discardableResult
  private static func write(_ text: String, to descriptor: Int32) -> Int32 {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(1 << 20))
      let count = Foundation.write(descriptor, part, part.count)
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&wanted, 1, -1)
      default: return errno
      }
    }
    return 0
  }
}
