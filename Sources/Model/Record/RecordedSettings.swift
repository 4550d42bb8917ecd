/// The settings that earlier attempts wrote to a device for its room, as far as the record knows.
package struct RecordedSettings: Hashable, Sendable {
  /// The settings that were written; secrets are not on record.
  package var values: [SettingName: SettingValue]
  /// Whether a save was submitted whose result is unknown: then the run may correct whatever the device
  /// holds.
  package var isSubmitted: Bool

  /// Whether the device accepted a command of this run, so that it carries out no earlier one.
  package var isAccepted: Bool
  /// Whether it accepted a command of an earlier run with the settings that the room has now.
  package var wasAccepted: Bool
  /// Whether the device has the settings that the room has now, secrets included, by the last write to it.
  package var isProved: Bool

  package init(
    values: [SettingName: SettingValue], isSubmitted: Bool, isAccepted: Bool, wasAccepted: Bool = false,
    isProved: Bool = false
  ) {
    (self.values, self.isSubmitted) = (values, isSubmitted)
    (self.isAccepted, self.wasAccepted, self.isProved) = (isAccepted, wasAccepted, isProved)
  }
}
