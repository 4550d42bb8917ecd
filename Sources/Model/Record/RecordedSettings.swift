/// What earlier attempts gave to a device for its room, as far as the record knows.
public struct RecordedSettings: Hashable, Sendable {
  /// The settings that it was given; secrets are not on record.
  public var values: [SettingName: SettingValue]
  /// Whether it was begun to be written, and nobody knows how far that got: then whatever it holds is ours to mend.
  public var isSubmitted: Bool

  /// Settings on record.
  public init(values: [SettingName: SettingValue], isSubmitted: Bool) {
    self.values = values
    self.isSubmitted = isSubmitted
  }
}
