/// A value for a setting.
public enum SettingValue: Hashable, Sendable {
  /// A whole number.
  case integer(Int)
  /// Text that anybody may see.
  case text(String)
  /// Text that nobody may see.
  case secret(Secret)

  /// The value as reports and events show it; nil for a secret.
  public var shown: String? {
    switch self {
    case .integer(let number): String(number)
    case .text(let text): text
    case .secret: nil
    }
  }
}

/// One setting of a device family, as data: the manifest's checks, schema, reports and `inspect` read it.
public struct SettingDescription: Hashable, Sendable {
  /// Its machine name.
  public var name: SettingName
  /// What values it takes.
  public var kind: Kind
  /// Whether a room cannot do without it.
  public var isRequired: Bool
  /// One sentence for people: what it is and, where it matters, how it goes over the air.
  public var documentation: String

  /// What values a setting takes.
  public enum Kind: Hashable, Sendable {
    /// A whole number within bounds.
    case integer(ClosedRange<Int>)
    /// Text of so many *bytes* of UTF-8, without control characters.
    case text(bytes: ClosedRange<Int>)
    /// A WPA2 passphrase of 8–63 bytes, 64 hex digits (the key itself), or empty for an open network.
    case wifiPassword
  }

  /// A setting's description.
  public init(_ name: SettingName, _ kind: Kind, isRequired: Bool, documentation: String) {
    self.name = name
    self.kind = kind
    self.isRequired = isRequired
    self.documentation = documentation
  }

  /// Whether its value must be kept from all eyes.
  public var isSecret: Bool { kind == .wifiPassword }
}

/// Why a value is not valid for a setting. Carries no part of a secret.
public enum SettingViolation: Hashable, Sendable, Error {
  /// A value of another type than the setting takes.
  case wrongType
  /// A number outside its bounds.
  case outOfRange(Int, allowed: ClosedRange<Int>)
  /// Text of this many bytes where only `allowed` fit.
  case wrongLength(bytes: Int, allowed: ClosedRange<Int>)
  /// Text with a control character.
  case controlCharacter
  /// A password of this many bytes that is neither a passphrase nor a key.
  case badPassword(bytes: Int)
}

extension SettingDescription {
  /// What is wrong with `value`, or nil when it can be written to a device.
  public func violation(of value: SettingValue) -> SettingViolation? {
    switch (kind, value) {
    case (.integer(let allowed), .integer(let number)):
      return allowed.contains(number) ? nil : .outOfRange(number, allowed: allowed)
    case (.text(let allowed), .text(let text)):
      let bytes = text.utf8.count
      if !allowed.contains(bytes) { return .wrongLength(bytes: bytes, allowed: allowed) }
      return text.unicodeScalars.contains(where: \.isControl) ? .controlCharacter : nil
    case (.wifiPassword, .secret(let secret)):
      let password = secret.reveal()
      let bytes = password.utf8.count
      if password.unicodeScalars.contains(where: \.isControl) { return .controlCharacter }
      let isKey = bytes == 64 && password.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
      return bytes == 0 || (8...63).contains(bytes) || isKey ? nil : .badPassword(bytes: bytes)
    default:
      return .wrongType
    }
  }
}

extension UnicodeScalar {
  fileprivate var isControl: Bool { properties.generalCategory == .control }
}
