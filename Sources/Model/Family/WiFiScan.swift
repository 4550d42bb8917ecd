/// The WiFi networks that a device itself receives, and so can join.
package struct WiFiScan: Hashable, Sendable {
  /// How much of what the device receives is in its list.
  package enum Extent: Hashable, Sendable {
    /// All of it, unless the device keeps shorter lists than others of its kind.
    case whole
    /// As many networks as a list of such a device can have: there may be weaker ones.
    case full
    /// The device did not end the list.
    case cut
  }

  /// The networks in the device's order: the strongest first.
  package var networks: [FoundNetwork]
  /// The number of lines of the response that could not be read.
  package var unreadable: Int
  package var extent: Extent

  package init(networks: [FoundNetwork], unreadable: Int = 0, extent: Extent) {
    (self.networks, self.unreadable, self.extent) = (networks, unreadable, extent)
  }
}

/// A WiFi network that a device receives.
package struct FoundNetwork: Hashable, Sendable, Codable {
  /// What a device can report as the RSSI, in dBm.
  package static let possibleRSSI = -127...20
  /// The most bytes of a name (IEEE 802.11).
  package static let mostBytes = 32

  /// The SSID; empty for a hidden network. Invalid UTF-8 is replaced.
  package var ssid: String
  /// The RSSI at the device, in dBm.
  package var rssi: Int
  /// The channel, if the device reports it.
  package var channel: Int?

  package init(ssid: String, rssi: Int, channel: Int? = nil) {
    (self.ssid, self.rssi, self.channel) = (ssid, rssi, channel)
  }

  /// Whether the device receives it at 5 GHz: the channels of 2.4 GHz end with 14 (IEEE 802.11).
  package var isAt5GHz: Bool { (channel ?? 0) > 14 }
}
