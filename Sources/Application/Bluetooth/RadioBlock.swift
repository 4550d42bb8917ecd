import Bluetooth
import FoundationEssentials
import Reporting

/// Whether rfkill blocks an adapter. The raw values are frozen.
package enum RadioBlock: String, CaseIterable, Sendable {
  case none
  case software
  case hardware
  case unspecified

  /// The block of an adapter, by the kernel, otherwise by the adapter's state; nil if neither shows it.
  init?(_ state: Adapter.State, kernel: RadioBlock?) {
    switch (state, kernel) {
    case (_, let kernel?): self = kernel
    case (.ready, nil): self = .none
    case (.blocked, nil): self = .unspecified
    case (.poweredOff, nil): return nil
    }
  }

  var words: String {
    switch self {
    case .none: "no"
    case .software: "by software"
    case .hardware: "by a switch"
    case .unspecified: "yes"
    }
  }
}

extension RadioBlock: OutputNames {
  static let definition = "radio_block"
  static let about = "Whether rfkill blocks an adapter."
  var documentation: String {
    switch self {
    case .none: "It is not blocked."
    case .software: "By software: `rfkill unblock bluetooth` ends it."
    case .hardware: "By a switch or a key of the computer."
    case .unspecified: "It is blocked by an unknown cause."
    }
  }
}
