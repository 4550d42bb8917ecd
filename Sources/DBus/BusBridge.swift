import CLinux
import EventLoop
import Glibc

/// A bus behind a program that passes D-Bus between its stdin and stdout, such as `ssh host systemd-stdio-bridge`.
package struct BusBridge: Hashable, Sendable {
  /// Its name in messages: `ssh pi@gw3`.
  let title: String
  /// The program and its arguments; no shell reads them.
  let words: [String]

  package init(title: String, words: [String]) {
    (self.title, self.words) = (title, words)
  }

  fileprivate func failure(_ reason: String) -> DBusError {
    DBusError(kind: .cannotConnect, name: DBusError.prefix + "NoServer", message: "\(title): \(reason)")
  }

  fileprivate func failure(_ error: Int32) -> DBusError { failure(String(cString: strerror(error))) }
}

/// A socket to which libdbus connects for a bus behind a program, because it takes no open descriptor.
struct BridgeSocket: ~Copyable {
  private let listener: Int32
  /// Its address in D-Bus's notation.
  let address: String

  /// - Throws: `cannotConnect`.
  init(_ bridge: BusBridge) throws(DBusError) {
    var name = [CChar](repeating: 0, count: 6)
    listener = clinux_listen_here(&name)
    address =
      "unix:abstract="
      + String(decoding: name.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    guard listener >= 0 else { throw bridge.failure(errno) }
  }

  deinit { close(listener) }

  /// Starts the program at the other end of the connection that was made.
  /// - Throws: `cannotConnect`.
  func start(_ bridge: BusBridge) throws(DBusError) -> BridgeProgram {
    let stream = clinux_accept_own(listener)
    guard stream >= 0 else { throw bridge.failure(errno) }
    defer { close(stream) }
    return try BridgeProgram(bridge, stream)
  }
}

/// The program of a connection, with what it writes to stderr. libdbus could start it, but tells neither its process id nor
/// waits for its end.
final class BridgeProgram: Sendable {
  /// The maximum number of bytes that it may write to stderr, because the other side chooses that.
  private static let mostErrors = 64 << 10

  private let bridge: BusBridge
  private let id: pid_t
  /// A file in memory for its stderr.
  private let errors: Int32

  /// - Throws: `cannotConnect`, also if it cannot be executed.
  fileprivate init(_ bridge: BusBridge, _ stream: Int32) throws(DBusError) {
    self.bridge = bridge
    errors = clinux_memory_file()
    guard errors >= 0 else { throw bridge.failure(errno) }
    let words = bridge.words.flatMap { Array($0.utf8CString) }
    id = clinux_bridge_start(words, words.count, stream, errors, Self.mostErrors)
    guard id < 0 else { return }
    let reason = errno
    close(errors)
    throw reason == ENOENT
      ? bridge.failure("\(bridge.words.first ?? "") is not installed") : bridge.failure(reason)
  }

  /// Why the connection failed: what it wrote to stderr.
  var failure: DBusError {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = max(0, pread(errors, &bytes, bytes.count, 0))
    // ssh frames its warning of another host key with @.
    let words = String(decoding: bytes.prefix(count), as: UTF8.self).split(whereSeparator: \.isWhitespace)
      .filter { !$0.allSatisfy { $0 == "@" } }
    let text = words.joined(separator: " ")
    return bridge.failure(text.isEmpty ? "it ended, or printed something that is not D-Bus" : text)
  }

  /// Ends the program and waits for its end, elsewhere. Its connection is closed; call it once.
  func end() {
    onThreadOfItsOwn { [id, errors] in
      defer { close(errors) }
      // It ends by itself when its stdin is closed, unless the network is gone.
      for signal in [0, SIGTERM, SIGKILL] {
        if signal != 0 { kill(id, signal) }
        for _ in 0..<50 {
          let ended = waitpid(id, nil, WNOHANG)
          if ended == id || ended < 0 && errno == ECHILD { return }
          poll(nil, 0, 20)
        }
      }
    }
  }
}
