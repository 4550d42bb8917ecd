import Model

/// Bytes as a password.
enum SecretText {
  /// The most bytes that are read where a password is expected.
  static let longest = 4096

  /// The password that these bytes are.
  /// - Parameters:
  ///   - isLines: Whether a line end behind it is not part of it: of files, and of what programs write.
  ///   - description: What it must be.
  static func checked(
    _ bytes: [UInt8], isLines: Bool, _ description: SettingDescription
  ) throws(SecretTrouble) -> Secret {
    var bytes = bytes[...]
    if isLines, bytes.last == UInt8(ascii: "\n") {
      bytes.removeLast()
      if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    }
    if bytes.isEmpty { throw .empty }
    if bytes.contains(UInt8(ascii: "\n")) { throw .severalLines }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText }
    let secret = Secret(text)
    if let violation = description.violation(of: .secret(secret)) { throw .violation(violation) }
    return secret
  }
}
