import CDBus
import EventLoop
import Glibc

/// A bus behind a program that passes D-Bus between its stdin and stdout, such as `ssh host systemd-stdio-bridge`.
package struct BusBridge: Hashable, Sendable {
  /// Its name in messages: `ssh pi@gw3`.
  let title: String
  /// The program and its arguments; no shell reads them.
  let words: [String]
  /// The directory of a file for its stderr while it starts.
  let temporary: String

  package init(title: String, words: [String], temporary: String) {
    (self.title, self.words, self.temporary) = (title, words, temporary)
  }
}

/// The program of a connection, its stderr and its end. libdbus starts it, but neither reports its process id nor waits for
/// its end.
///
/// `@unchecked Sendable`: nothing in it changes, except that one call of `end` closes the descriptor.
final class BridgeProgram: @unchecked Sendable {
  private let title: String
  private let errors: Int32
  private let path: String
  /// The D-Bus address that starts it.
  let address: String

  /// Notes its process id, starts the program in a session of its own, so that Ctrl-C does not end it before this process
  /// has ended its links, and bounds what it writes to stderr (64 KiB), because the other side chooses that.
  private static let script =
    "exec 2>\"$1\" && echo $$ >&2 && shift && ulimit -f 128 && exec setsid \"$@\""

  /// - Throws: `cannotConnect` without a file for its stderr.
  init(_ bridge: BusBridge) throws(DBusError) {
    var template = Array((bridge.temporary + "/roboprov-bridge-XXXXXX").utf8CString)
    errors = mkstemp(&template)
    guard errors >= 0 else {
      throw DBusError(
        kind: .cannotConnect, name: DBusError.prefix + "FileNotFound",
        message: "no file in \(bridge.temporary): \(String(cString: strerror(errno)))")
    }
    _ = fcntl(errors, F_SETFD, FD_CLOEXEC)
    title = bridge.title
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let arguments = ["-c", Self.script, "sh", path] + bridge.words
    address =
      "unixexec:path=sh,argv0=sh,"
      + arguments.enumerated().map { "argv\($0 + 1)=\(Self.escaped($1))" }.joined(separator: ",")
  }

  private static func escaped(_ text: String) -> String {
    guard let escaped = dbus_address_escape_value(text) else { return text }
    defer { dbus_free(escaped) }
    return String(cString: escaped)
  }

  /// The program has opened its file, or never will.
  func hasStarted() { unlink(path) }

  /// What it wrote to stderr: its process id, and a text.
  private var written: (id: pid_t?, words: String) {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = max(0, pread(errors, &bytes, bytes.count, 0))
    let lines = String(decoding: bytes.prefix(count), as: UTF8.self).split(
      maxSplits: 1, whereSeparator: \.isNewline)
    // ssh frames its warning of another host key with @.
    let words = lines.dropFirst().joined().split(whereSeparator: \.isWhitespace).filter {
      !$0.allSatisfy { $0 == "@" }
    }
    return (lines.first.flatMap { pid_t($0) }, words.joined(separator: " "))
  }

  /// The error of a connection that failed, with what the program wrote.
  func explained(_ error: DBusError) -> DBusError {
    var words = written.words
    if words.isEmpty {
      words = "it ended, or printed something that is not D-Bus"
    } else if words.contains("failed to execute \(title.prefix { $0 != " " }):") {
      words = "\(title.prefix { $0 != " " }) is not installed"
    }
    return DBusError(
      kind: .cannotConnect, name: DBusError.prefix + "NoServer", message: "\(title): \(words)")
  }

  /// Ends the program and waits for its end, elsewhere. Its connection is closed.
  func end() {
    guard let id = written.id else {
      close(errors)
      return
    }
    let errors = errors
    onThreadOfItsOwn {
      // It ends by itself when its stdin is closed, unless the network is gone.
      for signal in [0, SIGTERM, SIGKILL] {
        if signal != 0 { kill(id, signal) }
        for _ in 0..<50 {
          let ended = waitpid(id, nil, WNOHANG)
          if ended == id || ended < 0 && errno == ECHILD {
            close(errors)
            return
          }
          poll(nil, 0, 20)
        }
      }
      close(errors)
    }
  }
}
