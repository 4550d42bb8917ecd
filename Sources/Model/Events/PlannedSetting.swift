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
