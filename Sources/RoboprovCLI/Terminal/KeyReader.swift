import CLinux
@preconcurrency import Dispatch
import Foundation
import Synchronization

/// Takes single keys from the person at the terminal while the program goes on: without Enter, and without showing them.
/// Ctrl-C and Ctrl-Z stay signals. However the program ends, the terminal is as it was before.
final class KeyReader: Sendable {
  private struct State {
    var source: (any DispatchSourceRead)?
    var continued: (any DispatchSourceSignal)?
  }

  private let state = Mutex(State())
  private let pressed: @Sendable (UInt8) -> Void

  /// - Parameter pressed: Told each byte, on a queue of its own.
  init(pressed: @escaping @Sendable (UInt8) -> Void) {
    self.pressed = pressed
  }

  /// Whether there is a keyboard, and this program has it: a job in the background must not touch the terminal.
  static var isPossible: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp()
  }

  /// Takes keys from now on. Does nothing where that is not possible.
  func begin() {
    guard Self.isPossible, clinux_begin_keys(STDIN_FILENO) == 0 else { return }
    let queue = DispatchQueue(label: "keys")
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
    source.setEventHandler { @Sendable [pressed] in
      guard Self.isPossible else { return }
      var bytes = [UInt8](repeating: 0, count: 64)
      let count = read(STDIN_FILENO, &bytes, bytes.count)
      if count <= 0 { return source.cancel() }
      for byte in bytes.prefix(count) { pressed(byte) }
    }
    // A shell may have changed the terminal while the program was stopped (Ctrl-Z, fg).
    let continued = DispatchSource.makeSignalSource(signal: SIGCONT, queue: queue)
    continued.setEventHandler { @Sendable in
      if Self.isPossible { _ = clinux_begin_keys(STDIN_FILENO) }
    }
    state.withLock { $0 = State(source: source, continued: continued) }
    source.resume()
    continued.resume()
  }

  /// Takes none any more, and makes the terminal as it was.
  func end() {
    state.withLock { state in
      state.source?.cancel()
      state.continued?.cancel()
      state = State()
    }
    clinux_end_keys()
  }
}
