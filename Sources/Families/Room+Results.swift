package import Model

extension Room {
  /// The room's settings in the profile's order, each with its state.
  package func settingResults(
    _ seal: SecretSeal?, _ state: (SettingName) -> SettingState
  ) -> [SettingResult] {
    let order = DeviceProfiles[profile]?.settings.map(\.name) ?? settings.keys.sorted()
    return settingResults(in: order, seal, state)
  }
}
