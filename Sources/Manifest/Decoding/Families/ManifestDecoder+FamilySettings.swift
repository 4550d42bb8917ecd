import Bluetooth
import Model
import Source
import YAML

struct FamilySettings {
  var all: [SettingDescription] = []
  var places: [SettingName: SourceRange] = [:]
  /// The names of those with an error, which has been reported.
  var faulty: Set<String> = []
  /// What a device has that nobody configured.
  var factory: [SettingName: SettingValue] = [:]

  subscript(name: String) -> SettingDescription? { all.first { $0.name.rawValue == name } }

  var factoryOfWritten: [SettingName: SettingValue] {
    factory.filter { name, _ in all.contains { $0.name == name && $0.isWritten } }
  }
}

extension ManifestDecoder {
  mutating func familySettings(_ node: YAMLNode) -> FamilySettings {
    var settings = FamilySettings()
    guard
      let entries = entries(of: node, "`settings` is a mapping of names and descriptions", canBeEmpty: false)
    else { return settings }
    var seen: Set<String> = []
    for entry in entries where seen.insert(entry.key).inserted {
      show(entry.keyRange)
      guard checkName(entry), let fields = fields(of: entry.value, "a setting", known: Vocabulary.setting),
        let (setting, factory) = setting(entry, fields)
      else {
        settings.faulty.insert(entry.key)
        continue
      }
      settings.all.append(setting)
      settings.places[setting.name] = entry.keyRange
      settings.factory[setting.name] = factory
    }
    return settings
  }

  private mutating func checkName(_ entry: YAMLNode.Entry) -> Bool {
    let isValid =
      (1...32).contains(entry.key.utf8.count) && entry.key.first?.isLetter == true
      && entry.key.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0.isDigit || $0 == UInt8(ascii: "_") }
    guard isValid else {
      error(
        .badIdentifier, "a setting's name has other characters than a–z, 0–9 and _, or more than 32",
        at: entry.keyRange)
      return false
    }
    guard !Vocabulary.isReserved(entry.key) else {
      error(
        .conflictingSetting, "this name is a key of manifests", at: entry.keyRange,
        advice: "give it another name")
      return false
    }
    return true
  }

  private mutating func setting(
    _ entry: YAMLNode.Entry, _ fields: Fields
  ) -> (SettingDescription, factory: SettingValue?)? {
    guard
      let node = required(
        "type", in: fields, "a setting without `type`", at: entry.keyRange,
        advice: "one of: \(FamilyForm.Kind.words.map(\.word).listed)"),
      let type = word(node, "type", FamilyForm.Kind.words)
    else { return nil }
    let isWritten = fields["written"].flatMap { truth($0, "written") } ?? true
    let title = fields["title"].flatMap { label($0, "title") }
    let short = fields["short"].flatMap { label($0, "short") }
    let about = fields["about"].flatMap { phrase($0, "about") }
    let isOptional = fields["optional"].flatMap { truth($0, "optional") } ?? false
    let isShared = fields["shared"].flatMap { truth($0, "shared") } ?? false
    let shown = title ?? entry.key.split(separator: "_").joined(separator: " ")
    let isSecret = fields["secret"].flatMap { truth($0, "secret") } ?? false
    guard var kind = kind(type, fields, at: entry.keyRange) else { return nil }
    if isSecret, type != .password { kind = .secret(kind) }
    var setting = SettingDescription(
      SettingName(rawValue: entry.key), shown, short: short, kind, isRequired: !isOptional && isWritten,
      isWritten: isWritten, isShareable: isShared, isOnLabel: isSecret,
      documentation: about ?? "The \(shown).")
    guard checkMeaning(of: setting, at: entry.keyRange) else { return nil }
    let factory = fields["factory"].flatMap { value($0, "factory", setting) }
    if case .uuid(let uuid)? = factory, isWritten { setting.kind = .uuid(except: [uuid, .zero]) }
    return (setting, factory)
  }

  /// Reports a setting whose name has a meaning in manifests that its description does not have.
  private mutating func checkMeaning(of setting: SettingDescription, at range: SourceRange) -> Bool {
    let expected: String? =
      switch (setting.name, setting.kind) {
      case (.roomName, .text), (.wifiSSID, .text), (.wifiPassword, .wifiPassword):
        setting.isWritten ? nil : "written"
      case (.beaconUUID, .uuid), (.beaconMajor, .integer(0...65535)):
        setting.isWritten ? "`written: false`" : nil
      case (.roomName, _), (.wifiSSID, _): "of type `text`"
      case (.wifiPassword, _): "of type `password`"
      case (.beaconUUID, _): "of type `uuid`"
      case (.beaconMajor, _): "of type `integer` with `range: 0..65535`"
      case (_, .wifiPassword): "called `wifi_password`; another secret has `secret: true`"
      default:
        setting.isWritten ? nil : "called `beacon_uuid` or `beacon_major`, because only these are not written"
      }
    guard let expected else { return true }
    error(.conflictingSetting, "this setting must be \(expected)", at: range)
    return false
  }

  private mutating func kind(
    _ type: FamilyForm.Kind, _ fields: Fields, at range: SourceRange
  ) -> SettingDescription.Kind? {
    let keys: [String] =
      switch type {
      case .integer: ["range"]
      case .text, .bytes: ["bytes"]
      case .password, .uuid: []
      case .choice: ["values"]
      case .decimal, .duration: ["range", "step"]
      }
    for key in ["range", "bytes", "step", "values"] where !keys.contains(key) {
      guard let entry = fields.entry(key) else { continue }
      error(
        .misplacedKey, "a setting of type `\(type.rawValue)` has no `\(key)`", at: entry.keyRange,
        advice: "leave it out")
    }
    for key in keys where fields[key] == nil {
      return refused(.missingKey, "a setting of type `\(type.rawValue)` without `\(key)`", at: range)
    }
    switch type {
    case .integer:
      return fields["range"].flatMap { bounds($0, "range", SettingDescription.integers) }.map { .integer($0) }
    case .decimal: return decimals(fields)
    case .text: return fields["bytes"].flatMap { bounds($0, "bytes", 0...512) }.map { .text(bytes: $0) }
    case .bytes: return fields["bytes"].flatMap { bounds($0, "bytes", 1...512) }.map { .bytes($0) }
    case .password: return .wifiPassword
    case .uuid: return .uuid(except: [.zero])
    case .choice: return fields["values"].flatMap { choices($0) }.map { .choice($0) }
    case .duration: return durations(fields)
    }
  }

  private mutating func decimals(_ fields: Fields) -> SettingDescription.Kind? {
    guard let range = fields["range"], let text = text(range, "range"), let step = fields["step"],
      let stepText = self.text(step, "step")
    else { return nil }
    guard let unit = DecimalStep(stepText) else {
      return refused(
        .notANumber, "`step` is not a decimal number above 0", at: step.range, advice: "for example 0.5")
    }
    let parts = text.components(around: "..").map { unit.count($0) }
    guard parts.count == 2, let lower = parts[0], let upper = parts[1], lower <= upper else {
      return refused(
        .notANumber, "`range` is not a range of whole steps", at: range.range,
        advice: "write the least and the largest number: -5.0..5.0")
    }
    return .decimal(lower...upper, step: unit)
  }

  private mutating func durations(_ fields: Fields) -> SettingDescription.Kind? {
    guard let range = fields["range"], let text = text(range, "range"), let step = fields["step"],
      let stepText = self.text(step, "step")
    else { return nil }
    let parts = text.components(around: "..").map { Duration(fine: $0) }
    guard parts.count == 2, let lower = parts[0], let upper = parts[1], lower <= upper else {
      return refused(
        .notADuration, "`range` is not a range of durations", at: range.range,
        advice: "write two durations: 100ms..40s")
    }
    guard .zero < lower, upper <= ManifestLimits.longestTimeout else {
      return refused(.outOfRange, "`range` must begin above 0 and end at most at 60m", at: range.range)
    }
    guard let unit = Duration(fine: stepText), unit > .zero, unit <= upper else {
      return refused(
        .notADuration, "`step` is not a duration", at: step.range, advice: "for example 1ms or 625us")
    }
    return .duration(lower...upper, step: unit)
  }

  private mutating func choices(_ node: YAMLNode) -> [SettingChoice]? {
    guard
      let entries = entries(
        of: node, "`values` is a mapping of names and codes", canBeEmpty: false,
        advice: "for example { low: 0, high: 1 }")
    else { return nil }
    var choices: [SettingChoice] = []
    for entry in entries {
      show(entry.keyRange)
      if entry.value.entries == nil {
        guard let code = integer(entry.value, entry.key, in: SettingDescription.integers) else { continue }
        choices.append(SettingChoice(entry.key, meaning: entry.key, code: code))
      } else if let fields = fields(of: entry.value, "a value", known: Vocabulary.choice) {
        guard let node = required("code", in: fields, "a value without `code`", at: entry.keyRange),
          let code = integer(node, "code", in: SettingDescription.integers)
        else { continue }
        let meaning = fields["meaning"].flatMap { label($0, "meaning") } ?? entry.key
        choices.append(SettingChoice(entry.key, meaning: meaning, code: code))
      }
    }
    return choices.isEmpty ? nil : choices
  }
}
