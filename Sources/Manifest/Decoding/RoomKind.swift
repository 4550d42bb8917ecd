package import Model

/// The properties that determine the keys of a room: the device family, and whether the device is written.
struct RoomKind {
  /// The family; nil when the manifest names an unknown one, which has been reported.
  let profile: Shared<DeviceFamily>?
  /// Whether the device was configured elsewhere, so that roboprov only looks for it.
  let isRegistered: Bool

  /// Whether such a room takes a setting of its family.
  func takes(_ setting: SettingDescription) -> Bool { !isRegistered || setting.isOnAir }

  func takes(_ name: SettingName) -> Bool {
    profile?.value[name].map(takes) ?? false
  }

  var isProvedByBeacon: Bool { !isRegistered && profile?.value.hasIdentity ?? true }

  /// Whether the device can list the networks that it receives.
  var canCheckWiFi: Bool { !isRegistered && profile?.value.listsNetworks ?? true }

  /// The stages with a timeout.
  var stages: [Stage] { isRegistered ? [.search] : profile?.value.stages ?? Stage.allCases }

  /// The subject of a message: `a Robo Sensor`.
  var words: String {
    if isRegistered { return "a registered room" }
    return profile.map(\.value.withArticle) ?? "a room"
  }
}

extension DeviceFamily {
  /// `a Robo Sensor`.
  package var withArticle: String { ("AEIOU".contains(title.prefix(1)) ? "an " : "a ") + title }
}

extension [DeviceFamily] {
  /// `a Robo Sensor or a Firefly`.
  var listed: String {
    let titles = map(\.withArticle)
    return [titles.dropLast().joined(separator: ", "), titles.last ?? ""].filter { !$0.isEmpty }
      .joined(separator: " or ")
  }
}
