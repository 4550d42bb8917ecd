/// The WiFi networks that a device's own radio receives: those that it can join.
public struct WiFiScan: Hashable, Sendable {
  /// The networks, as the device lists them: the strongest first.
  public var networks: [HeardNetwork]
  /// How many lines of its answer could not be read.
  public var unreadable: Int
  /// Whether the device said that the list is at its end; else there may be more networks.
  public var isComplete: Bool

  /// A list.
  public init(networks: [HeardNetwork], unreadable: Int = 0, isComplete: Bool) {
    self.networks = networks
    self.unreadable = unreadable
    self.isComplete = isComplete
  }
}

/// A WiFi network as a device receives it.
public struct HeardNetwork: Hashable, Sendable, Codable {
  /// Its SSID; empty where the network hides it. What is not UTF-8 in it is replaced.
  public var ssid: String
  /// RSSI at the device, in dBm.
  public var rssi: Int

  /// A network.
  public init(ssid: String, rssi: Int) {
    self.ssid = ssid
    self.rssi = rssi
  }
}
