import Bluetooth
import DBus
import EventLoop
import Model
import VirtualBuilding
import VirtualTime

/// A virtual building, and how fast it lives.
struct Rehearsal: Sendable {
  var scenario: Scenario
  /// How many times faster than life.
  var speed: Double

  /// The virtual building's bus and clock.
  struct Bus: Sendable {
    let address: String
    let clock: any TimeSource
  }

  /// The scenario that the options name, or a building in which everything is in order.
  /// - Throws: `CommandFailure`.
  init(_ options: SimulationOptions, building: Building?) throws {
    if let file = options.scenario {
      self = try Self.load(file, seed: options.seed)
    } else if let building {
      scenario = try Scenario(healthy: building, seed: options.seed ?? 1)
      speed = 10
    } else {
      throw CommandFailure(
        .usage, "--simulate needs to know what is in the air", cure: "Give --scenario FILE.")
    }
  }

  private init(scenario: Scenario, speed: Double) {
    self.scenario = scenario
    self.speed = speed
  }

  /// Reads a scenario's file.
  /// - Throws: `CommandFailure`.
  static func load(_ file: String, seed: UInt64?) throws -> Rehearsal {
    var (scenario, speed) = try ScenarioFile.read(try ManifestSource.bytes(of: file), file: file)
    if let seed { scenario.seed = seed }
    return Rehearsal(scenario: scenario, speed: speed)
  }

  /// Serves the building on a bus of its own for as long as `body` runs.
  /// - Throws: `CommandFailure` when there is no bus to be had; what `body` throws.
  func serving<Result: Sendable>(_ body: @escaping @Sendable (Bus) async throws -> Result) async throws
    -> Result
  {
    do {
      return try await ServedBuilding.serve(scenario, on: ScaledClock(SystemClock(), factor: speed)) {
        building in
        try await body(Bus(address: building.busAddress, clock: building.clock))
      }
    } catch let error as DBusDaemonError {
      throw Self.failure(error)
    } catch let error as DBusError {
      throw CommandFailure(
        .unavailable, "the virtual building's own bus has ended (\(error))",
        cure: "Somebody stopped its dbus-daemon; start again.")
    }
  }

  private static func failure(_ error: DBusDaemonError) -> CommandFailure {
    switch error {
    case .notInstalled(let program, let reason):
      CommandFailure(
        .unavailable, "\(program) cannot be started: \(reason)",
        cure: "A virtual building needs it: `sudo apt-get install dbus-daemon`.")
    case .noDirectory(let path, let reason):
      CommandFailure(.unavailable, "no bus can be made in \(path): \(reason)")
    case .failedToStart(let reason):
      CommandFailure(.unavailable, "dbus-daemon does not start: \(reason)")
    }
  }
}

extension Scenario {
  /// A virtual building with a healthy sensor for each room, of the room's family: at the room's address, or at one
  /// made up. Those of registered rooms are at work already.
  /// - Throws: `CommandFailure` for a family that has no virtual sensors.
  init(healthy building: Building, seed: UInt64) throws {
    let taken = Set(building.rooms.compactMap(\.address))
    var free = (0...).lazy.map { BluetoothAddress(rawValue: 0xC47C_8D00_0000 + UInt64($0)) }
      .filter { !taken.contains($0) }.makeIterator()
    var sensors: [SensorScenario] = []
    for room in building.rooms {
      guard let address = room.address ?? free.next() else { break }
      sensors.append(try SensorScenario(for: room, at: address))
    }
    self.init(
      seed: seed,
      adapters: [AdapterScenario(address: BluetoothAddress(rawValue: 0x001A_7DDA_7113), name: "hci0")],
      sensors: sensors)
  }
}

extension SensorScenario {
  /// The healthy sensor that a room expects.
  fileprivate init(for room: Room, at address: BluetoothAddress) throws {
    guard let family = FirmwareFamily[name: room.profile.rawValue] else {
      throw CommandFailure(
        .usage, "there is no virtual \(room.profile) for \(room.name)",
        cure: "Rehearse with --scenario FILE, or without --simulate on the devices themselves.")
    }
    var holds: [String: String] = [:]
    if room.isRegistered {
      for setting in family.settings {
        holds[setting.name] = room.settings[SettingName(rawValue: setting.name)]?.shown
      }
    }
    self.init(address: address, family: family, holds: holds)
  }
}
