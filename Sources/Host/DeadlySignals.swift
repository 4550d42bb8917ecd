import FoundationEssentials
import Glibc

/// Signals that end the process by default although a system call also returns an error: a closed pipe
/// (`roboprov apply … | head`) and a limit on file sizes. They must not end a run during a GATT session.
package enum DeadlySignals {
  /// Installs empty handlers. `SIG_IGN` would be inherited by child processes.
  package static func becomeErrors() {
    for number in [SIGPIPE, SIGXFSZ] { signal(number) { _ in } }
  }
}
