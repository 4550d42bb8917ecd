import ArgumentParser
import Bluetooth
import VirtualBuilding

/// The building of a benchmark: sensors, adapters and faults.
struct BuildingOptions: ParsableArguments {
  @Option(help: "Number of sensors in the building, one for each room.")
  var sensors = 1000

  @Option(help: "Number of adapters.")
  var adapters = 1

  @Option(help: "Number of other hosts that have the adapters, evenly; 0 for adapters of this computer.")
  var hosts = 0

  @Option(help: "How long a message to or from a host takes, in ms.")
  var delay = 0

  @Option(help: "Percentage of sensors that advertise and accept no connection.")
  var dead = 0

  @Option(help: "Seed of all random numbers.")
  var seed: UInt64 = 1

  @Flag(
    help: """
      One adapter, or the adapters of one host, and their share of the sensors on each storey; otherwise each adapter \
      receives all.
      """)
  var storeys = false

  @Flag(help: "With --storeys and --hosts: the manifest names the floor of each host.")
  var floors = false

  func validate() throws {
    guard (1...60_000).contains(sensors) else { throw ValidationError("--sensors: from 1 to 60000") }
    guard (1...2048).contains(adapters) else { throw ValidationError("--adapters: from 1 to 2048") }
    guard hosts == 0 || hosts > 0 && adapters.isMultiple(of: hosts) else {
      throw ValidationError("--hosts: a divisor of the number of adapters")
    }
    guard (0...1000).contains(delay) else { throw ValidationError("--delay: from 0 to 1000") }
    guard (0...100).contains(dead) else { throw ValidationError("--dead: from 0 to 100") }
  }

  /// Whether the sensor with this number, counted from 0, is dead. Dead sensors are evenly distributed.
  func isDead(_ number: Int) -> Bool { (number + 1) * dead / 100 > number * dead / 100 }

  var deadCount: Int { sensors * dead / 100 }

  static func address(_ number: Int) -> BluetoothAddress {
    BluetoothAddress(rawValue: 0xC47C_8D00_0000 + UInt64(number))
  }

  static func host(_ number: Int) -> HostName? { HostName("floor-\(number + 1)") }

  private func adapter(_ number: Int) -> AdapterScenario {
    let address = BluetoothAddress(rawValue: 0x001A_7DDA_7100 + UInt64(number))
    let perHost = hosts == 0 ? 1 : adapters / hosts
    let place = storeys ? Storey(number: number / perHost).place(number % perHost, of: perHost) : nil
    return hosts == 0
      ? AdapterScenario(address: address, name: "hci\(number)", place: place)
      : AdapterScenario(
        address: address, on: Self.host(number / perHost), name: "hci\(number % perHost)", place: place)
  }

  var scenario: Scenario {
    let count = hosts == 0 ? adapters : hosts
    var scenario = Scenario(
      seed: seed, adapters: (0..<adapters).map(adapter),
      hosts: (0..<hosts).compactMap { number in
        Self.host(number).map { HostScenario($0, delay: .milliseconds(delay)) }
      },
      sensors: (0..<sensors).map { number in
        SensorScenario(
          address: Self.address(number),
          place: storeys
            ? Storey(number: number % count).seat(number / count, of: (sensors - 1) / count + 1)
            : nil,
          faults: isDead(number) ? [ScheduledFault(.neverAnswers)] : [])
      })
    scenario.radio.reportGrain = .milliseconds(5)
    // Between the rate of a chip that reports each advertisement and one that reports each sensor once
    // (docs/internals/bluez.md).
    scenario.radio.duplicates = .every(.seconds(1))
    if storeys { scenario.radio.wallSpacing = Storey.width }
    return scenario
  }
}

/// A storey without walls, whose sensors form a grid around its adapters.
struct Storey {
  var number: Int

  /// The length of each side in metres.
  static let width = 10.0

  /// The place of an adapter: they divide the storey's middle line.
  func place(_ adapter: Int, of count: Int) -> Place {
    Place(x: Self.width * Double(adapter + 1) / Double(count + 1), y: Self.width / 2, floor: number)
  }

  /// The place of a sensor on the storey's grid.
  func seat(_ number: Int, of count: Int) -> Place {
    let columns = Int(Double(count).squareRoot().rounded(.up))
    let pitch = Self.width / Double(columns)
    return Place(
      x: (Double(number % columns) + 0.5) * pitch, y: (Double(number / columns) + 0.5) * pitch,
      floor: self.number)
  }
}
