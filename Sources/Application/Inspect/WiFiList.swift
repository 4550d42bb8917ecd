package import Bluetooth
package import Model
package import Reporting

/// The networks that a sensor receives, or why it gave no list.
package struct WiFiList: Sendable {
  /// Version of the JSON form.
  package static let schema = "roboprov/wifi-scan/1"

  /// The result of the scan. The raw values are frozen.
  package enum Result: String, CaseIterable, Sendable {
    case networks
    case unsupported
    case noAnswer = "no_answer"
    case failed
  }

  let address: BluetoothAddress
  /// RSSI of its advertisement, in dBm.
  let rssi: Int?
  package let result: Result
  let scan: WiFiScan?
  /// Why it failed.
  let error: String?

  package init(_ address: BluetoothAddress, _ device: DeviceLink.Sighting, _ scan: WiFiScan?) {
    self.address = address
    rssi = device.advertisement.rssi
    self.scan = scan
    error = nil
    result = scan.map { $0.networks.isEmpty && !$0.isComplete ? .noAnswer : .networks } ?? .unsupported
  }

  package init(_ address: BluetoothAddress, _ failure: CommandFailure) {
    self.address = address
    (rssi, scan, result, error) = (nil, nil, .failed, failure.message)
  }
}

// MARK: For people and programs

extension WiFiList {
  /// A table of all networks, and one line for each sensor without a complete list.
  package static func text(_ lists: [WiFiList]) -> String {
    let rows = lists.flatMap { list in
      (list.scan?.networks ?? []).map { network in
        ["\(list.address)", "\(network.rssi) dBm", network.ssid.isEmpty ? "(hidden)" : network.ssid]
      }
    }
    let table = rows.isEmpty ? "" : Table.text(header: ["SENSOR", "RSSI", "NETWORK"], rows: rows)
    return table + lists.compactMap(\.note).map { $0 + "\n" }.joined()
  }

  private var note: String? {
    switch result {
    case .networks where scan?.networks.isEmpty == true: "\(address): receives no network"
    case .networks where scan?.isComplete == false:
      "\(address): the list is incomplete; the sensor may receive more networks"
    case .networks: nil
    case .unsupported: "\(address): the firmware cannot list networks"
    case .noAnswer: "\(address): no response within 30 s"
    case .failed: "\(address): failed"
    }
  }

  /// The JSON form, field by field.
  package static let form = OutputForm<[WiFiList]>("wifi_scan", "The WiFi networks that sensors receive.") {
    Field("schema", "Name and version of the format.", constant: schema)
    Field("sensors", "The sensors, in the order of the arguments.", each: sensorForm) { $0 }
  }

  private static let sensorForm = OutputForm<WiFiList>("wifi_sensor", "A sensor and its list.") {
    Field("address", "The sensor.") { $0.address }
    Field("rssi", "RSSI of its advertisement in dBm; null when none was received.") { $0.rssi }
    Field("result", "Its result.") { $0.result }
    Field("complete", "Whether the list is whole; null without one.") { $0.scan?.isComplete }
    Field("networks", "The networks, the strongest first; at most ten.", each: networkForm) {
      $0.scan?.networks ?? []
    }
    Field("error", "Why it failed, for people; null if it did not.") { $0.error }
  }

  private static let networkForm = OutputForm<FoundNetwork>("wifi_network", "A WiFi network.") {
    Field("ssid", "Its SSID; empty if the network hides it.") { $0.ssid }
    Field("rssi", "RSSI at the sensor, in dBm.") { $0.rssi }
  }
}

extension WiFiList.Result: OutputNames {
  package static let definition = "wifi_scan_result"
  package static let about = "The result of a sensor's scan for networks."
  package var documentation: String {
    switch self {
    case .networks: "It listed the networks that it receives, which may be none."
    case .unsupported: "Its firmware, or its family, cannot list networks."
    case .noAnswer: "It did not respond in time."
    case .failed: "It was not received, not connected to, or the connection failed."
    }
  }
}
