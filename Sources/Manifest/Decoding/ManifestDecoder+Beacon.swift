import Bluetooth
import Families
import Model
import Source
import YAML

/// `beacon`: what the firmware of rooms' devices sends, where that is not the factory's. It is expected, and never written.
struct ExpectedBeacon {
  /// Its settings, where they are good.
  var settings: [SettingName: SettingValue] = [:]
  /// Where it is said.
  var key: SourceRange?
}

extension ManifestDecoder {
  /// What `beacon` says, by the names of the settings. What is wrong with it is said, and left out.
  mutating func beacon(_ node: YAMLNode) -> [SettingName: SettingValue] {
    guard let fields = fields(of: node, "`beacon`", known: Vocabulary.beacon) else { return [:] }
    if node.entries?.isEmpty == true {
      error(.missingKey, "`beacon` says nothing", at: node.range, advice: "give `uuid`, `major` or both")
    }
    var settings: [SettingName: SettingValue] = [:]
    for (key, name) in [("uuid", SettingName.beaconUUID), ("major", .beaconMajor)] {
      guard let node = fields[key] else { continue }
      settings[name] = expectedValue(node, key, name)
    }
    return settings
  }

  /// The same for the rooms of a place.
  mutating func takeBeacon(_ fields: Fields, into expected: inout ExpectedBeacon) {
    guard let entry = fields.entry("beacon") else { return }
    expected = ExpectedBeacon(settings: beacon(entry.value), key: entry.keyRange)
  }

  /// What a room's device is expected to send: each of uuid and major as the room says, else as all rooms have it.
  mutating func beaconSettings(
    _ fields: Fields, of kind: RoomKind, _ shared: ExpectedBeacon
  ) -> [SettingName: SettingValue] {
    guard let entry = fields.entry("beacon") else {
      return kind.takes(.beaconUUID) ? shared.settings : [:]
    }
    let own = beacon(entry.value)
    guard let profile = kind.profile else { return [:] }
    guard kind.takes(.beaconUUID) else {
      let isWritten = profile.settings.contains { $0.name == .uuid }
      error(
        .unsupportedKey, "\(profile.withArticle) takes no `beacon`", at: entry.keyRange,
        advice: isWritten
          ? "what its beacon sends is written to it: give `uuid` and `major`" : "leave `beacon` out")
      return [:]
    }
    return shared.settings.merging(own) { $1 }
  }

  /// Says that no room takes what all were to have in common.
  mutating func warnOfUnused(_ expected: ExpectedBeacon, by kinds: [RoomKind]) {
    guard !kinds.contains(where: { $0.takes(.beaconUUID) }) else { return }
    let takers: [any DeviceFamily] = DeviceProfiles.all.filter { family in
      family.settings.contains { $0.name == .beaconUUID }
    }
    if let range = expected.key {
      warning(
        .unusedDefault, "no room here takes `beacon`", at: range,
        advice: "\(takers.listed) does: check `profile`, or leave it out")
    }
  }

  private mutating func expectedValue(
    _ node: YAMLNode, _ key: String, _ name: SettingName
  ) -> SettingValue? {
    guard let description = DeviceProfiles.all.lazy.flatMap(\.settings).first(where: { $0.name == name })
    else { return nil }
    if case .integer(let bounds) = description.kind {
      return integer(node, key, in: bounds).map { .integer($0) }
    }
    guard let text = text(node, key) else { return nil }
    guard let value = description.value(text) else {
      error(
        .notAUUID, "`\(key)` is not a UUID", at: node.range,
        advice: "32 hex digits in groups of 8, 4, 4, 4 and 12")
      return nil
    }
    return check(value, by: description, called: key, at: node.range) ? value : nil
  }
}
