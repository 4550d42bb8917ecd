/// A setting that would be written to a room's device.
package struct PlannedSetting: Hashable, Sendable, Codable {
  /// The new value compared with the recorded one. The names are frozen.
  package enum Change: String, Hashable, Sendable, Codable, CaseIterable {
    case set
    case changed
    case unchanged
  }

  package var name: SettingName
  package var value: String?
  package var recorded: String?
  package var change: Change?

  package init(name: SettingName, value: String?, recorded: String? = nil, change: Change? = nil) {
    (self.name, self.value, self.recorded, self.change) = (name, value, recorded, change)
  }
}

extension PlannedSetting {
  /// A setting for a device, compared with `lastWrite`; nil for a device that was never written.
  /// - Parameters:
  ///   - wanted: the setting that the room wants, its secret sealed with `sealKey`.
  ///   - isOfRoom: whether `lastWrite` was for the same room: secrets of other rooms have other fingerprints.
  package init(_ wanted: SettingResult, sealKey: String?, over lastWrite: LastWrite?, isOfRoom: Bool) {
    self.init(name: wanted.name, value: wanted.value)
    let old = lastWrite?.settings.first { $0.name == wanted.name }
    // Whether the device holds a setting that was never confirmed is unknown.
    if let old, !old.state.isConfirmed, lastWrite?.settingsRecorded[wanted.name] == nil { return }
    recorded = old?.value
    let isComparable = isOfRoom && sealKey == lastWrite?.sealKey
    change =
      lastWrite.map { $0.change(to: wanted, sealed: isComparable ? wanted.fingerprint : nil)?.change } ?? .set
  }
}
