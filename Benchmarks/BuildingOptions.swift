import ArgumentParser
import Bluetooth
import VirtualBuilding

/// The building of a benchmark: sensors, adapters and faults.
struct BuildingOptions: ParsableArguments {
  @Option(help: "Number of sensors in the building, one for each room.")
  var sensors = 1000

  @Option(help: "Number of adapters of the host.")
  var adapters = 1

  @Option(help: "Percentage of sensors that advertise and accept no connection.")
  var dead = 0

  @Option(help: "Seed of all random numbers.")
  var seed: UInt64 = 1

  @Flag(help: "One adapter and its share of the sensors on each storey; otherwise each receives all.")
  var storeys = false

  func validate() throws {
    guard (1...60_000).contains(sensors) else { throw ValidationError("--sensors: from 1 to 60000") }
    guard (1...64).contains(adapters) else { throw ValidationError("--adapters: from 1 to 64") }
    guard (0...100).contains(dead) else { throw ValidationError("--dead: from 0 to 100") }
  }

  /// Whether the sensor with this number, counted from 0, is dead. Dead sensors are evenly distributed.
  func isDead(_ number: Int) -> Bool { (number + 1) * dead / 100 > number * dead / 100 }

  var deadCount: Int { sensors * dead / 100 }

  static func address(_ number: Int) -> BluetoothAddress {
    BluetoothAddress(rawValue: 0xC47C_8D00_0000 + UInt64(number))
  }

  var scenario: Scenario {
    var scenario = Scenario(
      seed: seed,
      adapters: (0..<adapters).map {
        AdapterScenario(
          address: BluetoothAddress(rawValue: 0x001A_7DDA_7100 + UInt64($0)), name: "hci\($0)",
          place: storeys ? Storey(number: $0).middle : nil)
      },
      sensors: (0..<sensors).map { number in
        SensorScenario(
          address: Self.address(number),
          place: storeys
            ? Storey(number: number % adapters).seat(number / adapters, of: (sensors - 1) / adapters + 1)
            : nil,
          faults: isDead(number) ? [ScheduledFault(.neverAnswers)] : [])
      })
    scenario.radio.reportGrain = .milliseconds(5)
    // Between the rate of a chip that reports each advertisement and one that reports each sensor once
    // (docs/bluez.md).
    scenario.radio.duplicates = .every(.seconds(1))
    if storeys { scenario.radio.wallSpacing = Storey.width }
    return scenario
  }
}

/// A storey without walls, whose sensors form a grid around an adapter.
struct Storey {
  var number: Int

  /// The length of each side in metres.
  static let width = 10.0

  var middle: Place { Place(x: Self.width / 2, y: Self.width / 2, floor: number) }

  /// The place of a sensor on the storey's grid.
  func seat(_ number: Int, of count: Int) -> Place {
    let columns = Int(Double(count).squareRoot().rounded(.up))
    let pitch = Self.width / Double(columns)
    return Place(
      x: (Double(number % columns) + 0.5) * pitch, y: (Double(number / columns) + 0.5) * pitch,
      floor: self.number)
  }
}
