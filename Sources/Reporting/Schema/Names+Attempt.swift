package import Bluetooth
package import Model

extension Stage: OutputNames {
  package static let definition = "stage"
  package static let about = "The stages of one attempt at one device. Each has a timeout of its own."
  package var documentation: String {
    switch self {
    case .search: "Receiving an advertisement of it, before a connection attempt."
    case .connect: "Making the link; the timeout starts when the adapter is free for this device."
    case .discover: "Finding the service and its characteristics."
    case .ready: "Waiting until the device reports that it is ready."
    case .read: "Reading what the device holds (each read has the whole timeout)."
    case .write: "Writing one setting (each write has the whole timeout)."
    case .save: "Asking the device to save what was written, and its response."
    case .verify: "Receiving the proof on air."
    }
  }
}

extension AttemptExemption: OutputNames {
  package static let definition = "attempt_exemption"
  package static let about = "Why an attempt does not count: no failure of the device ended it."
  package var documentation: String {
    switch self {
    case .adapterFull: "The adapter had no free connection, or may have had none."
    case .hostLost: "The adapter or the Bluetooth service was lost, or the host was suspended."
    case .deviceForgotten: "The Bluetooth service had removed the device, so nothing was sent to it."
    case .deviceRestarts: "The device restarted so that its settings take effect."
    }
  }
}

extension WiFiRefusal: OutputNames {
  package static let definition = "wifi_refusal"
  package static let about = "Why a device could not join the WiFi network, as far as it reports it."
  package var documentation: String {
    switch self {
    case .password: "The network does not accept the password."
    case .network: "It does not find the network."
    case .unknown: "It reports no cause."
    }
  }
}

extension StatusMeaning: OutputNames {
  package static let definition = "status_meaning"
  package static let about = "The interpretation of a device's status."
  package var documentation: String {
    switch self {
    case .ready: "It is ready to be written."
    case .accepted: "It has the whole command of this attempt, and carries it out."
    case .notAccepted:
      "It does not carry out that command, or does something that the command does not explain."
    case .saved: "It has saved what was written."
    case .refusal: "It refused."
    case .stale: "Left from an earlier attempt; not a refusal."
    case .other: "Unknown."
    }
  }
}

extension WiFiCheckResult: OutputNames {
  package static let definition = "wifi_check_result"
  package static let about = "Whether a device receives the network that it is to join."
  package var documentation: String {
    switch self {
    case .received: "It does."
    case .notReceived: "It does not: nothing is written."
    case .listFull: "Not certain: it is missing, but the list has as many networks as such a device lists."
    case .listEndsStrong:
      "Not certain: it is missing, but the list has no faint network, as if it were cut off."
    case .hidden: "Not checked: the network hides its name, so no list has it."
    case .unsupported: "Not checked: its firmware cannot list networks."
    case .noAnswer: "Not checked: it did not respond, or not completely."
    }
  }
}

extension DeviceDetail.Name: OutputNames {
  package static let definition = "device_detail_name"
  package static let about = "What a value is that a device reports of itself."
  package var documentation: String {
    switch self {
    case .firmware: "The name of its firmware."
    case .firmwareVersion: "The version of its firmware."
    case .hardware: "Its chip or board."
    case .deviceName: "The name that it has."
    case .system: "The name of its operating system."
    case .systemVersion: "The version of its operating system."
    case .url: "Where it can be reached in its network."
    case .security:
      "The security of its session, a number; later sessions have no less, unless the manifest names one."
    case .ipAddress: "Its IP address in the network that it joined."
    case .bssid: "The address of the access point that it joined."
    case .nodeID: "The name under which the cloud of its product knows it (RainMaker)."
    case .channel: "The channel of that access point, above 14 at 5 GHz."
    }
  }
}

extension ActionSource: OutputNames {
  package static let definition = "action_source"
  package static let about = "The source of an action's time."
  package var documentation: String {
    switch self {
    case .session: "The start of the device's own session."
    case .key: "The operator's key."
    }
  }
}

extension Disconnection.Cause: OutputNames {
  package static let definition = "disconnection_cause"
  package static let about = "What ended it, as far as the stack reports it."
  package var documentation: String {
    switch self {
    case .remote: "The peripheral, or the radio: the stack does not distinguish these."
    case .local: "roboprov asked for it."
    case .adapterLost: "The adapter was switched off or removed."
    case .stackLost: "The stack or the bus was lost."
    }
  }
}

extension HostUnavailable.Cause: OutputNames {
  package static let definition = "host_unavailable_cause"
  package static let about = "Why the adapters of another host cannot be used."
  package var documentation: String {
    switch self {
    case .unreachable: "There is no connection to its D-Bus."
    case .noAnswer: "Its D-Bus or its Bluetooth stack does not answer."
    case .noService: "Its Bluetooth stack does not run."
    case .refused: "The user may not use its Bluetooth stack."
    }
  }
}

extension AdapterFault.Kind: OutputNames {
  package static let definition = "adapter_fault_kind"
  package static let about = "What can be wrong with an adapter."
  package var documentation: String {
    switch self {
    case .receivesNothing: "It scanned for 10 s, or for 4 s after failed connections, and received no device."
    case .makesNoLink:
      "Three attempts in a row to connect to devices that it received brought no link, or its first two did. Devices that are known not to answer do not count."
    case .refusesToScan: "The stack refused to scan with it, or did not respond, several times in a row."
    case .comesAndGoes: "It was lost again and again within 30 s."
    case .notLocked: "The run could not lock it: another one might have used it at the same time."
    case .keepsDevice:
      "The stack keeps an old object of a room's device, which was paired or trusted or cannot be removed: it hides what the device sends now."
    case .serviceStuck:
      "The stack did not switch it off and on when the run wanted that: the stack must be restarted."
    case .tooManyDevices:
      "More devices of the families were received than are kept; further ones are ignored, unless a room names them."
    }
  }
}

extension ScanPurpose: OutputNames {
  package static let definition = "scan_purpose"
  package static let about = "The purpose of a scan window."
  package var documentation: String {
    switch self {
    case .survey: "Finding out which devices are there at the start."
    case .sighting: "Receiving one device again before a connection attempt."
    case .proof: "Receiving a device's proof."
    }
  }
}

extension CentralError.AdapterProblem: OutputNames {
  package static let definition = "adapter_wait_cause"
  package static let about = "Why an adapter cannot be used."
  package var documentation: String {
    switch self {
    case .absent: "There is none, or none any more."
    case .poweredOff: "It is powered off."
    case .blocked: "It is blocked by rfkill."
    }
  }
}
