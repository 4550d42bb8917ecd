/// A setting that would be written to a room's device.
public struct PlannedSetting: Hashable, Sendable, Codable {
  /// How the value compares to what the record has the device holding. The names are frozen.
  public enum Change: String, Hashable, Sendable, Codable, CaseIterable {
    /// The record knows of no earlier value.
    case set
    /// The device was given another value before.
    case changed
    /// The device was given the same value before.
    case unchanged
  }

  /// Which setting.
  public var name: SettingName
  /// The value that would be written; nil of a secret.
  public var value: String?
  /// The value that the record has the device holding; nil of a secret, and where there is none.
  public var recorded: String?
  /// How the two compare; nil where that cannot be told.
  public var change: Change?

  /// A setting.
  public init(name: SettingName, value: String?, recorded: String? = nil, change: Change? = nil) {
    self.name = name
    self.value = value
    self.recorded = recorded
    self.change = change
  }
}

extension PlannedSetting {
  /// A value that would be written to the device of `lastWrite`; nil of a device that was never written.
  /// - Parameters:
  ///   - wanted: the setting as the room wants it, its secret sealed with `sealKey`.
  ///   - isOfRoom: whether `lastWrite` was for the same room: secrets of other rooms have other fingerprints.
  package init(_ wanted: SettingResult, sealKey: String?, over lastWrite: Deed?, isOfRoom: Bool) {
    self.init(name: wanted.name, value: wanted.value)
    guard let lastWrite, let old = lastWrite.settings.first(where: { $0.name == wanted.name }) else {
      change = .set
      return
    }
    // What was intended and never confirmed, the device may hold or not.
    guard old.state != .notWritten || lastWrite.settingsRecorded[wanted.name] != nil else { return }
    recorded = old.value
    if let value = wanted.value, let recorded {
      change = value == recorded ? .unchanged : .changed
    } else if let new = wanted.fingerprint, let fingerprint = old.fingerprint, isOfRoom,
      sealKey == lastWrite.sealKey
    {
      change = new == fingerprint ? .unchanged : .changed
    }
  }
}
