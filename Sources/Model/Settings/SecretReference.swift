/// The source of a secret that is not in the manifest.
package enum SecretSource: Hashable, Sendable {
  /// The environment variable of this name.
  case environment(String)
  /// The file at this path, relative to the directory of the file with the reference.
  case file(String)
  /// The standard output of this program with these arguments; never empty.
  case command([String])
  /// The operator at the terminal.
  case prompt
  /// The file of labels at this path, relative as for `file`: what the label of the device of this name has for the
  /// setting. The device is nil until the room names one.
  case labels(String, device: String?, setting: SettingName)

  /// Whether a text is accepted as the name of an environment variable: capital letters, digits and
  /// underscores, at most 100. Lower-case names exist, too; but a misplaced password may look like one, and
  /// must not be repeated.
  package static func isEnvironmentName(_ text: String) -> Bool {
    guard let first = text.utf8.first, text.utf8.count <= 100, !(0x30...0x39).contains(first) else {
      return false
    }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }

  /// As the manifest writes it, in short: `env: ESP_POP`.
  package var written: String {
    switch self {
    case .environment(let name): "env: \(name)"
    case .file(let path): "file: \(path)"
    case .command(let words): "command: \(words[0])"
    case .prompt: "prompt"
    case .labels(let path, _, _): "labels: \(path)"
    }
  }
}

/// A reference to a secret in a manifest.
package struct SecretReference: Hashable, Sendable {
  package var source: SecretSource
  /// The file with the reference: the manifest, or one that it includes.
  package var file: String
  /// The line in that file, from 1.
  package var line: Int
  /// The column in that line, from 1.
  package var column: Int

  package init(_ source: SecretSource, file: String, line: Int, column: Int) {
    (self.source, self.file, self.line, self.column) = (source, file, line, column)
  }

  /// Equal for references to the same secret. The operator is asked at each place: two networks have two
  /// passwords. The same path in two files may mean two files.
  package var identity: SecretReference {
    switch source {
    case .prompt: self
    case .file, .labels: SecretReference(source, file: file, line: 0, column: 0)
    case .environment, .command: SecretReference(source, file: "", line: 0, column: 0)
    }
  }
}
