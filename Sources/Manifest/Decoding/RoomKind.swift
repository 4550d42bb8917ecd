import Model

/// What decides which keys a room has: its device family, and whether its device is written at all.
struct RoomKind {
  /// The family; nil where the manifest names one that does not exist, which has been said.
  let profile: (any DeviceFamily)?
  /// Whether its device was configured elsewhere, and is only looked for.
  let isRegistered: Bool

  /// Whether its rooms take a setting of the family.
  func takes(_ setting: SettingDescription) -> Bool { !isRegistered || setting.isOnAir }

  /// Whether its rooms take a setting of this name.
  func takes(_ name: SettingName) -> Bool {
    profile?.settings.contains { $0.name == name && takes($0) } ?? false
  }

  /// Whether a beacon proves its devices.
  var isProvedByBeacon: Bool { !isRegistered && profile?.hasIdentity ?? true }

  /// Whether its devices can be asked for the networks that they receive.
  var canCheckWiFi: Bool { !isRegistered && profile?.listsNetworks ?? true }

  /// The stages that have a timeout here.
  var stages: [Stage] { isRegistered ? [.search] : profile?.stages ?? Stage.allCases }

  /// What takes or does not take something: `a Robo Sensor`.
  var words: String {
    if isRegistered { return "a registered room" }
    return profile.map(\.withArticle) ?? "a room"
  }
}

extension DeviceFamily {
  /// `a Robo Sensor`.
  var withArticle: String { ("AEIOU".contains(title.prefix(1)) ? "an " : "a ") + title }
}

extension [any DeviceFamily] {
  /// `a Robo Sensor or a Firefly`.
  var listed: String { map(\.withArticle).joined(separator: " or ") }
}
