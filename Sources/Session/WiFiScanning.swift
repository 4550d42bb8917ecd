package import Bluetooth
package import Model

/// A family whose devices can list the WiFi networks that they receive.
package protocol WiFiScanning: DeviceProfile {
  /// Has a connected device list the networks. Bounded in time, except for the discovery of its service.
  /// - Returns: nil when the firmware has no such list.
  /// - Throws: `disconnected`, `cancelled`, and ATT errors of the device.
  func scanWiFi(
    over link: any Peripheral, on clock: any TimeSource
  ) async throws(CentralError) -> WiFiScan?
}
