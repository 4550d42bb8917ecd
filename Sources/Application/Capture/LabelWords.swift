import Bluetooth

/// Messages about labels.
package enum LabelWords {
  package static func sentence(_ problem: LabelProblem) -> String {
    switch problem {
    case .empty: "there is no address"
    case .tooLong: "this text is too long for a label: scan one label only"
    case .noAddress(let digits?): "an address has 12 hex digits; this text has \(digits)"
    case .noAddress(nil): "this text has no address: scan the label, or type its 12 hex digits"
    case .several(let addresses):
      "this text has \(addresses.count) addresses (\(addresses.map(\.description).joined(separator: ", "))): "
        + "type the address of the sensor"
    case .notADevice(let address): "\(address) cannot be the address of a device"
    }
  }

  package static func sentence(_ refusal: Capture.Refusal) -> String {
    switch refusal {
    case .text(let problem): sentence(problem)
    case .taken(let address, let room):
      "\(address) is already the sensor of \(room): compare the label"
    case .beyondAll(let label): "\(label) is the highest possible address: compare the label"
    }
  }
}
