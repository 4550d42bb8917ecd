import Model

/// Where a building stands, in words for people.
extension BuildingRoom.Standing {
  /// How far a room is.
  var words: String {
    switch self {
    case .done: "done"
    case .outdated: "outdated"
    case .unconfirmed: "unconfirmed"
    case .open: "open"
    case .untried: "not tried"
    case .accepted: "accepted"
    case .retired: "out of service"
    }
  }

  /// In a count: `3 not confirmed`.
  var countWords: String {
    switch self {
    case .done: "done"
    case .outdated: "with other settings than the manifest"
    case .unconfirmed: "not confirmed"
    case .open: "not done"
    case .untried: "not tried"
    case .accepted: "accepted as they are"
    case .retired: "retired"
    }
  }

  /// What that means.
  var meaning: String {
    switch self {
    case .done: "provisioned as wanted, by the evidence given"
    case .outdated: "provisioned, with other settings than the manifest has now"
    case .unconfirmed: "written, and not proved"
    case .open: "tried or looked for, and not done"
    case .untried: "no run has tried it"
    case .accepted: "accepted by a person as it is"
    case .retired: "taken out of service"
    }
  }

  /// A sign that can be told from the others without colour.
  var symbol: String {
    switch self {
    case .done: "✓"
    case .outdated: "↻"
    case .unconfirmed: "?"
    case .open: "✗"
    case .untried: "○"
    case .accepted: "✎"
    case .retired: "–"
    }
  }
}

extension Evidence.Grade {
  /// What was seen.
  var plainWords: String {
    switch self {
    case .freshBeacon: "beacon heard after the save"
    case .freshBeaconOtherAddress: "beacon heard after the save, from a new address"
    case .beaconOnAir: "beacon heard on air"
    case .readBack: "settings read back"
    case .savedStatus: "the device said that it saved"
    case .selfDisconnect: "the device ended the link after the write"
    }
  }

  /// Why that is less than a beacon; nil where it is one.
  var plainWeakness: String? {
    switch self {
    case .freshBeacon, .freshBeaconOtherAddress, .beaconOnAir: nil
    case .readBack, .savedStatus: "weak: its beacon was not heard"
    case .selfDisconnect: "weak: a lost link looks the same"
    }
  }
}

extension SettingState {
  /// How far a setting got.
  var words: String { self == .notWritten ? "not written" : rawValue }
}

extension [SettingResult] {
  /// How many settings got how far; what is least sure stands last.
  var summary: String {
    func count(_ state: SettingState) -> Int { self.count { $0.state == state } }
    let parts = [SettingState.proved, .written, .notWritten].filter { count($0) > 0 }
    return parts.map { "\(count($0)) \($0.words)" }.joined(separator: ", ")
  }
}
