package import Model

extension Outcome: OutputNames {
  package static let definition = "outcome"
  package static let about = "How a room ended. Every selected room ends with exactly one."
  package var documentation: String {
    switch self {
    case .provisioned: "Written and proved at the first attempt that counts."
    case .provisionedAfterRetry: "Written and proved after at least one failed attempt that counts."
    case .alreadyProvisioned: "It was as wanted before this run."
    case .actionRequired: "The operator must act first."
    case .unconfirmed: "Written and possibly kept, but not proved."
    case .failed: "Attempted and not done."
    case .unreachable: "Never reached."
    case .ambiguous: "Several devices match."
    case .pending: "Not attempted in this run."
    case .skipped: "Deselected."
    case .cancelled: "The run ended first."
    }
  }
}

extension Evidence.Grade: OutputNames {
  package static let definition = "evidence_grade"
  package static let about = "How strong evidence is, strongest first."
  package var documentation: String {
    switch self {
    case .freshBeacon:
      "Its beacon with the written identity, from the address that was written, first received after the save, which it acknowledged."
    case .freshBeaconUnacknowledged:
      "The same after a save that it did not acknowledge. It did not have this identity before, so it kept something of this save; nothing shows which of the other settings."
    case .freshBeaconOtherAddress:
      "A beacon with the written identity from one other address that was not received before: the device changed its address."
    case .beaconOnAir: "Its beacon was on air with the wanted identity before this run wrote anything."
    case .readBack: "The device held the wanted settings when it was read; its beacon was not received."
    case .deviceStatus:
      "The device reported over the link, after the command of this attempt, that it has its settings; its family sends no better evidence."
    case .settingsReadBack:
      "Everything that can be read was read, after the last write if there was one, and is as wanted; its family sends no better evidence."
    case .savedStatus: "The device reported over the link that it saved; nothing was received afterwards."
    case .selfDisconnect:
      "The device ended the link after the write, as it does when it has accepted it. Weak: a lost link looks the same."
    }
  }
}

extension SettingState: OutputNames {
  package static let definition = "setting_state"
  package static let about = "The state of a setting."
  package var documentation: String {
    switch self {
    case .notWritten: "Not sent to the device, or rejected by it."
    case .submitted:
      "Sent to the device, or about to be when the run was killed; the device did not answer and may hold it."
    case .written: "The device confirmed the write; nothing shows that it kept it."
    case .acknowledged: "The device acknowledged that it saved it."
    case .proved: "The device's own advertisement shows it, or its own response when it was read afterwards."
    }
  }
}

extension RunOutcome: OutputNames {
  package static let definition = "run_outcome"
  package static let about = "How a run ended as a whole."
  package var documentation: String {
    switch self {
    case .complete: "Every selected room is done."
    case .incomplete: "Some selected room is not done."
    case .interrupted: "A person stopped it."
    case .aborted: "It could not go on."
    }
  }
}

extension RecordedCommand: OutputNames {
  package static let definition = "recorded_command"
  package static let about = "The command that made a record."
  package var documentation: String {
    switch self {
    case .apply: "A run that provisions."
    case .replace: "A device was taken out of service."
    case .retire: "A room was taken out of service."
    case .accept: "A room was accepted as it is."
    case .verify: "The building was verified on air; nothing was written to any device."
    }
  }
}

extension InterruptionCause: OutputNames {
  package static let definition = "interruption_cause"
  package static let about = "What can stop a run early."
  package var documentation: String {
    switch self {
    case .signal: "A person, with Ctrl-C or a signal."
    case .record: "The record could not be written."
    case .stack: "The Bluetooth stack or its bus was lost and did not return."
    case .adapter: "No adapter could be used any more."
    case .claimed: "Another run works with the adapter."
    case .plan: "The run would not follow the plan."
    }
  }
}

extension HostPause.Kind: OutputNames {
  package static let definition = "host_pause_kind"
  package static let about = "What kind of pause it was."
  package var documentation: String {
    switch self {
    case .suspended: "The host slept: a closed lid."
    case .stopped: "The process, or the machine that it runs on, was suspended."
    case .clockSet: "The host did not pause: its wall clock was set."
    case .busy: "The host did not pause: roboprov waited for a processor for a fifth of the time or more."
    }
  }
}

extension OperatorRequested.Request: OutputNames {
  package static let definition = "operator_request"
  package static let about = "What the operator requested."
  package var documentation: String {
    switch self {
    case .pause: "No new attempt starts; attempts and proofs in flight continue."
    case .resume: "New attempts start again."
    case .stop: "No new attempt starts; those in flight end within a bounded time, and then the run ends."
    }
  }
}

extension BindingBasis: OutputNames {
  package static let definition = "binding_basis"
  package static let about = "The basis of a binding, strongest first."
  package var documentation: String {
    switch self {
    case .address: "The manifest names the address."
    case .record: "An earlier run bound them."
    case .name: "The manifest names the name that it advertises."
    case .nearest: "It is clearly the nearest to the adapter in the room."
    case .any: "The manifest lets the room take any device."
    }
  }
}

extension Consent: OutputNames {
  package static let definition = "consent"
  package static let about = "How the operator permitted a device that nothing names."
  package var documentation: String {
    switch self {
    case .answer: "A person confirmed the list of rooms and devices."
    case .option: "By `--yes`: nobody was asked."
    }
  }
}

extension BindingReleased.Cause: OutputNames {
  package static let definition = "release_cause"
  package static let about = "Why a binding ends."
  package var documentation: String {
    switch self {
    case .rebound: "The manifest names another device, and a person confirmed the change."
    case .replaced: "The device was replaced: it is out of service."
    case .retired: "The room was retired, its device with it."
    }
  }
}

extension Exclusion.Cause: OutputNames {
  package static let definition = "exclusion_cause"
  package static let about = "What excludes a room."
  package var documentation: String {
    switch self {
    case .deselected: "It was not selected for this run."
    case .accepted: "It was accepted as it is."
    case .retired: "It was taken out of service."
    }
  }
}

extension RoomVerified.Finding: OutputNames {
  package static let definition = "finding"
  package static let about = "What was found on air."
  package var documentation: String {
    switch self {
    case .onAir: "Its own device is on air with the room's identity, and no other device is."
    case .duplicate: "Its own device is on air with the room's identity, and so is another device."
    case .otherDevice: "The room's identity is on air from another device only."
    case .otherIdentity: "Its device is on air with another identity."
    case .waiting: "Its device waits to be provisioned."
    case .missing: "Neither its device nor its identity was received."
    case .notSearched:
      "Its device was not received, and the adapter that last proved it did not scan: its record stays as it is."
    case .notVerifiable: "Devices of its family do not show their settings on air."
    }
  }
}

extension PlannedStep.Action: OutputNames {
  package static let definition = "planned_action"
  package static let about = "What is done with a room."
  package var documentation: String {
    switch self {
    case .provision: "Its device is written."
    case .done: "It is done already."
    case .await: "Its device was configured elsewhere, and was not received yet: it is scanned for."
    case .stop: "Nothing can be written."
    case .exclude: "It is not worked on."
    }
  }
}

extension PlannedSetting.Change: OutputNames {
  package static let definition = "setting_change"
  package static let about =
    "How a value that would be written compares to the device's value on record."
  package var documentation: String {
    switch self {
    case .set: "The record has no earlier value."
    case .changed: "The device got another value before."
    case .unchanged: "The device got the same value before."
    }
  }
}

extension ProofAddress: OutputNames {
  package static let definition = "proof_address"
  package static let about = "The address from which a beacon with the written identity proves a device."
  package var documentation: String {
    switch self {
    case .own: "The address that was written."
    case .any:
      "The written address, or another one that was not received before the save: this firmware changes its address."
    }
  }
}

extension RoomStatus.Kind: OutputNames {
  package static let definition = "room_state"
  package static let about = "The state of a room, from the whole record."
  package var documentation: String {
    switch self {
    case .done: "Its device is provisioned as wanted, by the evidence given."
    case .changed: "Its device is provisioned, with other settings than a manifest has, or is another one."
    case .missing: "Its device was provisioned, and was not received when it was searched for since."
    case .unconfirmed:
      "Its device was written, and nothing has proved yet that it kept the settings; or it was later found not to be as recorded."
    case .actionRequired: "The last run ended with something that only a person can do."
    case .conflicting: "Runs that had not read each other's records wrote its device or decided about it."
    case .open: "Attempted, or scanned for, and not done."
    case .withoutDevice: "Its device was taken out of service, and it got no other one since."
    case .untried: "No run has attempted it."
    case .accepted: "It was accepted as it is."
    case .retired: "It is out of service."
    }
  }
}

extension Fact.Kind: OutputNames {
  package static let definition = "kind"
  package static let about = "The events of a run."
  package var documentation: String { meaning }
}
