import Bluetooth
import Model
import Source
import YAML

/// A setting that rooms share, under `defaults` or in a floor or group.
struct SharedSetting {
  let entry: YAMLNode.Entry
  /// Whether the value is valid. An invalid one has been reported, and rooms that use it report nothing.
  let isGood: Bool
  /// The value of a secret, or the values of a mapping, which are decoded once; nil for other settings.
  var secrets: [SettingName: SettingValue]?
}

extension ManifestDecoder {
  /// Decodes the settings that rooms share. Each is checked once, at its own place.
  mutating func sharedSettings(_ fields: Fields) -> [String: SharedSetting] {
    var shared: [String: SharedSetting] = [:]
    for key in vocabulary.shareableSettings {
      // Families that share a setting describe it in the same way.
      guard let entry = fields.entry(key),
        let description = families.all.lazy.flatMap(\.givenSettings).first(where: {
          $0.name.rawValue == key && $0.isShareable
        })
      else { continue }
      let values = values(entry.value, description)
      shared[key] = SharedSetting(
        entry: entry, isGood: values != nil, secrets: description.isSecret ? values : nil)
    }
    return shared
  }

  /// Decodes the settings whose key is their name, from the room or its scopes.
  mutating func plainSettings(
    _ fields: Fields, of kind: RoomKind, _ shared: [String: SharedSetting]
  ) -> [SettingName: SettingValue] {
    let descriptions = kind.profile?.value.givenSettings ?? []
    var settings = [SettingName: SettingValue](minimumCapacity: descriptions.count)
    for description in descriptions where Vocabulary.isPlain(description) {
      let key = description.name.rawValue
      let own = fields.entry(key)
      guard kind.takes(description) else {
        if let own { neverWritten(own) }
        continue
      }
      if let own, description.reservedNames == nil {
        settings[description.name] = setting(own.value, description)
      } else if let own {
        settings.merge(values(own.value, description) ?? [:]) { $1 }
      } else if let shared = shared[key] {
        if let secrets = shared.secrets {
          settings.merge(secrets) { $1 }
        } else if shared.isGood {
          settings[description.name] = value(shared.entry.value, description)
        }
      } else if description.isRequired {
        let everywhere = description.isShareable ? " It can be under `defaults` for all rooms." : ""
        error(
          .missingSetting, "a room without `\(key)`", at: fields.head,
          advice: "add `\(key): …`. \(description.purpose)" + everywhere)
      }
    }
    return settings
  }

  /// Reports a key that has no effect in a registered room.
  mutating func neverWritten(_ entry: YAMLNode.Entry) {
    error(
      .unsupportedKey, "a registered room takes no `\(entry.key)`", at: entry.keyRange,
      advice: "its device was configured elsewhere and is never written: leave `\(entry.key)` out")
  }

  /// Decodes a setting, or the entries of a mapping; nil when a part is invalid, which has been reported.
  private mutating func values(
    _ node: YAMLNode, _ description: SettingDescription
  ) -> [SettingName: SettingValue]? {
    guard let reserved = description.reservedNames else {
      return setting(node, description).map { [description.name: $0] }
    }
    let key = description.name.rawValue
    guard let entries = node.entries else {
      hide(node)
      return refused(
        .wrongStructure, "`\(key)` is a mapping of names to values", at: node.range,
        advice: "for example: \(key): { custom-data: … }")
    }
    var values: [SettingName: SettingValue] = [:]
    for entry in entries {
      let isSource = Vocabulary.labelSources.contains(entry.key)
      guard description.canHaveEntry(entry.key), !isSource else {
        hideAll(entry.value)
        error(
          .wrongStructure, "`\(key)` cannot have this name", at: entry.keyRange,
          advice: isSource
            ? "give the name first: \(key): { custom-data: { \(entry.key): … } }"
            : "at most \(SettingDescription.longestName) of a–z, 0–9, dots, hyphens and underscores, and none of "
              + reserved.listed)
        continue
      }
      show(entry.keyRange, of: entry.key)
      let one = description.entry(entry.key)
      values[one.name] = setting(entry.value, one)
    }
    return values.count == entries.count ? values : nil
  }

  /// Decodes a setting; reports an invalid value, and warns about a valid one that makes the device slow.
  /// - Parameter key: Its key, where that is not its name.
  mutating func setting(
    _ node: YAMLNode, _ description: SettingDescription, called key: String? = nil
  ) -> SettingValue? {
    let key = key ?? description.name.rawValue
    let written: SettingValue?
    switch description.kind {
    case .integer(let bounds): return integer(node, key, in: bounds).map { .integer($0) }
    case .duration: written = duration(node, key).map { .duration($0) }
    case .text, .choice, .decimal, .bytes: written = text(node, key).flatMap { description.value($0) }
    case .uuid: written = uuid(node, key, description)
    case .wifiPassword, .wifiPassphrase, .secret, .secretBytes, .passkey:
      let isNumber =
        switch description.kind {
        case .secret(.integer), .secret(.decimal): true
        default: false
        }
      written = secret(node, key, isOnLabel: description.isOnLabel, isText: !isNumber).map { .secret($0) }
    }
    guard let value = written, check(value, by: description, called: key, at: node.range) else { return nil }
    if let caution = description.caution, case .duration(let duration) = value, duration > caution.longest {
      warning(.slowDevice, "`\(key)` is \(duration.written): \(caution.reason)", at: node.range)
    }
    return value
  }

  private mutating func uuid(
    _ node: YAMLNode, _ key: String, _ description: SettingDescription
  ) -> SettingValue? {
    guard let text = text(node, key) else { return nil }
    if let value = description.value(text) { return value }
    let odd = OddCharacter(in: text) { $0.isASCII && ($0.isHexDigit || $0 == "-") }
    return refused(
      .notAUUID, "`\(key)` is not a UUID", at: node.range,
      advice: (odd.map { $0.words + ": " } ?? "")
        + "32 hex digits in groups of 8, 4, 4, 4 and 12; `uuidgen` makes one")
  }

  private func value(_ node: YAMLNode, _ description: SettingDescription) -> SettingValue? {
    node.text.flatMap { description.value($0) }
  }

  /// Checks a value against its description. The finding does not contain the value.
  mutating func check(
    _ value: SettingValue, by description: SettingDescription, called key: String, at range: SourceRange
  ) -> Bool {
    report(description.violation(of: value), of: value, called: key, at: range)
  }

  /// - Returns: Whether there is no violation.
  mutating func report(
    _ violation: SettingViolation?, of value: SettingValue, called key: String, at range: SourceRange
  ) -> Bool {
    guard let violation else { return true }
    let (code, message, advice) = Self.words(for: violation, of: value, called: key)
    error(code, message, at: range, advice: advice)
    return false
  }

  private static func words(
    for violation: SettingViolation, of value: SettingValue, called key: String
  ) -> (code: DiagnosticCode, message: String, advice: String?) {
    switch violation {
    case .wrongType:
      (.wrongStructure, "`\(key)` takes another kind of value", nil)
    case .outOfRange(let number, let allowed):
      (.outOfRange, "`\(key)` is \(number), outside of \(allowed.lowerBound)…\(allowed.upperBound)", nil)
    case .wrongLength(0, _):
      (.wrongLength, "`\(key)` is empty", nil)
    case .wrongLength(let bytes, let allowed):
      (
        value.isLonger(than: allowed.upperBound) ? .wrongLength : .wrongByteLength,
        "`\(key)` has \(bytes) bytes; \(allowed.lowerBound)…\(allowed.upperBound) are possible",
        value.shown.map { $0.utf8.count == $0.count } == false
          ? "letters beyond a–z take more than one byte each in UTF-8" : nil
      )
    case .controlCharacter:
      (
        .controlCharacter, "`\(key)` contains a control character",
        "it may be a tab, or a line break in a text of several lines"
      )
    case .badFormat(let format):
      (.unknownValue, "`\(key)` does not have the right form", "for example: \(format.example)")
    case .reserved:
      (
        .reservedUUID, "`\(key)` is a reserved UUID",
        "it is the factory's, or all zeros: make your own with `uuidgen`"
      )
    case .noChoice(let choices):
      (
        .unknownValue, "`\(key)` is none of the possible values",
        "one of: " + choices.map { "\($0.name) (\($0.meaning))" }.listed
      )
    case .unlike(let words): (.unknownValue, "`\(key)` is no value of its setting", "it takes \(words)")
    case .outOfBounds(let allowed):
      (
        .outOfRange,
        "`\(key)` is outside of \(allowed.lowerBound.written)…\(allowed.upperBound.written)",
        nil
      )
    case .betweenSteps(let duration, let below, let above):
      (
        .betweenSteps, "`\(key)` is \(duration.written), which is between two steps of the device",
        "the nearest possible values: \(below.written) and \(above.written)"
      )
    case .badPassphrase(let bytes):
      words(
        ofPassword: value, "\(bytes) bytes; this device takes 8…63 and no key of 64 hex digits")
    case .badHex:
      (
        .badPassword, "`\(key)` has no whole bytes in hexadecimal after `hex:`",
        "each byte has two digits, for example hex:0A7F"
      )
    case .badPasskey:
      (
        .badPassword, "`\(key)` is not six digits", "write all six of the label, also a zero at the beginning"
      )
    case .badPassword(let bytes):
      words(
        ofPassword: value, "\(bytes) bytes; a WiFi password has 8…63, or is a key of 64 hex digits")
    }
  }

  private static func words(
    ofPassword value: SettingValue, _ length: String
  ) -> (code: DiagnosticCode, message: String, advice: String?) {
    // Not too many letters, but some have more than one byte.
    let hasFewLetters = !value.text.allSatisfy(\.isASCII) && !value.isLonger(than: 63)
    return (
      hasFewLetters ? .wrongByteLength : .badPassword, "`password` has \(length)",
      "for an open network leave `password` out"
    )
  }
}

extension SettingValue {
  /// The text, also of a secret; empty for other values.
  fileprivate var text: String {
    switch self {
    case .text(let text): text
    case .secret(let secret): secret.reveal()
    case .integer, .uuid, .duration: ""
    }
  }

  /// Whether the text has more Unicode scalars than `count`.
  fileprivate func isLonger(than count: Int) -> Bool { text.unicodeScalars.count > count }
}
