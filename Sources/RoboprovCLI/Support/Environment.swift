import Bluetooth
import Digest
import Foundation

/// What this process knows of the world outside; read here and nowhere else.
enum HostEnvironment {
  /// Name of this host.
  static var hostName: String {
    let text = try? String(contentsOfFile: "/proc/sys/kernel/hostname", encoding: .utf8)
    let name = text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    return name.isEmpty ? "localhost" : name
  }

  /// Login name of the user; nil when the environment does not say.
  static var userName: String? {
    let environment = ProcessInfo.processInfo.environment
    return [environment["SUDO_USER"], environment["USER"], environment["LOGNAME"]].compactMap(\.self)
      .first { !$0.isEmpty }
  }

  /// Whether the environment asks for no colour (no-color.org).
  static var wantsNoColor: Bool {
    !(ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
      || ProcessInfo.processInfo.environment["TERM"] == "dumb"
  }

  /// Whether the environment names a system bus of its own.
  static var systemBusAddress: String? {
    ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"]
  }

  /// Where this user's programs keep what they must remember (XDG Base Directory Specification), for this one.
  static var stateDirectory: String {
    let environment = ProcessInfo.processInfo.environment
    let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    return (state ?? NSHomeDirectory() + "/.local/state") + "/roboprov"
  }

  /// SHA-256 of bytes, lower-case hex.
  static func sha256(_ bytes: [UInt8]) -> String {
    SHA256(of: bytes).hex
  }
}
