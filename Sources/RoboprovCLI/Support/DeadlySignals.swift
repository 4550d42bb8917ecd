import Foundation

/// Signals by which the system would end the process where a call also returns an error: a reader that has gone
/// away (`roboprov apply … | head`) or a limit on the size of files must not end a run with a sensor in hand.
enum DeadlySignals {
  /// Leaves it to the errors of the calls. They are caught by nothing, not ignored: children would inherit that.
  static func becomeErrors() {
    for number in [SIGPIPE, SIGXFSZ] { signal(number) { _ in } }
  }
}
