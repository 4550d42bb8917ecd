/// The settings that earlier attempts wrote to a device for its room, as far as the record knows.
package struct RecordedSettings: Hashable, Sendable {
  /// The settings that were written; secrets are not on record.
  package var values: [SettingName: SettingValue]
  /// Whether a save was submitted whose result is unknown: then the run may correct whatever the device
  /// holds.
  package var isSubmitted: Bool

  /// Whether they are those that the room wants, secrets included as far as their seals can be compared.
  package var areWanted: Bool

  package init(values: [SettingName: SettingValue], isSubmitted: Bool, areWanted: Bool) {
    (self.values, self.isSubmitted, self.areWanted) = (values, isSubmitted, areWanted)
  }
}
