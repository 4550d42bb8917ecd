import Model

extension BuildingReport {
  /// The progress of the building, in one clause; the same in every output.
  var verdict: String {
    let counted = counted
    let done = counted.count { $0.state == .done }
    if counted.isEmpty { return "No rooms on record" }
    if done == counted.count { return done == 1 ? "The only room is done" : "All \(done) rooms done" }
    return "\(done) of \(counted.count.rooms) done"
  }

  /// The number of rooms in each other state, of those that count and of those out of service.
  var others: [(state: RoomStatus.Kind, count: Int)] {
    RoomStatus.Kind.allCases.filter { $0 != .done }.map { state in
      (state, rooms.count { $0.isInManifest && $0.state == state })
    }.filter { $0.count > 0 }
  }
}

extension RoomStatus.Kind {
  var words: String {
    switch self {
    case .untried: "not tried"
    case .actionRequired: "action required"
    case .conflicting: "conflicting runs"
    case .withoutDevice: "without a device"
    case .done, .changed, .missing, .unconfirmed, .open, .accepted, .retired: rawValue
    }
  }

  /// The state as a clause.
  var meaning: String {
    switch self {
    case .done: "provisioned, with the evidence given"
    case .changed: "provisioned, and the manifest has changed since"
    case .missing: "provisioned, but not received when it was searched for"
    case .unconfirmed: "written, but nothing shows that the settings were kept"
    case .actionRequired: "only a person can make the next step"
    case .conflicting: "runs that did not know each other changed it"
    case .open: "tried or searched for, but not done"
    case .withoutDevice: "its device is out of service"
    case .untried: "no run has tried it"
    case .accepted: "accepted as it is by a person"
    case .retired: "taken out of service"
    }
  }

  /// A symbol that differs from the others without colour.
  var symbol: String {
    switch self {
    case .done: "✓"
    case .changed: "↻"
    case .missing: "∅"
    case .unconfirmed: "?"
    case .actionRequired: "!"
    case .conflicting: "≠"
    case .open: "✗"
    case .withoutDevice: "□"
    case .untried: "○"
    case .accepted: "✎"
    case .retired: "–"
    }
  }
}

extension Evidence.Grade {
  var plainWords: String {
    switch self {
    case .freshBeacon: "beacon received after the save"
    case .freshBeaconUnacknowledged: "new beacon received after the save"
    case .freshBeaconOtherAddress: "beacon received after the save, from a new address"
    case .beaconOnAir: "beacon on air"
    case .readBack, .settingsReadBack: "settings read back"
    case .deviceStatus: "the device reported that it is done"
    case .savedStatus: "the device reported that it saved"
    case .selfDisconnect: "the device ended the link after the write"
    }
  }

  /// Why it is weaker than a received beacon; nil for a beacon.
  var weakness: String? {
    switch self {
    case .freshBeacon, .freshBeaconOtherAddress, .beaconOnAir, .deviceStatus, .settingsReadBack: nil
    case .freshBeaconUnacknowledged: "it did not acknowledge the save; its identity is new"
    case .readBack: "the settings were read back; its beacon was not received"
    case .savedStatus: "reported over the link; its beacon was not received"
    case .selfDisconnect:
      "it ended the link, which confirms the write; a lost link looks the same"
    }
  }
}

extension SettingState {
  static var strongestFirst: [Self] { allCases.reversed() }

  var words: String {
    switch self {
    case .notWritten: "not written"
    case .submitted: "sent, not confirmed"
    case .written: "written, not acknowledged"
    case .acknowledged, .proved: rawValue
    }
  }
}

extension [SettingResult] {
  /// How many settings have each state, the weakest state last.
  var summary: String {
    func count(_ state: SettingState) -> Int { self.count { $0.state == state } }
    return SettingState.strongestFirst.filter { count($0) > 0 }.map { "\(count($0)) \($0.words)" }
      .joined(separator: ", ")
  }
}

extension RoomGrid.Mark {
  var words: String { state?.words ?? "in progress" }
  /// The mark as a clause.
  var meaning: String { state?.meaning ?? "a run works on it now" }
  /// A symbol that differs from the others without colour.
  package var symbol: String { state?.symbol ?? "⋯" }
}

extension RunStarted {
  /// The person, unless nobody is on record, and the computer: `anna on laptop-2`.
  var operatorWords: String { [operatedBy, host].compactMap(\.self).joined(separator: " on ") }
}
