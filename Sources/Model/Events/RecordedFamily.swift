/// The properties of a device family that later readers of a record need.
package struct RecordedFamily: Hashable, Sendable, Codable {
  package var id: FamilyID
  package var title: String
  package var words: DeviceWords
  package var isRewritable: Bool
  package var settings: [Setting]
  /// The digest of the file that describes it; nil for a built-in family.
  package var digest: String?

  package struct Setting: Hashable, Sendable, Codable {
    package var name: SettingName
    package var title: String
    package var shortTitle: String
    package var isOnAir: Bool
    package var isWritten: Bool

    enum CodingKeys: String, CodingKey {
      case name, title
      case shortTitle = "short_title"
      case isOnAir = "on_air"
      case isWritten = "written"
    }
  }

  enum CodingKeys: String, CodingKey {
    case id, title, words
    case isRewritable = "rewritable"
    case settings, digest
  }

  package init(_ family: DeviceFamily) {
    id = family.id
    title = family.title
    words = family.words
    digest = family.digest
    isRewritable = family.lifecycle.isRewritable
    settings = family.settings.map {
      Setting(
        name: $0.name, title: $0.title, shortTitle: $0.shortTitle, isOnAir: $0.isOnAir,
        isWritten: $0.isWritten)
    }
  }

  package var hasIdentity: Bool { settings.contains(where: \.isOnAir) }

  /// Whether a label can have the credentials of a device; a password that a person gave it is on none.
  package var hasCredentialsOnLabel: Bool { !settings.contains { $0.name == .adminPassword } }

  /// The settings that are expected on air and never written.
  package var expectedSettings: Set<SettingName> { Set(settings.filter { !$0.isWritten }.map(\.name)) }
}
