package import Model

/// The names of settings for people, as a record or a building has them.
package struct SettingTitles: Hashable, Sendable {
  private var titles: [SettingName: RecordedFamily.Setting] = [:]

  /// Families that share a setting name it in the same way.
  package init(_ families: [RecordedFamily] = []) {
    for setting in families.flatMap(\.settings) where titles[setting.name] == nil {
      titles[setting.name] = setting
    }
  }

  package init(_ families: FamilyCatalogue) { self.init(families.all.map { RecordedFamily($0) }) }

  /// The name of a setting within a sentence.
  func words(_ name: SettingName) -> String {
    titles[name].map { "the \($0.title.visible)" } ?? "the setting “\(plain(name))”"
  }

  func title(_ name: SettingName) -> String { titles[name]?.title.visible ?? plain(name) }

  /// The name of a setting in front of its value.
  func short(_ name: SettingName) -> String { titles[name]?.shortTitle.visible ?? plain(name) }

  /// The machine name with spaces, for a setting that no family has.
  private func plain(_ name: SettingName) -> String { name.rawValue.visible.replacing("_", with: " ") }
}
