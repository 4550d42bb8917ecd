import Bluetooth
import Labels

/// Sentences about labels.
enum LabelWords {
  /// Why a text has no address, and what to do.
  static func sentence(_ problem: LabelProblem) -> String {
    switch problem {
    case .empty: "there is no address"
    case .tooLong: "this is longer than any label: scan one label only"
    case .noAddress(let digits?): "an address has 12 hex digits; this has \(digits)"
    case .noAddress(nil): "there is no address in this: scan the label, or type its 12 hex digits"
    case .several(let addresses):
      "there are \(addresses.count) addresses in this (\(addresses.map(\.description).joined(separator: ", "))): "
        + "type the sensor's"
    case .notADevice(let address): "\(address) is no device's address"
    }
  }

  /// Why a label is not taken, and what to do.
  static func sentence(_ refusal: Capture.Refusal) -> String {
    switch refusal {
    case .text(let problem): sentence(problem)
    case .taken(let address, let room):
      "\(address) is the sensor of \(room): compare the label"
    case .beyondAll(let label): "\(label) is the last address there is: compare the label"
    }
  }
}
