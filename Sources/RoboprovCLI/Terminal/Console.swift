import Application
import Host
import Model
import QRCode
import Reporting
import FoundationEssentials
import Glibc
import Synchronization

/// Writes data to stdout and everything else to stderr.
///
/// Text from outside cannot control the terminal: control characters are escaped, except line ends in
/// multi-line text and the colours of views.
enum Console {
  /// Writes data to stdout, with any number of lines.
  static func data(_ text: String) { output(text.visibleLines) }

  /// Writes lines of a view to stdout. A line end inside a line is escaped.
  static func data(lines: [String]) { output(lines.map { $0.visibleLine + "\n" }.joined()) }

  /// Writes a line to stderr.
  static func say(_ line: String) { Messages.say(line) }

  /// Writes lines of a view to stderr. A line end inside a line is escaped.
  static func say(lines: [String]) { Messages.say(lines: lines) }

  /// Writes text with terminated lines to stderr.
  static func show(_ text: String) { Surroundings.write(text.visibleLines, to: STDERR_FILENO) }

  /// Shows a QR code on stderr.
  static func show(_ code: QRCode) {
    let lines = code.lines(hasColor: Surroundings.hasColor(STDERR_FILENO))
    Surroundings.write(lines.map { $0 + "\n" }.joined(), to: STDERR_FILENO)
  }

  /// Writes a question without a line end to stderr.
  static func ask(_ question: String) { Surroundings.write(question.visible, to: STDERR_FILENO) }

  /// Writes a question in place of the present line.
  static func askAgain(_ question: String) {
    Surroundings.write("\r\u{1B}[K" + question.visible, to: STDERR_FILENO)
  }

  /// Writes an error and its advice to stderr; for programs as one line of JSON (`ErrorJSON`).
  static func fail(_ failure: CommandFailure, forPrograms: Bool = false) {
    show(forPrograms ? ErrorJSON.line(failure) + "\n" : "roboprov: error: " + failure.text + "\n")
  }

  /// Draws lines at the position that `control` selects, in one write, so that no partial state is visible.
  static func draw(_ lines: [String], after control: String, before end: String = "") {
    let text = lines.map { "\u{1B}[2K" + $0.visibleLine + "\n" }.joined()
    Surroundings.write(control + text + end, to: STDERR_FILENO)
  }

  /// Sounds the terminal's bell.
  static func ring() { Surroundings.write("\u{07}", to: STDERR_FILENO) }

  // MARK: Writing

  private static let failure = Mutex<Int32?>(nil)

  /// The failure to write to stdout; nil if there was none, or the reader closed the pipe, as `head` does.
  static var outputFailure: CommandFailure? {
    guard let code = failure.withLock({ $0 }), code != EPIPE else { return nil }
    return CommandFailure(
      .record, "writing to stdout failed: \(String(cString: strerror(code)))",
      advice: "The output is incomplete. Free some space or choose another file, and run the command again.")
  }

  /// Whether writes to stdout have failed, or the next one will because the reader closed the pipe.
  static var hasLostReader: Bool {
    guard failure.withLock({ $0 }) == nil else { return true }
    var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    return Surroundings.current == nil && poll(&output, 1, 0) > 0 && output.revents & Int16(POLLERR) != 0
  }

  private static func output(_ text: String) {
    guard failure.withLock({ $0 }) == nil else { return }
    let code = Surroundings.write(text, to: STDOUT_FILENO)
    if code != 0 { failure.withLock { $0 = code } }
  }
}
