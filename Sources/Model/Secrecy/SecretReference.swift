/// Where a secret comes from that is not in the manifest.
public enum SecretSource: Hashable, Sendable {
  /// The environment variable of this name.
  case environment(String)
  /// The file at this path, which is relative to the directory of the file that names it.
  case file(String)
  /// What this program writes to its standard output, with these arguments; never empty.
  case command([String])
  /// The person at the terminal.
  case prompt

  /// Whether a text can be the name of an environment variable here: capital letters, digits and underscores, 100 at most.
  /// Names in lower case exist, too; but a password at the wrong place may look like one, and must not be repeated.
  public static func isEnvironmentName(_ text: String) -> Bool {
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
}

/// A place of a manifest that says where a secret comes from.
public struct SecretReference: Hashable, Sendable {
  /// Where it comes from.
  public var source: SecretSource
  /// The file that says so: the manifest, or one that it includes.
  public var file: String
  /// The line of that file, from 1.
  public var line: Int
  /// The column in that line, from 1.
  public var column: Int

  /// A reference.
  public init(_ source: SecretSource, file: String, line: Int, column: Int) {
    self.source = source
    self.file = file
    self.line = line
    self.column = column
  }

  /// What references to the same secret have in common. A person is asked at each place anew: two networks have two passwords.
  /// The same path in two files may be two files.
  public var identity: SecretReference {
    switch source {
    case .prompt: self
    case .file: SecretReference(source, file: file, line: 0, column: 0)
    case .environment, .command: SecretReference(source, file: "", line: 0, column: 0)
    }
  }
}

extension Building {
  /// This building with a secret in the place of each reference that `resolve` has one for.
  public func resolvingSecrets(_ resolve: (SecretReference) -> Secret?) -> Building {
    var building = self
    for index in building.rooms.indices {
      for (name, value) in building.rooms[index].settings {
        guard case .secret(let secret) = value, let reference = secret.reference,
          let resolved = resolve(reference)
        else { continue }
        building.rooms[index].settings[name] = .secret(resolved)
      }
    }
    return building
  }
}
