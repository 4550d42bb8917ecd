import Bluetooth
import Manifest
import VirtualBuilding
import YAML

extension ScenarioDecoder {
  mutating func adapter(_ node: YAMLNode) -> AdapterScenario? {
    let keys = ["name", "address", "powered", "blocked", "present", "place"]
    guard let fields = mapping(node, keys) else { return nil }
    let name = unique("name", of: fields, otherwise: .duplicateAdapter, ScenarioFields.adapterName)
    let address = address(of: fields)
    let isPowered = value("powered", of: fields, ScenarioFields.flag)
    let isBlocked = value("blocked", of: fields, ScenarioFields.flag)
    let isPresent = value("present", of: fields, ScenarioFields.flag)
    let place = place(of: fields)
    guard let name, let address else { return nil }
    return AdapterScenario(
      address: address, name: name, isPowered: isPowered ?? true, isBlocked: isBlocked ?? false,
      isPresent: isPresent ?? true, place: place)
  }

  mutating func sensor(_ node: YAMLNode, _ adapters: [AdapterScenario]) -> SensorScenario? {
    let keys = ["address", "family", "rssi", "place", "appears", "holds", "beacon", "label", "faults"]
    guard let fields = mapping(node, keys) else { return nil }
    let address = address(of: fields)
    let signal = integer("rssi", of: fields, in: -127...20)
    let place = place(of: fields)
    if let node = fields["place"], let other = adapters.first(where: { $0.place == nil }) {
      find(
        .missingKey, "\(other.name) has no place, so its RSSI of this sensor is not defined", at: node.range)
    }
    if fields["place"] != nil, let node = fields["rssi"] {
      find(.misplacedKey, "a sensor has a place or an rssi, not both", at: node.range)
    }
    let appears = value("appears", of: fields, ScenarioFields.duration)
    // The keys of the rest depend on the family.
    guard let family = family(of: fields) else { return nil }
    let holds = holds(of: fields, family)
    let beacon = beacon(of: fields, family)
    let label = label(of: fields, family)
    let faults = items("faults", of: fields).compactMap { fault($0, family) }
    guard let address else { return nil }
    return SensorScenario(
      address: address, family: family, signal: SignalStrength(base: signal ?? -60), place: place,
      appearsAfter: appears ?? .zero, holds: holds, beacon: beacon, label: label, faults: faults)
  }

  private mutating func label(of fields: ScenarioFields, _ family: FirmwareFamily) -> [String: String] {
    let keys = family.label + (family.labelsEndpoints ? ["endpoints"] : [])
    guard let values = mapping("label", of: fields, keys) else { return [:] }
    var label: [String: String] = [:]
    for name in family.label where values[name] != nil {
      label[name] = required(name, of: values, ScenarioFields.text)
    }
    for item in items("endpoints", of: values) {
      guard let name = item.text, !name.isEmpty else {
        find(.wrongStructure, "the name of an endpoint is expected here", at: item.range)
        continue
      }
      label[EspGATT.ofProduct + name] = ""
    }
    return label
  }

  mutating func network(_ node: YAMLNode) -> WiFiNetwork? {
    guard let fields = mapping(node, ["ssid", "rssi"]) else { return nil }
    let ssid = required("ssid", of: fields, ScenarioFields.text)
    let rssi = integer("rssi", of: fields, in: -127...20)
    return ssid.map { WiFiNetwork(ssid: $0, rssi: rssi ?? -60) }
  }

  private mutating func address(of fields: ScenarioFields) -> BluetoothAddress? {
    unique("address", of: fields, otherwise: .duplicateAddress, ScenarioFields.address)
  }

  private mutating func place(of fields: ScenarioFields) -> Place? {
    guard let fields = mapping("place", of: fields, ["x", "y", "floor"]) else { return nil }
    let x = required("x", of: fields, ScenarioFields.coordinate)
    let y = required("y", of: fields, ScenarioFields.coordinate)
    let floor = integer("floor", of: fields, in: -20...200)
    guard let x, let y else { return nil }
    return Place(x: x, y: y, floor: floor ?? 0)
  }

  private mutating func family(of fields: ScenarioFields) -> FirmwareFamily? {
    guard fields["family"] != nil else { return families.first }
    let families = families
    return value(of: fields) { fields throws(ScenarioProblem) in
      let name = try fields.required("family", fields.text)
      if let family = families[name: name] { return family }
      let names = families.map(\.name).joined(separator: ", ")
      throw ScenarioProblem("family", .value, "there is no family \(name); the families: \(names)")
    }
  }

  private mutating func holds(of fields: ScenarioFields, _ family: FirmwareFamily) -> [String: String] {
    guard let values = mapping("holds", of: fields, family.settings.map(\.name)) else { return [:] }
    var holds: [String: String] = [:]
    for name in values.keys where family.settings.contains(where: { $0.name == name }) {
      holds[name] = required(name, of: values, ScenarioFields.text)
    }
    // A value that is present but invalid is reported already, so it is not reported as missing, too.
    for problem in family.problems(of: holds) where problem.kind != .missing || values[problem.key] == nil {
      find(problem, in: values)
    }
    return holds
  }

  /// The beacon that is built into the sensor's firmware.
  private mutating func beacon(of fields: ScenarioFields, _ family: FirmwareFamily) -> BuiltInBeacon? {
    guard let node = fields["beacon"] else { return nil }
    guard family.hasBuiltInBeacon else {
      find(
        .misplacedKey, "\(family.name) has no beacon that is built into its firmware", at: node.range)
      return nil
    }
    guard let fields = mapping(node, ["uuid", "major"]) else { return nil }
    let uuid = value("uuid", of: fields, ScenarioFields.beaconUUID)
    let major = integer("major", of: fields, in: 0...65535)
    return BuiltInBeacon(uuid: uuid, major: major.map { UInt16($0) })
  }

  private mutating func fault(_ node: YAMLNode, _ family: FirmwareFamily) -> ScheduledFault? {
    guard let fields = mapping(node) else { return nil }
    let kind = value(of: fields) { fields throws(ScenarioProblem) in
      let name = try fields.required("fault", fields.text)
      if let kind = family.allFaults.first(where: { $0.name == name }) { return kind }
      let names = family.allFaults.map(\.name).joined(separator: ", ")
      throw ScenarioProblem("fault", .value, "\(family.name) has no fault \(name); its faults: \(names)")
    }
    // The fault determines its other keys.
    guard let kind else { return nil }
    checkKeys(of: fields, ["fault"] + kind.keys + ["attempts"])
    let fault = value(of: fields) { fields throws(ScenarioProblem) in try kind.read(fields, family) }
    let attempts = integer("attempts", of: fields, in: 1...1000)
    return fault.map { ScheduledFault($0, attempts: attempts) }
  }
}
