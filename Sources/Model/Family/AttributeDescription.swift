/// What there is to know of a characteristic of a family's devices, for people that look into one.
public struct AttributeDescription: Sendable {
  /// What people call it: `room name`.
  public var title: String
  /// The settings that it holds; none where it holds no setting.
  public var settings: [SettingName]
  /// Whether its value is a secret: it is neither read nor shown.
  public var isSecret: Bool
  /// The settings in a value that was read; a value that means nothing is there as hex.
  public var decode: @Sendable ([UInt8]) -> [HeldSetting]

  /// A characteristic without a value to decode, unless that is given.
  public init(
    _ title: String, settings: [SettingName] = [], isSecret: Bool = false,
    decode: @escaping @Sendable ([UInt8]) -> [HeldSetting] = { _ in [] }
  ) {
    self.title = title
    self.settings = settings
    self.isSecret = isSecret
    self.decode = decode
  }
}
