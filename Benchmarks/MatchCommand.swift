import ArgumentParser
import Bluetooth
import Engine
import Families
import Model

/// Measures the time to match all devices to rooms.
struct MatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "match",
    abstract:
      "Match a building's rooms with as many sensors, by address and by nearness, and print the times.")

  @Option(help: "Number of rooms and of sensors.")
  var rooms = 2000

  func run() throws {
    print("| rooms, sensors | joined by | joined | once, the median of 11 |")
    print("|---|---|---|---|")
    for near in [false, true] { print(row(near: near)) }
  }

  private func row(near: Bool) -> String {
    let (building, air, nearby, now) = make(near: near)
    let clock = ContinuousClock()
    var times: [Duration] = []
    var joined = 0
    for _ in 0..<11 {
      times.append(
        clock.measure {
          let matches = match(building.rooms, of: building, with: air, nearby: nearby, now: now)
          joined = matches.values.count { if case .device = $0 { true } else { false } }
        })
    }
    let median = times.sorted()[5] / .milliseconds(1)
    return
      "| \(rooms) | \(near ? "nearness, an adapter in each room" : "address") | \(joined) | \(median.rounded(to: 1)) ms |"
  }

  /// A corridor of rooms: the adapter in each room receives its own sensor best, and five on either side more
  /// weakly.
  private func make(near: Bool) -> (Building, AirLedger, NearbyAdapters, MonotonicInstant) {
    let adapters = (0..<rooms).map { number in
      Adapter(
        id: AdapterID(BluetoothAddress(rawValue: 0x001A_7D00_0000 + UInt64(number))), name: "hci\(number)",
        state: .ready)
    }
    func sensor(_ number: Int) -> BluetoothAddress {
      BluetoothAddress(rawValue: 0xC47C_8D00_0000 + UInt64(number))
    }
    let building = Building(
      id: "b", name: "B",
      rooms: (0..<rooms).map { number in
        Room(
          id: RoomID(rawValue: "room-\(number)"), name: "Room \(number)", family: .roboSensor,
          address: near ? nil : sensor(number), near: near ? AdapterReference("hci\(number)") : nil,
          settings: [.roomName: .text("Room \(number)"), .minor: .integer(number)], timeouts: StageTimeouts(),
          retries: 2)
      }, families: FamilyCatalogue.builtIn)
    var nearby = NearbyAdapters()
    if near { for adapter in adapters { nearby.take(adapter, namedBy: building.rooms) } }
    var air = AirLedger(families: FamilyCatalogue.builtIn)
    for second in 1...5 {
      for number in 0..<rooms {
        for place in max(0, number - 5)...min(rooms - 1, number + 5) {
          _ = air.receive(
            Advertisement(
              address: sensor(number), adapter: adapters[place].id,
              receivedAt: MonotonicInstant(sinceZero: .seconds(second)), rssi: -50 - 12 * abs(number - place),
              localName: "Robo Sensor"))
        }
      }
    }
    return (building, air, nearby, MonotonicInstant(sinceZero: .seconds(6)))
  }
}
