import Application
import DBus
import Host

/// The lines of `roboprov --version`: the versions of the program and of its libraries and services.
enum VersionText {
  /// - Parameters:
  ///   - commit: The commit of the build, with a final `+` if tracked files differ from it; `unknown` without
  ///     git.
  ///   - bluez: The installed version of BlueZ; nil if there is none.
  static func lines(commit: String, libdbus: String, bluez: String?) -> [String] {
    let changed = commit.hasSuffix("+") ? " with changes" : ""
    let commit = commit.prefix { $0 != "+" }
    return [
      "roboprov \(Version.current) (commit \(commit)\(changed))", libdbus,
      bluez.map { "BlueZ \($0)" } ?? "BlueZ not found",
    ]
  }

  /// The lines for this machine. It does not use the bus.
  static func lines(commit: String) -> [String] {
    lines(commit: commit, libdbus: DBusLibrary.version, bluez: installedBlueZ)
  }

  /// The version of the daemon's program, otherwise of its tools. A program without output within 2 s is
  /// terminated.
  private static var installedBlueZ: String? {
    let programs = ["/usr/libexec/bluetooth/bluetoothd", "/usr/lib/bluetooth/bluetoothd", "bluetoothctl"]
    for program in programs {
      let outcome = ToolOutcome([program, "--version"], within: .seconds(2))
      let word = outcome.output.split(whereSeparator: \.isWhitespace).last
      if outcome.status == 0, let word, word.first?.isNumber ?? false { return String(word) }
    }
    return nil
  }
}
