import Bluetooth
import Model

/// Another program that scans, in words for people.
extension ForeignScanDetected {
  /// Which program, as far as is known; texts of others are made visible.
  private var program: String {
    switch clients.count {
    case 0: ""
    case 1: ", \(clients[0].visible),"
    default: ", one of \(clients.map(\.visible).joined(separator: ", ")),"
    }
  }

  /// What is so, and what it costs.
  /// - Parameter adapter: what the host calls the adapter.
  func sentence(adapter: String) -> String {
    "Another program\(program) scans with \(adapter): connecting takes up to 10 s longer."
  }

  /// What to do about it.
  var advice: String {
    let what =
      clients.count == 1 ? "Close it" : "Close it, a Bluetooth settings window or bluetoothctl for example"
    return "\(what), or give roboprov another adapter with --adapter."
  }
}
