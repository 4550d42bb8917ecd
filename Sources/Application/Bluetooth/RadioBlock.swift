import Bluetooth
import FoundationEssentials

/// Whether rfkill blocks an adapter. The raw values are names in JSON.
package enum RadioBlock: String, Sendable {
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
}
