import Bluetooth
import Model
import Source
import YAML

/// The value of `beacon`: what the firmware of the rooms' devices advertises, where it differs from the
/// factory's. It is expected on air and never written.
struct ExpectedBeacon {
  var settings: [SettingName: SettingValue] = [:]
  var key: SourceRange?
}

extension ManifestDecoder {
  /// Decodes `beacon` to settings. Invalid ones are reported and left out.
  mutating func beacon(_ node: YAMLNode) -> [SettingName: SettingValue] {
    guard let fields = fields(of: node, "`beacon`", known: Vocabulary.beacon) else { return [:] }
    if node.entries?.isEmpty == true {
      error(.missingKey, "`beacon` is empty", at: node.range, advice: "give `uuid`, `major` or both")
    }
    var settings: [SettingName: SettingValue] = [:]
    for (key, name) in [("uuid", SettingName.beaconUUID), ("major", .beaconMajor)] {
      guard let node = fields[key] else { continue }
      settings[name] = families.setting(name).flatMap { setting(node, $0, called: key) }
    }
    return settings
  }

  /// Decodes `beacon` for the rooms of a scope.
  mutating func takeBeacon(_ fields: Fields, into expected: inout ExpectedBeacon) {
    guard let entry = fields.entry("beacon") else { return }
    expected = ExpectedBeacon(settings: beacon(entry.value), key: entry.keyRange)
  }

  /// The expected beacon of a room's device: UUID and major from the room, else from its scope.
  mutating func beaconSettings(
    _ fields: Fields, of kind: RoomKind, _ shared: ExpectedBeacon
  ) -> [SettingName: SettingValue] {
    guard let entry = fields.entry("beacon") else {
      return kind.takes(.beaconUUID) ? shared.settings : [:]
    }
    let own = beacon(entry.value)
    guard let profile = kind.profile?.value else { return [:] }
    guard kind.takes(.beaconUUID) else {
      let isWritten = profile.settings.contains { $0.name == .uuid }
      error(
        .unsupportedKey, "\(profile.withArticle) takes no `beacon`", at: entry.keyRange,
        advice: isWritten
          ? "roboprov writes its beacon: give `uuid` and `major`" : "leave `beacon` out")
      return [:]
    }
    return shared.settings.merging(own) { $1 }
  }
}
