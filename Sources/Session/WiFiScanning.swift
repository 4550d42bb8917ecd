public import Bluetooth
public import Model

/// A family whose devices can list the WiFi networks that they receive.
public protocol WiFiScanning: DeviceProfile {
  /// Has a connected device list the networks. Bounded but for the discovery of its service.
  /// - Returns: nil where its firmware has no such list.
  /// - Throws: `disconnected`, `cancelled`, and whatever the device's attributes refuse.
  func scanWiFi(
    over link: any Peripheral, on clock: any TimeSource
  ) async throws(CentralError) -> WiFiScan?
}
