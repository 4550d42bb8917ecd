import CDBus
import Glibc

/// The private directory of a `DBusDaemon` and its files.
struct DaemonFiles: Sendable {
  private let directory: String
  private let socket: String
  let configuration: String
  /// The file for the daemon's error output.
  let errors: String

  /// Creates the directory (mode 0700) and writes the configuration.
  init(in parent: String) throws(DBusDaemonError) {
    var template = Array((parent + "/roboprov-bus-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .noDirectory(path: parent, reason: String(cString: strerror(errno)))
    }
    directory = String(decoding: template.dropLast().map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    socket = directory + "/bus"
    configuration = directory + "/bus.conf"
    errors = directory + "/stderr"
    // sun_path has 108 bytes; the last one is NUL.
    guard socket.utf8.count <= 107 else {
      remove()
      throw .noDirectory(path: parent, reason: "the path of a socket in it would be too long")
    }
    try writeConfiguration()
  }

  /// Creates the directory again, after `remove`.
  func makeAgain() throws(DBusDaemonError) {
    guard mkdir(directory, 0o700) == 0 else {
      throw .noDirectory(path: directory, reason: String(cString: strerror(errno)))
    }
    try writeConfiguration()
  }

  private func writeConfiguration() throws(DBusDaemonError) {
    guard write(configurationText(), to: configuration) else {
      let reason = String(cString: strerror(errno))
      remove()
      throw .noDirectory(path: directory, reason: reason)
    }
  }

  /// Removes the directory; only known files in it are removed.
  func remove() {
    for file in [socket, configuration, errors] { unlink(file) }
    rmdir(directory)
  }

  /// The beginning of the daemon's error output.
  func errorText() -> String {
    let descriptor = open(errors, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &bytes, bytes.count)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).joined(separator: "; ")
  }

  private func write(_ text: String, to path: String) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    return Glibc.write(descriptor, bytes, bytes.count) == bytes.count
  }

  /// The limits of the session bus as Debian installs it; the defaults allow only 128 pending calls.
  private func configurationText() -> String {
    let address = "unix:path=" + addressEscaped(socket)
    let limits = [
      ("max_incoming_bytes", 1_000_000_000), ("max_outgoing_bytes", 1_000_000_000),
      ("max_message_size", 1_000_000_000), ("max_completed_connections", 100_000),
      ("max_connections_per_user", 100_000), ("max_names_per_connection", 50_000),
      ("max_match_rules_per_connection", 50_000), ("max_replies_per_connection", 50_000),
    ]
    return """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <listen>\(xmlEscaped(address))</listen>
        <auth>EXTERNAL</auth>
        <policy context="default">
          <allow user="*"/>
          <allow own="*"/>
          <allow send_destination="*" eavesdrop="true"/>
          <allow eavesdrop="true"/>
        </policy>
      \(limits.map { "  <limit name=\"\($0.0)\">\($0.1)</limit>" }.joined(separator: "\n"))
      </busconfig>

      """
  }

  private func addressEscaped(_ text: String) -> String {
    guard let escaped = dbus_address_escape_value(text) else { return text }
    defer { dbus_free(escaped) }
    return String(cString: escaped)
  }

  private func xmlEscaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
