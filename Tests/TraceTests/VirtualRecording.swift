import Bluetooth
import DBus
import StackTraces
import VirtualBuilding

/// Runs a scenario with the virtual `org.bluez` in virtual time.
enum VirtualRecording {
  static let adapter = BluetoothAddress(rawValue: 0x001A_7DDA_7100)

  static func sensor(_ number: Int) -> BluetoothAddress {
    BluetoothAddress(rawValue: 0x7CDF_A100_0000 + UInt64(number))
  }

  static func play(_ stackScenario: StackScenario, seed: UInt64) async throws -> [Player.Observations] {
    try await ServedBuilding.serveInVirtualTime(scenario(for: stackScenario, seed: seed)) { building in
      try await Player.play(stackScenario, on: building.daemon.busAddress, clock: building.clock) { event in
        await carryOut(event, building.world, building.stack)
      }
    }
  }

  private static func carryOut(_ event: StackScenario.LabEvent, _ world: World, _ stack: VirtualBlueZ) async {
    switch event {
    case .unplug: await world.setPresent(false, adapter)
    case .plug: await world.setPresent(true, adapter)
    case .killBluetoothd: await stack.killDaemon()
    case .stopBluetoothd: await stack.stopDaemon()
    case .startBluetoothd: await stack.startDaemon()
    case .silenceSensor: await world.setMuted(true, sensor(1))
    }
  }

  private static func scenario(for stackScenario: StackScenario, seed: UInt64) -> Scenario {
    var scenario = Scenario(
      seed: seed, adapters: [AdapterScenario(address: adapter, name: "hci0")],
      sensors: stackScenario.sensors.enumerated().map { number, sensor in
        SensorScenario(address: Self.sensor(number + 1), signal: .init(base: -66), faults: faults(of: sensor))
      })
    // The chip of the recording: one that filters duplicates reports a sensor once per scan of the kernel.
    scenario.radio.duplicates =
      stackScenario.chip == "filters duplicates" ? .oncePerScan : .every(scenario.radio.advertisingInterval)
    // Characteristics are late only if several links are made at once, which no scenario does.
    scenario.radio.lateCharacteristics = 0
    return scenario
  }

  /// The virtual faults that correspond to the lab's settings for a sensor.
  private static func faults(of sensor: StackScenario.Sensor) -> [ScheduledFault] {
    var faults: [Fault] = []
    if sensor.dead == true { faults.append(.drops(in: .connect)) }
    if sensor.noNotify == true { faults.append(.refusesSubscription) }
    if sensor.reject == "minor", let code = sensor.rejectCode {
      faults.append(.rejectsWrite(to: RoboSensorGATT.minor, code: code))
    }
    // Any request of the service discovery will do.
    if sensor.dropAtRequest != nil { faults.append(.drops(in: .discover)) }
    if sensor.slow != nil { faults.append(.slow) }
    if let write = sensor.dropAtWrite { faults.append(.drops(in: .write(write))) }
    return faults.map { ScheduledFault($0) }
  }
}
