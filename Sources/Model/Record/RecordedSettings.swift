/// The settings that earlier attempts wrote to a device for its room, as far as the record knows.
package struct RecordedSettings: Hashable, Sendable {
  /// The settings that were written; secrets are not on record.
  package var values: [SettingName: SettingValue]
  /// Whether a save was submitted whose result is unknown: then the run may correct whatever the device
  /// holds.
  package var isSubmitted: Bool

  /// Whether only this run has written the device.
  package var isOfThisRun: Bool

  package init(values: [SettingName: SettingValue], isSubmitted: Bool, isOfThisRun: Bool) {
    (self.values, self.isSubmitted, self.isOfThisRun) = (values, isSubmitted, isOfThisRun)
  }
}
