/// The description of a characteristic, for `inspect`.
package struct AttributeDescription: Sendable {
  /// The display name: `room name`.
  package var title: String
  /// The settings in its value.
  package var settings: [SettingName]
  /// Whether its value is a secret, which is neither read nor shown.
  package var isSecret: Bool
  /// Decodes a value; one that cannot be decoded is shown in hex.
  package var decode: @Sendable ([UInt8]) -> [HeldSetting]

  /// Decodes nothing by default.
  package init(
    _ title: String, settings: [SettingName] = [], isSecret: Bool = false,
    decode: @escaping @Sendable ([UInt8]) -> [HeldSetting] = { _ in [] }
  ) {
    self.title = title
    self.settings = settings
    self.isSecret = isSecret
    self.decode = decode
  }
}
