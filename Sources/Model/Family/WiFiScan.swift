/// The WiFi networks that a device itself receives, and so can join.
package struct WiFiScan: Hashable, Sendable {
  /// The networks in the device's order: the strongest first.
  package var networks: [FoundNetwork]
  /// The number of lines of the response that could not be read.
  package var unreadable: Int
  /// Whether the list is complete; otherwise there may be more networks.
  package var isComplete: Bool

  package init(networks: [FoundNetwork], unreadable: Int = 0, isComplete: Bool) {
    (self.networks, self.unreadable, self.isComplete) = (networks, unreadable, isComplete)
  }
}

/// A WiFi network that a device receives.
package struct FoundNetwork: Hashable, Sendable, Codable {
  /// The SSID; empty for a hidden network. Invalid UTF-8 is replaced.
  package var ssid: String
  /// The RSSI at the device, in dBm.
  package var rssi: Int

  package init(ssid: String, rssi: Int) {
    (self.ssid, self.rssi) = (ssid, rssi)
  }
}
