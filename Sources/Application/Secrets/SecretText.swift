import Model

/// Converts bytes to a password.
package enum SecretText {
  /// The maximum number of bytes to read for a password.
  package static let longest = 4096

  /// Checks the bytes, and returns the password.
  /// - Parameters:
  ///   - isLines: Whether to remove a line end: for files and the output of programs.
  ///   - descriptions: The settings that it is for.
  static func checked(
    _ bytes: [UInt8], isLines: Bool, _ descriptions: [SettingDescription]
  ) throws(SecretError) -> Secret {
    var bytes = bytes[...]
    if isLines, bytes.last == UInt8(ascii: "\n") {
      bytes.removeLast()
      if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    }
    if bytes.isEmpty { throw .empty }
    if bytes.contains(UInt8(ascii: "\n")) { throw .severalLines }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText }
    return try checked(Secret(text), descriptions)
  }

  static func checked(
    _ secret: Secret, _ descriptions: [SettingDescription]
  ) throws(SecretError) -> Secret {
    for description in descriptions {
      if let violation = description.violation(of: .secret(secret)) { throw .violation(violation) }
    }
    return secret
  }
}
