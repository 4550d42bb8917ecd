import Bluetooth
import Model
import Session

extension DeviceSession {
  /// Checks before any write whether the device receives the network that it is to join, if the manifest
  /// wants that. Without a list the attempt continues, and the record says that nothing was checked.
  /// - Parameter list: has the device list the networks; nil when it cannot.
  /// - Throws: `networkNotReceived`, and the failures of a stage.
  func checkWiFi(
    _ list: @escaping @Sendable () async throws(CentralError) -> WiFiScan?
  ) async throws(AttemptFailure) {
    guard let ssid = checkedNetwork else { return }
    let scan: WiFiScan?
    do throws(AttemptFailure) {
      scan = try await stage(.read, setting: .wifiSSID, list)
    } catch {
      switch error.reason.code {
      case .stageTimedOut, .attributeRejected, .pairingRequired, .stackError:
        return await checked(ssid, .noAnswer)
      default: throw error
      }
    }
    try await check(ssid, in: scan)
  }

  /// The network whose reception is to be checked; nil if the manifest does not want that.
  var checkedNetwork: String? {
    guard room.checksWiFi, case .text(let ssid)? = room.settings[.wifiSSID] else { return nil }
    return ssid
  }

  /// Records whether a device receives a network.
  /// - Parameter scan: what it listed; nil when it cannot.
  /// - Throws: `networkNotReceived`.
  func check(_ ssid: String, in scan: WiFiScan?) async throws(AttemptFailure) {
    guard let scan else { return await checked(ssid, .unsupported) }
    if scan.networks.contains(where: { $0.ssid == ssid }) {
      return await checked(ssid, .received, scan.networks)
    }
    // An entry that cannot be read may be the network.
    guard scan.isComplete, scan.unreadable == 0 else { return await checked(ssid, .noAnswer, scan.networks) }
    await checked(ssid, .notReceived, scan.networks)
    throw AttemptFailure(.networkNotReceived(ssid: ssid, networks: scan.networks))
  }
}
