import Bluetooth
import Digest
import Foundation

/// What this process knows of the world outside; read here and nowhere else.
enum HostEnvironment {
  /// The value of a variable, byte by byte; nil when it is not set.
  static func variable(_ name: String) -> [UInt8]? {
    guard let value = getenv(name) else { return nil }
    return (0..<strlen(value)).map { UInt8(bitPattern: value[$0]) }
  }

  /// Removes variables, so that no program that this process starts has them.
  static func forget(_ names: some Sequence<String>) {
    for name in names { unsetenv(name) }
  }

  /// Name of this host.
  static var hostName: String {
    let text = try? String(contentsOfFile: "/proc/sys/kernel/hostname", encoding: .utf8)
    let name = text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    return name.isEmpty ? "localhost" : name
  }

  /// This host's kernel: name, release and machine, as `uname -srm` has them.
  static var kernel: String? {
    func text(_ name: String) -> String? {
      let text = try? String(contentsOfFile: "/proc/sys/kernel/\(name)", encoding: .utf8)
      return text.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    guard let release = text("osrelease") else { return nil }
    return [text("ostype") ?? "Linux", release, text("arch")].compactMap(\.self).joined(separator: " ")
  }

  /// This host's operating system by os-release(5): `Debian GNU/Linux 12 (bookworm)`.
  static var operatingSystem: String? {
    let files = ["/etc/os-release", "/usr/lib/os-release"]
    let text = files.lazy.compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }.first
    let key = "PRETTY_NAME="
    let line = text?.split(separator: "\n").first { $0.hasPrefix(key) }
    return line.map { $0.dropFirst(key.count).trimmingCharacters(in: CharacterSet(charactersIn: "\"' ")) }
      .flatMap { $0.isEmpty ? nil : $0 }
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

  /// Whether the terminal can only take lines (`TERM=dumb`), or nobody looks at it (`CI`).
  static var hasPlainTerminal: Bool {
    let environment = ProcessInfo.processInfo.environment
    return environment["TERM"] == "dumb" || !(environment["CI"] ?? "").isEmpty
  }

  /// Whether the environment names a system bus of its own.
  static var systemBusAddress: String? {
    ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"]
  }

  /// Where this user's programs keep what they must remember (XDG Base Directory Specification), for this one.
  static var stateDirectory: String {
    (directory("XDG_STATE_HOME") ?? homeDirectory + "/.local/state") + "/roboprov"
  }

  /// Where this user's programs are configured (XDG Base Directory Specification), this one.
  static var configurationDirectory: String {
    (directory("XDG_CONFIG_HOME") ?? homeDirectory + "/.config") + "/roboprov"
  }

  /// The user's home directory. Not NSHomeDirectory, which asks the user database: whoever sets HOME means it.
  static var homeDirectory: String { directory("HOME") ?? NSHomeDirectory() }

  /// A directory that a variable names; nil where that is no full path.
  private static func directory(_ name: String) -> String? {
    text(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
  }

  /// The value of a variable as text; nil when it is not set, or empty.
  static func text(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// SHA-256 of bytes, lower-case hex.
  static func sha256(_ bytes: [UInt8]) -> String {
    SHA256(of: bytes).hex
  }
}
