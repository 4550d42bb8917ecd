import Host
import Model

/// The settings of bluetoothd in `/etc/bluetooth/main.conf`, a GLib key file.
struct MainConfiguration: Sendable, Hashable {
  /// Values by section and key.
  private var values: [String: [String: String]] = [:]

  /// Reads the text. A comment has its own line.
  init(_ text: String = "") {
    var section = ""
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.trimmed
      if line.isEmpty || line.hasPrefix("#") { continue }
      if line.hasPrefix("["), line.hasSuffix("]") {
        section = String(line.dropFirst().dropLast())
        values[section, default: [:]] = values[section] ?? [:]
      } else if let separator = line.firstIndex(of: "=") {
        values[section, default: [:]][line[..<separator].trimmed] =
          line[line.index(after: separator)...].trimmed
      }
    }
  }

  func text(_ section: String, _ key: String) -> String? { values[section]?[key] }

  /// A number of up to 16 bits; nil for another text. No finding begins beyond.
  func number(_ section: String, _ key: String) -> Int? {
    text(section, key).flatMap { Int($0, in: 0...65_535) }
  }

  func flag(_ section: String, _ key: String) -> Bool? {
    switch text(section, key) {
    case "true", "1": true
    case "false", "0": false
    default: nil
    }
  }

  static let path = "/etc/bluetooth/main.conf"

  /// The command that changes the value of a key and restarts bluetoothd.
  func command(setting section: String, _ key: String, to value: String) -> String {
    let restart = "sudo systemctl restart bluetooth"
    if text(section, key) != nil {
      return "sudo sed -i 's/^\\s*\(key)\\s*=.*/\(key)=\(value)/' \(Self.path) && \(restart)"
    }
    if values[section] != nil {
      return "sudo sed -i '/^\\[\(section)\\]/a \(key)=\(value)' \(Self.path) && \(restart)"
    }
    return "printf '\\n[\(section)]\\n\(key)=\(value)\\n' | sudo tee -a \(Self.path) && \(restart)"
  }
}
