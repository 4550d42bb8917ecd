import CLinux
@preconcurrency import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// Reads single keys from the terminal, without Enter and without echo. Ctrl-C and Ctrl-Z remain signals. The
/// terminal settings are restored however the program ends.
final class KeyReader: Sendable {
  private struct State {
    var source: (any DispatchSourceRead)?
    var continued: (any DispatchSourceSignal)?
  }

  private let state = Mutex(State())
  private let pressed: @Sendable (UInt8) -> Void

  /// - Parameter pressed: Receives each byte, on a private queue.
  init(pressed: @escaping @Sendable (UInt8) -> Void) {
    self.pressed = pressed
  }

  /// Whether the program is the foreground job of a terminal. A background job must not change the terminal.
  static var isPossible: Bool {
    Screen.canAnswer && tcgetpgrp(STDIN_FILENO) == getpgrp()
  }

  /// Starts to read keys. Does nothing if that is not possible.
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
    // While the program was stopped (Ctrl-Z, fg), a shell may have changed the terminal settings.
    let continued = DispatchSource.makeSignalSource(signal: SIGCONT, queue: queue)
    continued.setEventHandler { @Sendable in
      if Self.isPossible { _ = clinux_begin_keys(STDIN_FILENO) }
    }
    state.withLock { $0 = State(source: source, continued: continued) }
    source.resume()
    continued.resume()
  }

  /// Stops reading keys, and restores the terminal settings.
  func end() {
    state.withLock { state in
      state.source?.cancel()
      state.continued?.cancel()
      state = State()
    }
    clinux_end_keys()
  }
}
