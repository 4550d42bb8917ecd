import Application
import FoundationEssentials
import Glibc
import Host
import Reporting

/// The properties of the terminal behind a file descriptor.
struct Screen: Sendable {
  /// Whether the descriptor is a terminal.
  let isTerminal: Bool
  /// Whether to use colours.
  let hasColor: Bool
  private let descriptor: Int32

  /// The screen behind stderr, where progress goes.
  static var standardError: Screen { Screen(descriptor: STDERR_FILENO) }

  /// The screen behind stdout, where data goes.
  static var standardOutput: Screen { Screen(descriptor: STDOUT_FILENO) }

  /// Whether the operator can be asked: stdin and stderr are terminals.
  static var canAnswer: Bool {
    Surroundings.isTerminal(STDIN_FILENO) && Surroundings.isTerminal(STDERR_FILENO)
  }

  init(descriptor: Int32) {
    self.descriptor = descriptor
    isTerminal = Surroundings.isTerminal(descriptor)
    hasColor = Surroundings.hasColor(descriptor)
  }

  /// The present number of columns; 80 if unknown.
  var width: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// The present number of lines; 24 if unknown.
  var height: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
    return Int(size.ws_row)
  }

  /// The present style for output.
  var style: TerminalStyle { TerminalStyle(width: width, height: height, hasColor: hasColor) }

  /// Whether lines can be drawn over: a terminal that is not dumb, no build server, and no log on it.
  var canRedraw: Bool {
    isTerminal && !HostEnvironment.hasPlainTerminal && Preferences.current.logLevel == nil
  }
}
