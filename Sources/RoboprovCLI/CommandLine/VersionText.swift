import DBus

/// What `roboprov --version` prints: the versions of the program and of what it works with, a line each.
enum VersionText {
  /// - Parameters:
  ///   - commit: The commit that was built, with `+` at its end if tracked files differ from it; `unknown` without git.
  ///   - bluez: The version of the BlueZ that is installed; nil where there is none.
  static func lines(commit: String, libdbus: String, bluez: String?) -> [String] {
    let changed = commit.hasSuffix("+") ? " with changes" : ""
    let commit = commit.prefix { $0 != "+" }
    return [
      "roboprov \(Version.current) (commit \(commit)\(changed))", libdbus,
      bluez.map { "BlueZ \($0)" } ?? "BlueZ not found",
    ]
  }

  /// The lines on this machine. No bus is used.
  static func lines(commit: String) -> [String] {
    lines(commit: commit, libdbus: DBusLibrary.version, bluez: installedBlueZ)
  }

  /// The version that the daemon's file has; else that of its tools. A program that does not answer is ended after 2 s.
  private static var installedBlueZ: String? {
    let programs = ["/usr/libexec/bluetooth/bluetoothd", "/usr/lib/bluetooth/bluetoothd", "bluetoothctl"]
    for program in programs {
      let outcome = ToolOutcome(["timeout", "2", program, "--version"])
      let word = outcome.output.split(whereSeparator: \.isWhitespace).last
      if outcome.status == 0, let word, word.first?.isNumber ?? false { return String(word) }
    }
    return nil
  }
}
