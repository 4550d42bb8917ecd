package import Bluetooth
import Model
import Session
package import Reporting

/// The WiFi networks that a device receives.
package struct WiFiList: Sendable {
  let device: DeviceLink.Sighting
  let networks: [FoundNetwork]
  /// Whether the list has all networks that the device receives, as far as it shows.
  let isComplete: Bool

  /// Has a connected device scan.
  /// - Throws: `CommandFailure` if it cannot, or did not respond; `CentralError`.
  package static func read(
    _ peripheral: any Peripheral, _ device: DeviceLink.Sighting, _ link: DeviceLink
  ) async throws -> WiFiList {
    let address = device.advertisement.address
    // A device that does not show its family has that of the default one, or the service is missing.
    let driver = link.driver(of: device) ?? BuiltIn.drivers[0]
    guard let listNetworks = driver.listNetworks,
      let scan = try await link.ask({ () async throws(CentralError) in
        try await listNetworks(peripheral, link.stack.clock)
      })
    else {
      throw CommandFailure(
        .incomplete, "\(address) cannot list networks: its firmware does not offer that",
        advice: "Check with a phone beside the device which networks reach it.")
    }
    guard scan.extent != .cut || !scan.networks.isEmpty else {
      throw CommandFailure(
        .incomplete, "\(address) did not list its networks within 30 s",
        advice: "Switch it off and on, and run the command again.")
    }
    return WiFiList(device: device, networks: scan.networks, isComplete: scan.extent == .whole)
  }

  // MARK: For people and programs

  package var text: String {
    let address = device.advertisement.address
    guard !networks.isEmpty else { return "\(address) receives no network.\n" }
    let rows = networks.map { ["\($0.rssi) dBm", $0.ssid.isEmpty ? "(hidden)" : $0.ssid] }
    return Table.text(header: ["RSSI", "NETWORK"], rows: rows)
      + (isComplete ? "" : "The list is incomplete; the device may receive more networks.\n")
  }

  package var json: JSONValue {
    let received = networks.map { JSONValue.values(["ssid": $0.ssid, "rssi": $0.rssi]) }
    return .values([
      "schema": "roboprov/wifi-scan/1", "address": device.advertisement.address,
      "rssi": device.advertisement.rssi, "complete": isComplete, "networks": received,
    ])
  }
}
