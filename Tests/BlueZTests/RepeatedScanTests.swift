import BlueZ
import Bluetooth
import DBus
import Testing
import VirtualBuilding

@Suite("Repeated scans through the virtual org.bluez", .timeLimit(.minutes(60)))
struct RepeatedScanTests {
  static let adapter = BluetoothAddress(rawValue: 0x001A_7DDA_7101)
  static let controllers: [DuplicateFilter] = [.oncePerScan, .every(.milliseconds(100))]

  static func sensor(_ number: Int) -> BluetoothAddress {
    BluetoothAddress(rawValue: 0xC47C_8D00_0000 + UInt64(number))
  }

  /// Serves 30 unprovisioned sensors and 10 beacons.
  private static func serve(
    _ controller: DuplicateFilter, _ body: @escaping @Sendable (ServedBuilding) async throws -> Void
  ) async throws {
    var scenario = Scenario(
      seed: 11, adapters: [AdapterScenario(address: adapter, name: "hci0")],
      sensors: (1...40).map {
        $0 <= 30
          ? SensorScenario(address: sensor($0))
          : SensorScenario(address: sensor($0), family: .iotDesignShop)
      })
    scenario.radio.duplicates = controller
    try await ServedBuilding.serveInVirtualTime(scenario, body)
  }

  /// The peripherals whose content (not only RSSI) a central reports in a scan of 4 s.
  private static func scan(_ central: BlueZCentral, _ clock: any TimeSource) async throws
    -> Set<BluetoothAddress>
  {
    try await central.scan(on: AdapterID(adapter)) { (stream) async throws(CentralError) in
      await withTaskGroup(of: Set<BluetoothAddress>?.self) { group in
        group.addTask {
          var received: Set<BluetoothAddress> = []
          var reports = stream.makeAsyncIterator()
          while let report = try? await reports.next() {
            if report.localName != nil || !report.serviceUUIDs.isEmpty { received.insert(report.address) }
          }
          return received
        }
        group.addTask {
          try? await clock.sleep(for: .seconds(4))
          return nil
        }
        var received: Set<BluetoothAddress> = []
        for await result in group {
          if let result { received = result }
          group.cancelAll()
        }
        return received
      }
    }
  }

  /// Same as above, with a separate client.
  private static func scan(_ building: ServedBuilding) async throws -> Set<BluetoothAddress> {
    let central = try await BlueZCentral.open(bus: building.daemon.busAddress, clock: building.clock)
    do {
      let received = try await scan(central, building.clock)
      await central.close()
      return received
    } catch {
      await central.close()
      throw error
    }
  }

  private static let all = Set((1...40).map { sensor($0) })

  @Test("four consecutive scans by four clients receive every device", arguments: controllers)
  func newClients(_ controller: DuplicateFilter) async throws {
    try await Self.serve(controller) { building in
      for _ in 0..<4 {
        let received = try await Self.scan(building)
        #expect(received == Self.all)
      }
    }
  }

  @Test("four consecutive scans by one client receive every device", arguments: controllers)
  func oneClient(_ controller: DuplicateFilter) async throws {
    try await Self.serve(controller) { building in
      let central = try await BlueZCentral.open(bus: building.daemon.busAddress, clock: building.clock)
      for _ in 0..<4 {
        let received = try await Self.scan(central, building.clock)
        #expect(received == Self.all)
      }
      await central.close()
    }
  }

  @Test("scans concurrent with a client without a filter receive every device", arguments: controllers)
  func foreignScan(_ controller: DuplicateFilter) async throws {
    try await Self.serve(controller) { building in
      let foreign = try await Connection.open(building.daemon.busAddress)
      _ = try await foreign.call(
        MethodCall(
          destination: "org.bluez", path: "/org/bluez/hci0", interface: "org.bluez.Adapter1",
          member: "StartDiscovery"),
        timeout: .seconds(25))
      try await building.clock.sleep(for: .seconds(2))
      for _ in 0..<4 {
        let received = try await Self.scan(building)
        #expect(received == Self.all)
      }
      await foreign.close()
    }
  }

  @Test(
    "a beacon that returns to provisioning mode is received with its name in the next scan",
    arguments: controllers)
  func pressedButton(_ controller: DuplicateFilter) async throws {
    try await Self.serve(controller) { building in
      let central = try await BlueZCentral.open(bus: building.daemon.busAddress, clock: building.clock)
      let waiting = try await Self.scan(central, building.clock)
      #expect(waiting.contains(Self.sensor(1)))
      try await Self.provision(Self.sensor(1), central)
      try await building.clock.sleep(for: .seconds(5))
      let working = try await Self.scan(central, building.clock)
      #expect(!working.contains(Self.sensor(1)), "a beacon has no name")
      await building.world.pressButton(Self.sensor(1))
      try await building.clock.sleep(for: .seconds(5))
      // BlueZ still has its name, so it signals nothing but the RSSI.
      let back = try await Self.scan(central, building.clock)
      #expect(back.contains(Self.sensor(1)))
      await central.close()
    }
  }

  /// Provisions a Robo Sensor, which then ends the link itself.
  private static func provision(_ address: BluetoothAddress, _ central: BlueZCentral) async throws {
    let peripheral = try await central.connect(to: address, on: AdapterID(adapter))
    let service = try await peripheral.discover(
      RoboSensorGATT.service,
      requiring: [RoboSensorGATT.roomName, RoboSensorGATT.minor, RoboSensorGATT.command])
    let values: [(BluetoothUUID, [UInt8])] = [
      (RoboSensorGATT.roomName, Array("Lobby".utf8)), (RoboSensorGATT.minor, [1, 2]),
      (RoboSensorGATT.command, Array("SAVE".utf8)),
    ]
    for (uuid, value) in values {
      let characteristic = try #require(service[uuid])
      try await peripheral.write(value, to: characteristic, .withResponse)
    }
    _ = await peripheral.disconnection()
  }
}
