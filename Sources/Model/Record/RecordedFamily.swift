/// The properties of a device family that later readers of a record need.
package struct RecordedFamily: Hashable, Sendable, Codable {
  package var id: ProfileID
  /// The display name.
  package var title: String
  package var words: DeviceWords
  /// Whether a configured device can be written again without an operator action.
  package var isRewritable: Bool
  /// The settings, in display order.
  package var settings: [Setting]

  package struct Setting: Hashable, Sendable, Codable {
    package var name: SettingName
    /// The display name.
    package var title: String
    /// The display name before a value.
    package var shortTitle: String
    /// Whether the device's identity contains it.
    package var isOnAir: Bool
    /// Whether it is written; otherwise it is only expected on air.
    package var isWritten: Bool

    enum CodingKeys: String, CodingKey {
      case name
      case title
      case shortTitle = "short_title"
      case isOnAir = "on_air"
      case isWritten = "written"
    }
  }

  enum CodingKeys: String, CodingKey {
    case id
    case title
    case words
    case isRewritable = "rewritable"
    case settings
  }

  package init(_ family: DeviceFamily) {
    id = family.id
    title = family.title
    words = family.words
    isRewritable = family.lifecycle.isRewritable
    settings = family.settings.map {
      Setting(
        name: $0.name, title: $0.title, shortTitle: $0.shortTitle, isOnAir: $0.isOnAir,
        isWritten: $0.isWritten)
    }
  }

  /// Whether its devices have an identity on air.
  package var hasIdentity: Bool { settings.contains(where: \.isOnAir) }

  /// The settings that are expected on air and never written.
  package var expectedSettings: Set<SettingName> { Set(settings.filter { !$0.isWritten }.map(\.name)) }
}
