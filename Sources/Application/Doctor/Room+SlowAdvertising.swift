import Model

extension Room {
  /// The settings of its family that can make its device advertise so rarely that connections fail.
  var cautionedSettings: [SettingDescription] {
    family.settings.filter { setting in
      if case .duration = setting.kind { setting.caution != nil } else { false }
    }
  }

  /// Its advertising interval if it is longer than the family's limit for reliable connections; otherwise nil.
  var cautionedInterval: Duration? {
    cautionedSettings.compactMap { setting -> Duration? in
      guard case .duration(let interval)? = settings[setting.name], let caution = setting.caution,
        interval > caution.longest
      else { return nil }
      return interval
    }.max()
  }
}
