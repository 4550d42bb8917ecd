package import Bluetooth
import Hex

package enum SettingValue: Hashable, Sendable {
  case integer(Int)
  /// Text that is not secret, the name of a choice, a decimal number or bytes in hex digits.
  case text(String)
  /// Text that must not be shown.
  case secret(Secret)
  case uuid(BluetoothUUID)
  case duration(Duration)

  /// The value in reports and events; nil for a secret.
  package var shown: String? {
    switch self {
    case .integer(let number): String(number)
    case .text(let text): text
    case .secret: nil
    case .uuid(let uuid): uuid.description
    case .duration(let duration): duration.written
    }
  }
}

/// The description of a setting of a device family: the manifest check, the schema, reports and `inspect` use
/// it.
package struct SettingDescription: Hashable, Sendable {
  package var name: SettingName
  /// The display name, which follows "the": `minor ID`.
  package var title: String
  /// The short display name before a value: `minor`.
  package var shortTitle: String
  /// The values that it takes.
  package var kind: Kind
  /// Whether each room must have it.
  package var isRequired: Bool
  /// Whether the device's beacon contains it, so that receiving the beacon proves it.
  package var isOnAir: Bool
  /// Whether it is written; otherwise the firmware determines it, and it is only expected on air.
  package var isWritten: Bool
  /// Whether rooms may share a value, so that `defaults` may contain it.
  package var isShareable: Bool
  /// Whether the device's label has it, so that it can come from a file of labels.
  package var isOnLabel: Bool
  /// For a mapping from names, which the manifest chooses, to values of this kind: the names that it cannot have. Nil
  /// for a single value.
  package var reservedNames: [String]?
  /// The form that a text must have; nil for any text.
  package var format: TextFormat?
  /// The values that are possible but need consideration.
  package var caution: Caution?
  /// Its meaning in one sentence, with its encoding if relevant.
  package var documentation: String

  /// The values that a setting takes.
  package enum Kind: Hashable, Sendable {
    /// A whole number within bounds.
    case integer(ClosedRange<Int>)
    /// A decimal number in whole steps; the bounds count steps.
    case decimal(ClosedRange<Int>, step: DecimalStep)
    /// This many bytes, in hex digits.
    case bytes(ClosedRange<Int>)
    /// Text of this many *bytes* of UTF-8, without control characters.
    case text(bytes: ClosedRange<Int>)
    /// A WPA2 passphrase of 8 to 63 bytes, 64 hex digits (the key itself), or empty for an open network.
    case wifiPassword
    /// As `wifiPassword`, without the key: a passphrase of 8 to 63 bytes, or empty.
    case wifiPassphrase
    /// This many bytes that must not be shown: those of a text without control characters, or after `hex:` in
    /// hexadecimal (`Secret.bytes`).
    case secretBytes(ClosedRange<Int>)
    /// A value of another kind that must not be shown, as manifests write it.
    indirect case secret(Kind)
    /// The six digits of a device's label with which it is paired, which must not be shown.
    case passkey
    /// A UUID, except these.
    case uuid(except: [BluetoothUUID])
    case choice([SettingChoice])
    /// A time span within bounds, in whole steps.
    case duration(ClosedRange<Duration>, step: Duration)
  }

  /// Time spans that are possible but need consideration.
  package struct Caution: Hashable, Sendable {
    /// The longest time span without concern.
    package var longest: Duration
    /// The concern beyond it: a sentence without its full stop.
    package var reason: String

    package init(beyond longest: Duration, _ reason: String) {
      (self.longest, self.reason) = (longest, reason)
    }
  }

  package init(
    _ name: SettingName, _ title: String, short shortTitle: String? = nil, _ kind: Kind, isRequired: Bool,
    isOnAir: Bool = false,
    isWritten: Bool = true, isShareable: Bool = false, isOnLabel: Bool = false,
    reservedNames: [String]? = nil, format: TextFormat? = nil,
    caution: Caution? = nil, documentation: String
  ) {
    (self.name, self.title) = (name, title)
    self.shortTitle = shortTitle ?? title
    (self.kind, self.isRequired, self.isOnAir, self.isWritten) = (kind, isRequired, isOnAir, isWritten)
    (self.isShareable, self.caution, self.documentation) = (isShareable, caution, documentation)
    (self.isOnLabel, self.reservedNames, self.format) = (isOnLabel, reservedNames, format)
  }

  /// Its meaning without its encoding: the first sentence of the documentation.
  package var purpose: String {
    documentation.firstRange(of: ". ").map { documentation[..<$0.lowerBound] + "." } ?? documentation
  }

  /// Whether its value must not be shown.
  package var isSecret: Bool {
    switch kind {
    case .wifiPassword, .wifiPassphrase, .secret, .secretBytes, .passkey: true
    case .integer, .decimal, .bytes, .text, .uuid, .choice, .duration: false
    }
  }

  /// The same setting as if it were not secret.
  var plain: SettingDescription {
    guard case .secret(let kind) = kind else { return self }
    var copy = self
    copy.kind = kind
    return copy
  }
}

extension SettingDescription {
  /// The bounds of all whole numbers: 18 digits, as many as manifests have.
  package static let integers = -999_999_999_999_999_999...999_999_999_999_999_999
}

extension SettingDescription.Kind {
  /// Its values in words, for an error that must not quote one.
  package var words: String {
    switch self {
    case .integer(let bounds): "a whole number, \(bounds.lowerBound)…\(bounds.upperBound)"
    case .decimal(let bounds, let step):
      "a number, \(step.text(bounds.lowerBound))…\(step.text(bounds.upperBound)) in steps of \(step.text(1))"
    case .bytes(let bounds):
      (bounds.count == 1 ? "\(bounds.lowerBound)" : "\(bounds.lowerBound)…\(bounds.upperBound)")
        + " bytes in hex digits, two each"
    case .text(let bounds): "text of \(bounds.lowerBound)…\(bounds.upperBound) bytes"
    case .wifiPassword, .wifiPassphrase: "a WiFi password"
    case .passkey: "six digits"
    case .secretBytes(let bounds): "\(bounds.lowerBound)…\(bounds.upperBound) bytes"
    case .uuid: "a UUID"
    case .choice(let choices): "one of: " + choices.map(\.name).joined(separator: ", ")
    case .duration(let bounds, let step):
      "a time, \(bounds.lowerBound.written)…\(bounds.upperBound.written) in steps of \(step.written)"
    case .secret(let kind): kind.words
    }
  }

  /// The least value.
  package var least: SettingValue {
    switch self {
    case .integer(let bounds): .integer(bounds.lowerBound)
    case .decimal(let bounds, let step): .text(step.text(bounds.lowerBound))
    case .bytes(let bounds): .text(String(repeating: "0", count: 2 * bounds.lowerBound))
    case .text(let bounds): .text(String(repeating: "-", count: bounds.lowerBound))
    case .wifiPassword, .wifiPassphrase: .secret(Secret(""))
    case .passkey: .secret(Secret("000000"))
    case .secretBytes(let bounds): .secret(Secret(String(repeating: "-", count: bounds.lowerBound)))
    case .secret(let kind): .secret(Secret(kind.least.shown ?? ""))
    case .uuid: .uuid(.zero)
    case .choice(let choices): .text(choices.min { $0.code < $1.code }?.name ?? "")
    case .duration(let bounds, _): .duration(bounds.lowerBound)
    }
  }

  /// The values that need most of an encoding.
  package var extremes: [SettingValue] {
    switch self {
    case .integer(let bounds): [least, .integer(bounds.upperBound)]
    case .decimal(let bounds, let step): [least, .text(step.text(bounds.upperBound))]
    case .bytes(let bounds): [least, .text(String(repeating: "FF", count: bounds.upperBound))]
    case .text(let bounds): [least, .text(String(repeating: "m", count: bounds.upperBound))]
    case .wifiPassword: [least, .secret(Secret(String(repeating: "f", count: 64)))]
    case .wifiPassphrase: [least, .secret(Secret(String(repeating: "f", count: 63)))]
    case .secretBytes(let bounds): [least, .secret(Secret(String(repeating: "m", count: bounds.upperBound)))]
    case .secret(let kind): kind.extremes.compactMap(\.shown).map { .secret(Secret($0)) }
    case .passkey, .uuid: [least]
    case .choice(let choices): choices.map { .text($0.name) }
    case .duration(let bounds, _): [least, .duration(bounds.upperBound)]
    }
  }
}

// A mapping: each entry is a setting by itself, `endpoints.custom-data`.
extension SettingDescription {
  /// The letters of the names of entries.
  package static let lettersOfNames = "a-z0-9._-"
  package static let longestName = 32

  package func canHaveEntry(_ name: String) -> Bool {
    guard let reservedNames, (1...Self.longestName).contains(name.utf8.count) else { return false }
    return !reservedNames.contains(name)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }

  package func entry(_ name: String) -> SettingDescription {
    var entry = self
    entry.name = SettingName(rawValue: "\(self.name).\(name)")
    (entry.title, entry.shortTitle) = ("\(title) \(name)", "\(shortTitle) \(name)")
    entry.reservedNames = nil
    return entry
  }

  /// The name of the entry whose setting this is; nil for any other setting.
  package func entryName(of setting: SettingName) -> String? {
    let prefix = "\(name)."
    guard reservedNames != nil, setting.rawValue.hasPrefix(prefix) else { return nil }
    return String(setting.rawValue.dropFirst(prefix.count))
  }
}

package struct SettingChoice: Hashable, Sendable {
  /// The name in manifests and reports.
  package var name: String
  /// The meaning, which a manifest may use instead of the name: `-6 dBm`.
  package var meaning: String
  /// The encoded value.
  package var code: Int

  package init(_ name: String, meaning: String, code: Int) {
    (self.name, self.meaning, self.code) = (name, meaning, code)
  }
}

/// Why a value is not valid for a setting. Contains no part of a secret.
package enum SettingViolation: Hashable, Sendable, Error {
  /// The value has another type than the setting.
  case wrongType
  /// A number outside its bounds.
  case outOfRange(Int, allowed: ClosedRange<Int>)
  /// Text of this many bytes; `allowed` fit.
  case wrongLength(bytes: Int, allowed: ClosedRange<Int>)
  case controlCharacter
  /// A text of another form.
  case badFormat(TextFormat)
  /// A password of this many bytes that is neither a passphrase nor a key.
  case badPassword(bytes: Int)
  /// A WiFi password of this many bytes that is no passphrase, where a key is impossible.
  case badPassphrase(bytes: Int)
  /// A passkey that is not six digits.
  case badPasskey
  /// `hex:` before something else than whole bytes in hexadecimal.
  case badHex
  /// A UUID that the device must not get.
  case reserved
  case noChoice([SettingChoice])
  /// None of the values that these words describe.
  case unlike(String)
  case outOfBounds(allowed: ClosedRange<Duration>)
  /// A time span between two steps; `below` and `above` are the nearest valid whole milliseconds.
  case betweenSteps(Duration, below: Duration, above: Duration)
}

extension SettingDescription {
  /// Why a value cannot be written to a device; nil when it can. Also nil for a secret that is not resolved
  /// yet.
  package func violation(of value: SettingValue) -> SettingViolation? {
    switch (kind, value) {
    case (.integer(let allowed), .integer(let number)):
      return allowed.contains(number) ? nil : .outOfRange(number, allowed: allowed)
    case (.decimal(let allowed, let step), .text(let text)):
      return step.count(text).map { allowed.contains($0) } == true ? nil : .unlike(kind.words)
    case (.bytes(let allowed), .text(let text)):
      return [UInt8](hex: text).map { allowed.contains($0.count) } == true ? nil : .unlike(kind.words)
    case (.text(let allowed), .text(let text)):
      let bytes = text.utf8.count
      if !allowed.contains(bytes) { return .wrongLength(bytes: bytes, allowed: allowed) }
      if text.unicodeScalars.contains(where: \.isControl) { return .controlCharacter }
      return format.flatMap { $0.isMet(by: text) ? nil : .badFormat($0) }
    case (_, .secret(let secret)) where isSecret:
      return secret.isResolved ? violation(of: secret) : nil
    case (.uuid(let reserved), .uuid(let uuid)):
      return reserved.contains(uuid) ? .reserved : nil
    case (.choice(let choices), .text(let name)):
      return choices.contains { $0.name == name } ? nil : .noChoice(choices)
    case (.duration(let allowed, let step), .duration(let duration)):
      if !allowed.contains(duration) { return .outOfBounds(allowed: allowed) }
      if duration == step * Int(duration / step) { return nil }
      let written = step.inWholeMilliseconds
      let below = written * Int(duration / written)
      return .betweenSteps(
        duration, below: max(below, allowed.lowerBound), above: min(below + written, allowed.upperBound))
    default:
      return .wrongType
    }
  }

  private func violation(of secret: Secret) -> SettingViolation? {
    let text = secret.reveal()
    let bytes = text.utf8.count
    if text.unicodeScalars.contains(where: \.isControl) { return .controlCharacter }
    switch kind {
    case .secret(.text(let allowed)):
      return allowed.contains(bytes) ? nil : .wrongLength(bytes: bytes, allowed: allowed)
    case .secretBytes(let allowed):
      guard let count = secret.bytes?.count else { return .badHex }
      return allowed.contains(count) ? nil : .wrongLength(bytes: count, allowed: allowed)
    case .secret(let kind):
      guard let value = plain.value(text), plain.violation(of: value) == nil else {
        return .unlike(kind.words)
      }
      return nil
    case .passkey:
      return Passkey(text) == nil ? .badPasskey : nil
    case .wifiPassphrase:
      return bytes == 0 || (8...63).contains(bytes) ? nil : .badPassphrase(bytes: bytes)
    default:
      let isKey = bytes == 64 && text.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
      return bytes == 0 || (8...63).contains(bytes) || isKey ? nil : .badPassword(bytes: bytes)
    }
  }

  /// Parses a text in the format of a manifest or of `SettingValue.shown`; nil when it is no value of this
  /// kind. The result may still violate the description.
  package func value(_ text: String) -> SettingValue? {
    switch kind {
    case .integer: Int(text, in: Self.integers).map { .integer($0) }
    case .decimal(_, let step): .text(step.count(text).map(step.text) ?? text)
    case .bytes:
      .text([UInt8](hex: text.hasPrefix("0x") ? text.dropFirst(2) : text[...])?.hex(uppercase: true) ?? text)
    case .text: .text(text)
    case .wifiPassword, .wifiPassphrase, .secret, .secretBytes, .passkey: .secret(Secret(text))
    // Short UUIDs belong to services; no beacon has one.
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
  /// Whether a text means this choice, regardless of spaces and of the case of its unit. The unit may be
  /// missing, unless the number is also the encoded value of another of `choices`: a bare `0` may come from
  /// the vendor's table.
  fileprivate func isMeant(by text: String, among choices: [SettingChoice]) -> Bool {
    func plain(_ text: String) -> String {
      text.lowercased().filter { $0 != " " }.map { $0 == "−" ? "-" : String($0) }.joined()
    }
    let written = plain(text)
    let meant = plain(meaning)
    if written == meant { return true }
    let isCodeOfAnother = choices.contains { $0.name != name && String($0.code) == written }
    return written == meant.prefix { !$0.isLetter } && !isCodeOfAnother
  }
}

extension Duration {
  /// The least multiple that is a whole number of milliseconds; itself if none is within 1000 steps.
  fileprivate var inWholeMilliseconds: Duration {
    (1...1000).lazy.map { self * $0 }.first { $0.inMicroseconds % 1000 == 0 } ?? self
  }
}

extension UnicodeScalar {
  fileprivate var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
