import Bluetooth
import VirtualBuilding
import VirtualCentral
import VirtualTime

/// Something in a virtual building did not end in time.
struct TookTooLong: Error {}

/// A building that runs in virtual time while a body runs.
struct Building {
  var world: World
  var central: VirtualCentral
  var clock: VirtualClock

  static let adapter = AdapterID(BluetoothAddress(rawValue: 0x00_1A_7D_DA_71_01))
  static let secondAdapter = AdapterID(BluetoothAddress(rawValue: 0x00_1A_7D_DA_71_02))

  static func sensor(_ number: UInt64) -> BluetoothAddress {
    BluetoothAddress(rawValue: 0xC4_7C_8D_00_00_00 + number)
  }

  /// Runs `body` in a building with these sensors (numbered from 1) and two adapters.
  static func run<Value: Sendable>(
    seed: UInt64 = 1, _ sensors: [[ScheduledFault]] = [[]], radio: RadioParameters = .init(),
    wifiNetworks: [WiFiNetwork] = [],
    change: @escaping @Sendable (inout Scenario) -> Void = { _ in },
    _ body: @escaping @Sendable (Building) async throws -> Value
  ) async throws -> Value {
    var scenario = Scenario(
      seed: seed, radio: radio,
      adapters: [
        AdapterScenario(address: adapter.address, name: "hci0"),
        AdapterScenario(address: secondAdapter.address, name: "hci1"),
      ],
      sensors: sensors.enumerated().map {
        SensorScenario(address: sensor(UInt64($0.offset + 1)), faults: $0.element)
      }, wifiNetworks: wifiNetworks)
    change(&scenario)
    return try await VirtualTime.run { [scenario] clock in
      try await inWorld(scenario, clock) { world in
        try await body(
          Building(world: world, central: VirtualCentral(world: world, clock: clock), clock: clock))
      }
    }
  }

  /// Runs a world while `body` runs, with a limit of two hours. A building always has future events, so
  /// without a limit a blocked test would not be a deadlock but never end.
  static func inWorld<Value: Sendable>(
    _ scenario: Scenario, _ clock: VirtualClock, _ body: @escaping @Sendable (World) async throws -> Value
  ) async throws -> Value {
    let world = World(scenario: scenario, clock: clock)
    return try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask {
        await world.run()
        return nil
      }
      group.addTask {
        try await clock.sleep(for: .seconds(7200))
        throw TookTooLong()
      }
      group.addTask { try await body(world) }
      defer { group.cancelAll() }
      guard let value = try await group.next() ?? nil else { throw TookTooLong() }
      return value
    }
  }

  /// Scans until a sensor is received that matches.
  @discardableResult
  func receive(
    _ address: BluetoothAddress = sensor(1), on adapter: AdapterID = Self.adapter,
    within limit: Duration = .seconds(60),
    where matches: @escaping @Sendable (Advertisement) -> Bool = { _ in true }
  ) async throws -> Advertisement? {
    try await self.within(limit) {
      try await central.scan(on: adapter) { (advertisement) async throws(CentralError) in
        for try await received in advertisement where received.address == address && matches(received) {
          return received
        }
        return nil
      }
    } ?? nil
  }

  /// Receives a sensor, then connects to it.
  func connect(
    _ address: BluetoothAddress = sensor(1), on adapter: AdapterID = Self.adapter
  ) async throws -> any Peripheral {
    try await receive(address, on: adapter)
    return try await central.connect(to: address, on: adapter)
  }

  /// The result of `work`; nil if it takes longer than the limit.
  func within<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value? {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { try await work() }
      group.addTask {
        try? await clock.sleep(for: limit)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }
}

extension Peripheral {
  /// The Robo Sensor's service with all characteristics except the WiFi scan.
  func roboSensor() async throws(CentralError) -> RemoteService {
    try await discover(
      RoboSensorGATT.service,
      requiring: [
        RoboSensorGATT.ssid, RoboSensorGATT.password, RoboSensorGATT.roomName, RoboSensorGATT.minor,
        RoboSensorGATT.command, RoboSensorGATT.status,
      ])
  }
}

extension RemoteService {
  func require(_ uuid: BluetoothUUID) throws(CentralError) -> RemoteCharacteristic {
    guard let found = self[uuid] else { throw CentralError(.attributeMissing(uuid)) }
    return found
  }
}
