import ArgumentParser
import Bluetooth
import FoundationEssentials
import Labels
import Model
import Reporting
import Session
import Waiting

/// `roboprov wifi-scan`: lists the WiFi networks that sensors receive.
struct WiFiScanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wifi-scan",
    abstract: "List the WiFi networks that sensors receive.",
    discussion: """
      roboprov wifi-scan C4:7C:8D:00:00:07
      roboprov wifi-scan C4:7C:8D:00:00:07 C4:7C:8D:00:00:08 --output json

      Connects to one sensor after the other and starts a scan of the sensor's own WiFi radio. The sensors must be in \
      provisioning mode. Each sensor lists at most 10 networks, the strongest first. Exit status \
      \(ExitStatus.incomplete.rawValue) if a sensor gave no list.
      """)

  @Argument(help: ArgumentHelp("The sensors, by their addresses or labels.", valueName: "address"))
  var devices: [String]

  @OptionGroup var radio: RadioOptions
  @OptionGroup var simulation: SimulationOptions

  @Option(help: "Format of stdout: text for people, json for programs.")
  var output = OutputFormat.text

  func run() async throws {
    let addresses = try devices.map(DeviceArgument.address)
    let lists = try await Radio.with(simulation, rehearsing: nil) { setup in
      let link = DeviceLink(setup: setup, radio: radio, isSimulated: simulation.simulate)
      var lists: [WiFiList] = []
      for address in addresses { lists.append(try await list(of: address, link)) }
      return lists
    }
    switch output {
    case .json: Console.data(WiFiList.form.value(lists).pretty)
    case .text: Console.data(WiFiList.text(lists))
    }
    if lists.contains(where: { $0.result != .networks }) { throw ExitStatus.incomplete.exit }
  }

  /// The list of one sensor. A failure concerns this sensor only: the next ones are still asked for their
  /// lists.
  private func list(of address: BluetoothAddress, _ link: DeviceLink) async throws -> WiFiList {
    do {
      return try await link.with(address) { peripheral, sighting in
        let driver = (sighting.family?.id).flatMap { Application.drivers[$0] } ?? Application.drivers[0]
        guard let listNetworks = driver.listNetworks else {
          return WiFiList(address, sighting, nil)
        }
        let clock = link.setup.clock
        let raced = await race(.seconds(30), on: clock) { () async throws(CentralError) in
          try await listNetworks(peripheral, clock)
        }
        switch raced {
        case .value(let scan): return WiFiList(address, sighting, scan)
        case .failed(let error): throw error
        case .timedOut: throw CentralError(.timedOut)
        }
      }
    } catch let failure as CommandFailure where failure.status == .incomplete {
      Console.fail(failure)
      return WiFiList(address, failure)
    }
  }
}

/// The networks that a sensor receives, or why it gave no list.
struct WiFiList: Sendable {
  /// Version of the JSON form.
  static let schema = "roboprov/wifi-scan/1"

  /// The result of the scan. The raw values are frozen.
  enum Result: String, CaseIterable, Sendable {
    case networks
    case unsupported
    case noAnswer = "no_answer"
    case failed
  }

  let address: BluetoothAddress
  /// RSSI of its advertisement, in dBm.
  let rssi: Int?
  let result: Result
  let scan: WiFiScan?
  /// Why it failed.
  let error: String?

  init(_ address: BluetoothAddress, _ device: DeviceLink.Sighting, _ scan: WiFiScan?) {
    self.address = address
    rssi = device.advertisement.rssi
    self.scan = scan
    error = nil
    result = scan.map { $0.networks.isEmpty && !$0.isComplete ? .noAnswer : .networks } ?? .unsupported
  }

  init(_ address: BluetoothAddress, _ failure: CommandFailure) {
    self.address = address
    (rssi, scan, result, error) = (nil, nil, .failed, failure.message)
  }
}

// MARK: For people and programs

extension WiFiList {
  /// A table of all networks, and one line for each sensor without a complete list.
  static func text(_ lists: [WiFiList]) -> String {
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
  static let form = OutputForm<[WiFiList]>("wifi_scan", "The WiFi networks that sensors receive.") {
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
  static let definition = "wifi_scan_result"
  static let about = "The result of a sensor's scan for networks."
  var documentation: String {
    switch self {
    case .networks: "It listed the networks that it receives, which may be none."
    case .unsupported: "Its firmware, or its family, cannot list networks."
    case .noAnswer: "It did not respond in time."
    case .failed: "It was not received, not connected to, or the connection failed."
    }
  }
}
