import Bluetooth
import Model
import VirtualBuilding
import Source
import YAML

/// Reads a scenario from YAML. `manifests/demo-scenario.yaml` describes the format.
enum ScenarioFile {
  /// The scenario and its speed, as a multiple of real time.
  /// - Throws: `CommandFailure` with file, line and column of the first error.
  static func read(_ bytes: [UInt8], file: String) throws -> (Scenario, speed: Double) {
    let root: YAMLNode?
    do throws(YAMLError) {
      root = try YAMLParser.parse(bytes)
    } catch {
      throw ScenarioReader.failure("\(error.problem)", at: error.mark, in: file)
    }
    guard let root else { throw CommandFailure(.manifest, "\(file): the scenario is empty") }
    let top = try ScenarioReader(root, file: file, keys: ["seed", "speed", "adapters", "sensors", "wifi"])
    var taken = Taken()
    let adapters = try top.list("adapters").map { try adapter($0, &taken) }
    let scenario = Scenario(
      seed: try top.integer("seed", in: 0...Int.max).map(UInt64.init) ?? 1, adapters: adapters,
      sensors: try top.list("sensors").map { try sensor($0, adapters, &taken) },
      wifiNetworks: try top.list("wifi").map(network))
    return (scenario, try top.number("speed", in: 0.01...1000) ?? 1)
  }

  /// Addresses and names that must be unique.
  private struct Taken {
    var addresses: Set<BluetoothAddress> = []
    var names: Set<String> = []
  }

  private static func address(_ node: ScenarioReader, _ taken: inout Taken) throws -> BluetoothAddress {
    let address = try node.required("address", node.address)
    guard taken.addresses.insert(address).inserted else {
      throw node.failure("\(address) is there already", at: "address")
    }
    return address
  }

  /// The name becomes a part of D-Bus object paths, so it has the form of a kernel name.
  private static func adapterName(_ node: ScenarioReader, _ taken: inout Taken) throws -> String {
    let name = try node.required("name", node.text)
    let number = name.dropFirst(3)
    guard name.hasPrefix("hci"), (1...4).contains(number.utf8.count),
      number.allSatisfy({ $0.isASCII && $0.isNumber })
    else { throw node.failure("a name such as hci0 is expected here", at: "name") }
    guard taken.names.insert(name).inserted else {
      throw node.failure("\(name) is there already", at: "name")
    }
    return name
  }

  private static func adapter(_ node: ScenarioReader, _ taken: inout Taken) throws -> AdapterScenario {
    let node = try node.mapping(["name", "address", "powered", "blocked", "present", "place"])
    return AdapterScenario(
      address: try address(node, &taken), name: try adapterName(node, &taken),
      isPowered: try node.flag("powered") ?? true, isBlocked: try node.flag("blocked") ?? false,
      isPresent: try node.flag("present") ?? true, place: try place(node))
  }

  private static func sensor(
    _ node: ScenarioReader, _ adapters: [AdapterScenario], _ taken: inout Taken
  ) throws -> SensorScenario {
    let node = try node.mapping([
      "address", "family", "rssi", "place", "appears", "holds", "beacon", "faults",
    ])
    let family = try family(node)
    let place = try place(node)
    if place != nil, let lost = adapters.first(where: { $0.place == nil }) {
      throw node.failure("\(lost.name) has no place, so its RSSI of this sensor is not defined", at: "place")
    }
    if place != nil, try node.text("rssi") != nil {
      throw node.failure("a sensor has a place or an rssi, not both", at: "rssi")
    }
    return SensorScenario(
      address: try address(node, &taken), family: family,
      signal: Signal(base: try node.integer("rssi", in: -127...20) ?? -60), place: place,
      appearsAfter: try node.duration("appears") ?? .zero, holds: try holds(node, family),
      beacon: try beacon(node, family), faults: try node.list("faults").map { try fault($0, family) })
  }

  /// At most 10 km from the origin, on floors −20 to 200.
  private static func place(_ node: ScenarioReader) throws -> Place? {
    guard let node = try node.mapping(["x", "y", "floor"], under: "place") else { return nil }
    return Place(
      x: try node.required("x") { try node.number($0, in: -10_000...10_000) },
      y: try node.required("y") { try node.number($0, in: -10_000...10_000) },
      floor: try node.integer("floor", in: -20...200) ?? 0)
  }

  private static func family(_ node: ScenarioReader) throws -> FirmwareFamily {
    guard let name = try node.text("family") else { return .roboSensor }
    if let family = FirmwareFamily[name: name] { return family }
    let names = FirmwareFamily.all.map(\.name).joined(separator: ", ")
    throw node.failure("there is no family \(name); the families: \(names)", at: "family")
  }

  private static func holds(_ node: ScenarioReader, _ family: FirmwareFamily) throws -> [String: String] {
    guard let values = try node.mapping(family.settings.map(\.name), under: "holds") else { return [:] }
    var holds: [String: String] = [:]
    for name in values.keys { holds[name] = try values.required(name, values.text) }
    do {
      _ = try family.encode(holds)
    } catch {
      throw values.failure(error.reason, at: error.setting)
    }
    return holds
  }

  /// The beacon that is built into the sensor's firmware.
  private static func beacon(_ node: ScenarioReader, _ family: FirmwareFamily) throws -> BuiltInBeacon? {
    guard let beacon = try node.mapping(["uuid", "major"], under: "beacon") else { return nil }
    guard family.hasBuiltInBeacon else {
      throw node.failure("\(family.name) has no beacon that is built into its firmware", at: "beacon")
    }
    let uuid = try beacon.text("uuid").map { text in
      // Short UUIDs belong to services; no beacon has one.
      guard text.utf8.count == 36, let uuid = BluetoothUUID(text) else {
        throw beacon.failure("a UUID of 32 hex digits is expected here", at: "uuid")
      }
      return uuid
    }
    return BuiltInBeacon(uuid: uuid, major: try beacon.integer("major", in: 0...65535).map { UInt16($0) })
  }

  private static func network(_ node: ScenarioReader) throws -> WiFiNetwork {
    let node = try node.mapping(["ssid", "rssi"])
    return WiFiNetwork(
      ssid: try node.required("ssid", node.text), rssi: try node.integer("rssi", in: -127...20) ?? -60)
  }

  private static func fault(_ node: ScenarioReader, _ family: FirmwareFamily) throws -> ScheduledFault {
    let node = try node.mapping(knowing: "fault") { node in
      try kind(node, family).keys + ["attempts"]
    }
    return ScheduledFault(
      try kind(node, family).read(node, family), attempts: try node.integer("attempts", in: 1...1000))
  }

  private static func kind(_ node: ScenarioReader, _ family: FirmwareFamily) throws -> FaultKind {
    let name = try node.required("fault", node.text)
    if let kind = family.allFaults.first(where: { $0.name == name }) { return kind }
    let names = family.allFaults.map(\.name).joined(separator: ", ")
    throw node.failure("\(family.name) has no fault \(name); its faults: \(names)", at: "fault")
  }
}
