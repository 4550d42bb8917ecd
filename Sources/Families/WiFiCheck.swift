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
    guard let network = try await networkToList() else { return }
    let scan: WiFiScan?
    do throws(AttemptFailure) {
      scan = try await stage(.read, setting: .wifiSSID, list)
    } catch {
      switch error.reason.code {
      case .stageTimedOut, .attributeRejected, .pairingRequired, .stackError:
        return await checked(network, .noAnswer)
      default: throw error
      }
    }
    try await check(network, in: scan)
  }

  /// The network that the device should list; nil if the manifest does not want that, or if no list can have it, which
  /// is then recorded.
  func networkToList() async throws(AttemptFailure) -> String? {
    guard room.checksWiFi, case .text(let ssid)? = room.settings[.wifiSSID] else { return nil }
    guard room.isNetworkHidden else { return ssid }
    try await check(ssid, in: nil)
    return nil
  }

  /// Records whether a device receives a network.
  /// - Parameter scan: what it listed; nil when it cannot.
  /// - Throws: `networkNotReceived`.
  func check(_ ssid: String, in scan: WiFiScan?) async throws(AttemptFailure) {
    let verdict = WiFiCheckResult(of: ssid, isHidden: room.isNetworkHidden, in: scan)
    let networks = scan?.networks ?? []
    await checked(ssid, verdict, networks)
    if verdict == .notReceived { throw AttemptFailure(.networkNotReceived(ssid: ssid, networks: networks)) }
  }
}
