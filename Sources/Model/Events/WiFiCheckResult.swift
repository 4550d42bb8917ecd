/// Whether a device receives the network that it is to join. The names are frozen.
package enum WiFiCheckResult: String, Hashable, Sendable, Codable, CaseIterable {
  case received
  case notReceived = "not_received"
  case listFull = "list_full"
  case listEndsStrong = "list_ends_strong"
  case hidden
  case unsupported
  case noAnswer = "no_answer"
}

extension WiFiCheckResult {
  /// A device whose list ends with a stronger network (dBm) may have left out weaker ones: products choose how many they
  /// list, and no protocol says it [assumed].
  private static let faint = -80

  /// What a list shows about a network: only one that certainly has all networks shows that it is missing.
  /// - Parameters:
  ///   - isHidden: Whether the network hides its name: then no list has it.
  ///   - scan: What the device listed; nil if it cannot list networks.
  package init(of ssid: String, isHidden: Bool, in scan: WiFiScan?) {
    self =
      if isHidden {
        .hidden
      } else if let scan {
        Self(of: ssid, in: scan)
      } else {
        .unsupported
      }
  }

  private init(of ssid: String, in scan: WiFiScan) {
    let weakest = scan.networks.map(\.rssi).min()
    self =
      if scan.networks.contains(where: { $0.ssid == ssid }) {
        .received
      } else if scan.extent == .cut || scan.unreadable > 0 {
        // An entry that cannot be read may be the network.
        .noAnswer
      } else if scan.extent == .full {
        .listFull
      } else if let weakest, weakest > Self.faint {
        .listEndsStrong
      } else {
        .notReceived
      }
  }
}
