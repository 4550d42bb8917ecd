public import Bluetooth

/// A value for a setting.
public enum SettingValue: Hashable, Sendable {
  /// A whole number.
  case integer(Int)
  /// Text that anybody may see, or the name of a choice.
  case text(String)
  /// Text that nobody may see.
  case secret(Secret)
  /// A UUID.
  case uuid(BluetoothUUID)
  /// A time span.
  case duration(Duration)

  /// The value as reports and events show it; nil for a secret.
  public var shown: String? {
    switch self {
    case .integer(let number): String(number)
    case .text(let text): text
    case .secret: nil
    case .uuid(let uuid): uuid.description
    case .duration(let duration): duration.written
    }
  }
}

/// One setting of a device family, as data: the manifest's checks, schema, reports and `inspect` read it.
public struct SettingDescription: Hashable, Sendable {
  /// Its machine name.
  public var name: SettingName
  /// What people call it, to follow "the": `minor ID`.
  public var title: String
  /// What people call it before its value, where there is little room: `minor`.
  public var shortTitle: String
  /// What values it takes.
  public var kind: Kind
  /// Whether a room cannot do without it.
  public var isRequired: Bool
  /// Whether the device's beacon says it, so that hearing the beacon proves it.
  public var isOnAir: Bool
  /// Whether the device is given it; else its firmware has it, and it is only expected on air.
  public var isWritten: Bool
  /// Whether rooms may have it in common, so that it can stand under `defaults`.
  public var isShareable: Bool
  /// From which value on it is possible, but wants to be thought of.
  public var caution: Caution?
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
    /// A UUID, but none of these.
    case uuid(except: [BluetoothUUID])
    /// One of a few, by name.
    case choice([SettingChoice])
    /// A time span within bounds, in whole steps.
    case duration(ClosedRange<Duration>, step: Duration)
  }

  /// Time spans that are possible, but that a person should think about.
  public struct Caution: Hashable, Sendable {
    /// The longest time span without any concern.
    public var longest: Duration
    /// What is to be thought of beyond it: a sentence without its full stop.
    public var reason: String

    /// A caution.
    public init(beyond longest: Duration, _ reason: String) {
      self.longest = longest
      self.reason = reason
    }
  }

  /// A setting's description.
  public init(
    _ name: SettingName, _ title: String, short shortTitle: String? = nil, _ kind: Kind, isRequired: Bool,
    isOnAir: Bool = false,
    isWritten: Bool = true, isShareable: Bool = false,
    caution: Caution? = nil, documentation: String
  ) {
    self.name = name
    self.title = title
    self.shortTitle = shortTitle ?? title
    self.kind = kind
    self.isRequired = isRequired
    self.isOnAir = isOnAir
    self.isWritten = isWritten
    self.isShareable = isShareable
    self.caution = caution
    self.documentation = documentation
  }

  /// Whether its value must be kept from all eyes.
  public var isSecret: Bool { kind == .wifiPassword }
}

/// One of the values that a setting can have.
public struct SettingChoice: Hashable, Sendable {
  /// Its name: what manifests and reports say.
  public var name: String
  /// What it means, and what a manifest may say instead: `-6 dBm`.
  public var meaning: String
  /// How it goes over the air.
  public var code: Int

  /// A choice.
  public init(_ name: String, meaning: String, code: Int) {
    self.name = name
    self.meaning = meaning
    self.code = code
  }
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
  /// A UUID that the device cannot be given.
  case reserved
  /// None of the choices there are.
  case noChoice([SettingChoice])
  /// A time span outside its bounds.
  case outOfBounds(Duration, allowed: ClosedRange<Duration>)
  /// A time span between two steps; the nearest that are possible and whole milliseconds, as a manifest writes them.
  case betweenSteps(Duration, below: Duration, above: Duration)
}

extension SettingDescription {
  /// What is wrong with `value`, or nil when it can be written to a device. Of a secret that is not resolved nothing can be
  /// said yet: nil.
  public func violation(of value: SettingValue) -> SettingViolation? {
    switch (kind, value) {
    case (.integer(let allowed), .integer(let number)):
      return allowed.contains(number) ? nil : .outOfRange(number, allowed: allowed)
    case (.text(let allowed), .text(let text)):
      let bytes = text.utf8.count
      if !allowed.contains(bytes) { return .wrongLength(bytes: bytes, allowed: allowed) }
      return text.unicodeScalars.contains(where: \.isControl) ? .controlCharacter : nil
    case (.wifiPassword, .secret(let secret)):
      guard secret.isResolved else { return nil }
      let password = secret.reveal()
      let bytes = password.utf8.count
      if password.unicodeScalars.contains(where: \.isControl) { return .controlCharacter }
      let isKey = bytes == 64 && password.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
      return bytes == 0 || (8...63).contains(bytes) || isKey ? nil : .badPassword(bytes: bytes)
    case (.uuid(let reserved), .uuid(let uuid)):
      return reserved.contains(uuid) ? .reserved : nil
    case (.choice(let choices), .text(let name)):
      return choices.contains { $0.name == name } ? nil : .noChoice(choices)
    case (.duration(let allowed, let step), .duration(let duration)):
      if !allowed.contains(duration) { return .outOfBounds(duration, allowed: allowed) }
      if duration == step * Int(duration / step) { return nil }
      let written = step.inWholeMilliseconds
      let below = written * Int(duration / written)
      return .betweenSteps(
        duration, below: max(below, allowed.lowerBound), above: min(below + written, allowed.upperBound))
    default:
      return .wrongType
    }
  }

  /// The value that a text means, as a person writes it or `SettingValue.shown` has it; nil when it means none of
  /// this kind. It may still be in violation of the description.
  public func value(_ text: String) -> SettingValue? {
    switch kind {
    case .integer: Int(text).map { .integer($0) }
    case .text: .text(text)
    case .wifiPassword: .secret(Secret(text))
    // Its short forms are of services: no beacon has one.
    case .uuid: text.utf8.count == 36 ? BluetoothUUID(text).map { .uuid($0) } : nil
    case .choice(let choices):
      .text(
        choices.contains { $0.name == text }
          ? text : choices.first { $0.isMeant(by: text, among: choices) }?.name ?? text)
    case .duration: Duration(written: text).map { .duration($0) }
    }
  }
}

extension SettingChoice {
  /// Whether a text is, whatever the spaces and the case of its unit, its meaning. The unit may be left
  /// out, unless the number is also what goes over the air for another of `choices`: who writes a bare `0` may have
  /// the vendor's table in mind.
  fileprivate func isMeant(by text: String, among choices: [SettingChoice]) -> Bool {
    func plain(_ text: String) -> String {
      text.lowercased().filter { $0 != " " }.map { $0 == "−" ? "-" : String($0) }.joined()
    }
    let said = plain(text)
    let meant = plain(meaning)
    if said == meant { return true }
    let isCodeOfAnother = choices.contains { $0.name != name && String($0.code) == said }
    return said == meant.prefix { !$0.isLetter } && !isCodeOfAnother
  }
}

extension Duration {
  /// The least multiple of it that is a whole number of milliseconds; itself where that is far away.
  fileprivate var inWholeMilliseconds: Duration {
    (1...1000).lazy.map { self * $0 }.first { $0.inMicroseconds % 1000 == 0 } ?? self
  }
}

extension UnicodeScalar {
  fileprivate var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
