import Digest
import FoundationEssentials
import Glibc

/// The environment of the command: of this process, or of its `Surroundings`. No other file reads it.
package enum HostEnvironment {
  /// The bytes of a variable; nil if it is not set.
  package static func variable(_ name: String) -> [UInt8]? {
    if let surroundings = Surroundings.current { return surroundings.variables[name].map { Array($0.utf8) } }
    guard let value = getenv(name) else { return nil }
    return (0..<strlen(value)).map { UInt8(truncatingIfNeeded: value[$0]) }
  }

  /// Removes variables, so that child processes do not inherit them.
  package static func forget(_ names: some Sequence<String>) {
    guard Surroundings.current == nil else { return }
    for name in names { unsetenv(name) }
  }

  private static var variables: [String: String] {
    Surroundings.current?.variables ?? ProcessInfo.processInfo.environment
  }

  package static var hostName: String {
    if let computer = Surroundings.current?.computer { return computer.name }
    let text = try? String(contentsOfFile: "/proc/sys/kernel/hostname", encoding: .utf8)
    let name = text?.trimmed ?? ""
    return name.isEmpty ? "localhost" : name
  }

  /// The kernel's name, release and machine, as `uname -srm` prints them.
  package static var kernel: String? {
    if let computer = Surroundings.current?.computer { return "kernel of \(computer.name)" }
    func text(_ name: String) -> String? {
      let text = try? String(contentsOfFile: "/proc/sys/kernel/\(name)", encoding: .utf8)
      return text.map { $0.trimmed }.flatMap { $0.isEmpty ? nil : $0 }
    }
    guard let release = text("osrelease") else { return nil }
    return [text("ostype") ?? "Linux", release, text("arch")].compactMap(\.self).joined(separator: " ")
  }

  /// The operating system by os-release(5): `Debian GNU/Linux 12 (bookworm)`.
  package static var operatingSystem: String? {
    if let computer = Surroundings.current?.computer { return "system of \(computer.name)" }
    let files = ["/etc/os-release", "/usr/lib/os-release"]
    let text = files.lazy.compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }.first
    let key = "PRETTY_NAME="
    let line = text?.split(separator: "\n").first { $0.hasPrefix(key) }
    return line.map { $0.dropFirst(key.count).trimming { "\"' ".contains($0) } }
      .flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The login name; nil if the environment has none.
  package static var userName: String? {
    let environment = variables
    return [environment["SUDO_USER"], environment["USER"], environment["LOGNAME"]].compactMap(\.self)
      .first { !$0.isEmpty }
  }

  /// Whether the environment asks for no colour (no-color.org).
  package static var wantsNoColor: Bool {
    !(variables["NO_COLOR"] ?? "").isEmpty
      || variables["TERM"] == "dumb"
  }

  /// Whether lines cannot be redrawn: the terminal has no cursor control (`TERM=dumb`), or a build server
  /// runs the program (`CI`).
  package static var hasPlainTerminal: Bool {
    let environment = variables
    return environment["TERM"] == "dumb" || !(environment["CI"] ?? "").isEmpty
  }

  /// The system bus that the environment names; nil for the usual one.
  package static var systemBusAddress: String? {
    text("DBUS_SYSTEM_BUS_ADDRESS")
  }

  /// The directory for roboprov's state (XDG Base Directory Specification).
  package static var stateDirectory: String {
    (directory("XDG_STATE_HOME") ?? homeDirectory + "/.local/state") + "/roboprov"
  }

  /// The user's home directory: HOME, or else the user database's.
  package static var homeDirectory: String {
    directory("HOME") ?? FileManager.default.homeDirectoryForCurrentUser.path
  }

  /// The directory in a variable; nil unless it is an absolute path.
  private static func directory(_ name: String) -> String? {
    text(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
  }

  /// The text of a variable; nil if it is not set or empty.
  package static func text(_ name: String) -> String? {
    variables[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// SHA-256 of bytes, lower-case hex.
  package static func sha256(_ bytes: [UInt8]) -> String {
    SHA256(of: bytes).hex
  }
}
