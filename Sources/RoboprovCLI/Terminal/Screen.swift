import Foundation
import Reporting

/// What can be seen of the terminal behind a file descriptor.
struct Screen: Sendable {
  /// Whether there is one at all.
  let isTerminal: Bool
  /// Whether colours are welcome.
  let hasColor: Bool
  private let descriptor: Int32

  /// The screen behind stderr, where progress goes.
  static var standardError: Screen { Screen(descriptor: STDERR_FILENO) }

  /// The screen behind stdout, where data goes.
  static var standardOutput: Screen { Screen(descriptor: STDOUT_FILENO) }

  /// Whether a person can be asked and answer.
  static var canAnswer: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  init(descriptor: Int32) {
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
    hasColor = isTerminal && !HostEnvironment.wantsNoColor
  }

  /// Columns now; they change while the program runs.
  var width: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Lines now; 24 where nobody knows.
  var height: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
    return Int(size.ws_row)
  }

  /// How it is to be written to now.
  var style: TerminalStyle { TerminalStyle(width: width, height: height, hasColor: hasColor) }

  /// Whether lines can be drawn over: a terminal that is not dumb, and no build server.
  var canRedraw: Bool { isTerminal && !HostEnvironment.hasPlainTerminal }
}
