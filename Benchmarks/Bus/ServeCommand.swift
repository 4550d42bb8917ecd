import ArgumentParser
import Bluetooth
import EventLoop
import Foundation
import VirtualBuilding

/// A virtual `org.bluez` on a private bus, in a separate process, so that its cost is not charged to its
/// client.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract:
      "Serve a building as org.bluez on a private bus and print its address, until standard input ends.")

  @OptionGroup var building: BusBuilding

  func run() async throws {
    let clock = ScaledClock(SystemClock(), factor: building.speed)
    try await ServedBuilding.serve(building.scenario, on: clock, needsBus: false) { served in
      try FileHandle.standardOutput.write(contentsOf: Data((served.busAddress + "\n").utf8))
      // The measuring process closes its end or has ended.
      await withCheckedContinuation { ended in
        Thread.detachNewThread {
          _ = try? FileHandle.standardInput.readToEnd()
          ended.resume()
        }
      }
    }
  }
}

/// The building that is served and provisioned.
struct BusBuilding: ParsableArguments {
  @Option(help: "Sensors in the building, one for each room.")
  var sensors = 120

  @Option(help: "Number of adapters.")
  var adapters = 1

  @Option(
    help:
      "Percentage of sensors with a fault: by turns one that never connects, and one that loses its first link."
  )
  var faulty = 0

  @Option(help: "Number of links that an adapter holds at once.")
  var slots = 5

  @Option(help: "Speed of the building relative to real time.")
  var speed = 1.0

  @Option(help: "Seed of all random numbers.")
  var seed: UInt64 = 1

  func validate() throws {
    guard (1...1000).contains(sensors) else { throw ValidationError("--sensors: from 1 to 1000") }
    guard (1...8).contains(adapters) else { throw ValidationError("--adapters: from 1 to 8") }
    guard (0...100).contains(faulty) else { throw ValidationError("--faulty: from 0 to 100") }
    guard (1...64).contains(slots) else { throw ValidationError("--slots: from 1 to 64") }
    guard (0.1...20).contains(speed) else { throw ValidationError("--speed: from 0.1 to 20") }
  }

  /// The sensors that can be provisioned.
  var healthy: Int { sensors - (0..<sensors).count { faults(of: $0).contains { $0.fault == .neverAnswers } } }

  /// The faults of the sensor with this number, counted from 0. Faulty sensors are evenly distributed.
  private func faults(of number: Int) -> [ScheduledFault] {
    let before = number * faulty / 100
    guard (number + 1) * faulty / 100 > before else { return [] }
    return [
      before.isMultiple(of: 2)
        ? ScheduledFault(.neverAnswers) : ScheduledFault(.drops(in: .write(2)), attempts: 1)
    ]
  }

  private var adapterNames: [String] { (0..<adapters).map { "hci\($0)" } }

  var scenario: Scenario {
    var scenario = Scenario(
      seed: seed,
      adapters: adapterNames.enumerated().map {
        AdapterScenario(address: BluetoothAddress(rawValue: 0x001A_7DDA_7100 + UInt64($0)), name: $1)
      },
      sensors: (0..<sensors).map {
        SensorScenario(address: BuildingOptions.address($0), faults: faults(of: $0))
      })
    scenario.radio.slotsPerAdapter = slots
    scenario.radio.duplicates = .every(.seconds(1))
    return scenario
  }

  /// The manifest of the building for roboprov.
  var manifest: String {
    let rooms = (0..<sensors).map {
      "  - { room: Room \($0), minor: \($0), address: \"\(BuildingOptions.address($0))\" }"
    }
    return """
      building: Bench
      id: bench
      wifi:
        plant: { ssid: Plant, password: correct horse }
      defaults:
        wifi: plant
      rooms:
      \(rooms.joined(separator: "\n"))

      """
  }

  /// The description of the building for the script.
  func job() throws -> Data {
    try JSONSerialization.data(withJSONObject: [
      "adapters": adapterNames,
      "at_once": slots,
      "rooms": (0..<sensors).map {
        [
          "address": "\(BuildingOptions.address($0))", "room": "Room \($0)", "minor": $0, "ssid": "Plant",
          "password": "correct horse",
        ] as [String: Any]
      },
    ])
  }
}
