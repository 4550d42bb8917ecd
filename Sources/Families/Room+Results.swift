package import Model

extension Room {
  /// Its settings in the profile's order, each as far as `state` says.
  package func settingResults(
    _ seal: SecretSeal?, _ state: (SettingName) -> SettingState
  ) -> [SettingResult] {
    let order = DeviceProfiles[profile]?.settings.map(\.name) ?? settings.keys.sorted()
    return settingResults(in: order, seal, state)
  }
}
