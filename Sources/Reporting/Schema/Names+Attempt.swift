package import Bluetooth
package import Model

extension Stage: OutputNames {
  package static let definition = "stage"
  package static let about = "The stages of one attempt at one device. Each has a timeout of its own."
  package var documentation: String {
    switch self {
    case .search: "Receiving an advertisement of it, before a connection attempt."
    case .connect: "Getting the link up; the clock starts when the radio is given to this device."
    case .discover: "Finding the service and its characteristics."
    case .ready: "Waiting until the device says that it is ready."
    case .read: "Reading what the device holds (each read has the whole timeout)."
    case .write: "Writing one setting (each write has the whole timeout)."
    case .save: "Asking the device to keep what was written, and its answer."
    case .verify: "Receiving the proof on air."
    }
  }
}

extension StatusMeaning: OutputNames {
  package static let definition = "status_meaning"
  package static let about = "How a device's status was taken."
  package var documentation: String {
    switch self {
    case .ready: "It is ready to be written."
    case .saved: "It has kept what was written."
    case .refusal: "It refused."
    case .stale: "Left from an earlier attempt: no refusal."
    case .other: "Nothing known."
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
    case .unsupported: "Not checked: its firmware cannot list networks."
    case .noAnswer: "Not checked: it did not answer, or not to the end."
    }
  }
}

extension ActionSource: OutputNames {
  package static let definition = "action_source"
  package static let about = "What an action's time was taken from."
  package var documentation: String {
    switch self {
    case .session: "The start of the device's own session."
    case .key: "The operator's key."
    }
  }
}

extension Disconnection.Cause: OutputNames {
  package static let definition = "disconnection_cause"
  package static let about = "Who ended it, as far as the stack tells."
  package var documentation: String {
    switch self {
    case .remote: "The peripheral, or the radio: the stack does not tell these apart."
    case .local: "roboprov asked for it."
    case .adapterLost: "The adapter went off or away."
    case .stackLost: "The stack or the bus went away."
    }
  }
}

extension AdapterFault.Kind: OutputNames {
  package static let definition = "adapter_fault_kind"
  package static let about = "What can be wrong."
  package var documentation: String {
    switch self {
    case .receivesNothing: "It scanned for 10 s and received no device."
    case .refusesToScan: "The stack refused to scan with it, or did not answer, several times in a row."
    case .tooManyDevices:
      "More devices of the families were received than are kept; further ones are ignored, unless a room names them."
    }
  }
}

extension ScanPurpose: OutputNames {
  package static let definition = "scan_purpose"
  package static let about = "What a scan window is for."
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
    case .absent: "There is none (any more)."
    case .poweredOff: "It is powered off."
    case .blocked: "It is blocked by rfkill."
    }
  }
}
