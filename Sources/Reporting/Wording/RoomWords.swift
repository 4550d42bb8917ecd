import Model

extension Outcome {
  package var words: String { rawValue.replacing("_", with: " ") }

  /// A symbol that differs from the others without colour.
  var symbol: String {
    switch kind {
    case .done: "✓"
    case .failed: "✗"
    case .action: "!"
    case .other: "–"
    }
  }
}

extension RoomReport {
  /// The outcome in words. A registered room is never written, so its words differ.
  var outcomeWords: String {
    if isDoneOnRecordOnly { return "done on record, not received now" }
    return isRegistered && outcome == .alreadyProvisioned ? "registered, on air" : outcome.words
  }

  /// `2, 3 not counted: adapter full`.
  var attemptWords: String { "\(attempts)\(exemptionWords)" }

  /// How many attempts do not count and why, for use after the number of those that do; empty if all count.
  var exemptionWords: String {
    AttemptExemption.allCases.filter { attempts(notCounted: $0) > 0 }
      .map { ", \(attempts(notCounted: $0)) \($0.clause)" }.joined()
  }

  /// The same for a cell of a table: `adapter_full 3`.
  var exemptions: String {
    AttemptExemption.allCases.filter { attempts(notCounted: $0) > 0 }
      .map { "\($0.rawValue) \(attempts(notCounted: $0))" }.joined(separator: "; ")
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

extension RunStarted {
  /// The person, unless nobody is on record, and the computer: `anna on laptop-2`.
  var operatorWords: String { [operatedBy, host].compactMap(\.self).joined(separator: " on ") }
}
