import Bluetooth
import Model

/// A scan by another program, in words for people.
extension ForeignScanDetected {
  /// The program, as far as it is known. Its text is made visible.
  private var program: String {
    switch clients.count {
    case 0: ""
    case 1: ", \(clients[0].visible),"
    default: ", \(clients.map(\.visible).joined(separator: " or ")),"
    }
  }

  /// The action of the other program, and its cost.
  /// - Parameter adapter: The host's name of the adapter.
  func sentence(adapter: String) -> String {
    "Another program\(program) scans with \(adapter): each connection takes up to 10 s longer."
  }

  var advice: String {
    let what =
      clients.count == 1 ? "Close it" : "Close it (for example a Bluetooth settings window, or bluetoothctl)"
    return "\(what), or select another adapter with --adapter."
  }
}
