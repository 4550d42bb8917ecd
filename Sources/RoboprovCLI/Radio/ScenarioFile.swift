import Bluetooth
import Provisioning
import VirtualBuilding
import YAML

/// Reads a scenario's YAML; its format is described in `manifests/demo-scenario.yaml`.
enum ScenarioFile {
  /// The scenario, and how many times faster than life it is to be.
  /// - Throws: `CommandFailure` with file, line and column of the first thing that is wrong.
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
    let scenario = Scenario(
      seed: try top.integer("seed", in: 0...Int.max).map(UInt64.init) ?? 1,
      adapters: try top.list("adapters").map { try adapter($0, &taken) },
      sensors: try top.list("sensors").map { try sensor($0, &taken) },
      wifiNetworks: try top.list("wifi").map(network))
    return (scenario, try top.number("speed", in: 0.01...1000) ?? 1)
  }

  /// What may be there once only.
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

  /// The name becomes a part of the path of D-Bus objects, so it is as the kernel has it.
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
    let node = try node.mapping(["name", "address", "powered", "blocked", "present"])
    return AdapterScenario(
      address: try address(node, &taken), name: try adapterName(node, &taken),
      isPowered: try node.flag("powered") ?? true, isBlocked: try node.flag("blocked") ?? false,
      isPresent: try node.flag("present") ?? true)
  }

  private static func sensor(_ node: ScenarioReader, _ taken: inout Taken) throws -> SensorScenario {
    let node = try node.mapping(["address", "rssi", "appears", "faults"])
    return SensorScenario(
      address: try address(node, &taken),
      signal: Signal(base: try node.integer("rssi", in: -127...20) ?? -60),
      appearsAfter: try node.duration("appears") ?? .zero, faults: try node.list("faults").map(fault))
  }

  private static func network(_ node: ScenarioReader) throws -> WiFiNetwork {
    let node = try node.mapping(["ssid", "rssi"])
    return WiFiNetwork(
      ssid: try node.required("ssid", node.text), rssi: try node.integer("rssi", in: -127...20) ?? -60)
  }

  private static func fault(_ node: ScenarioReader) throws -> ScheduledFault {
    let node = try node.mapping([
      "fault", "attempts", "in", "nth", "text", "setting", "att_error", "saved", "minor",
    ])
    return ScheduledFault(try kind(node), attempts: try node.integer("attempts", in: 1...1000))
  }

  private static func kind(_ node: ScenarioReader) throws -> Fault {
    let name = try node.required("fault", node.text)
    switch name {
    case "silent": return .silent
    case "never_answers": return .neverAnswers
    case "slow": return .slow
    case "stale_attributes": return .staleAttributes
    case "without_wifi_scan": return .withoutWiFiScan
    case "drops": return .drops(in: try dropStage(node))
    case "no_ready": return .noReady
    case "refuses_subscription": return .refusesSubscription
    case "stale_error": return .staleError(try errorText(node))
    case "error_after_first_write": return .errorAfterFirstWrite(try errorText(node))
    case "error_on_save": return .errorOnSave(try errorText(node))
    case "rejects_write":
      return .rejectsWrite(
        to: try characteristic(node), code: UInt8(try node.integer("att_error", in: 1...255) ?? 0x80))
    case "saves_only_with_ssid": return .savesOnlyWithSSID
    case "no_saved": return .noSaved
    case "restarts_before_confirming": return .restartsBeforeConfirming(saved: try node.flag("saved") ?? true)
    case "returns_with_minor":
      return .returnsWithMinor(UInt16(try node.required("minor") { try node.integer($0, in: 0...65535) }))
    case "never_returns": return .neverReturns
    default: throw node.failure("there is no fault \(name)", at: "fault")
    }
  }

  private static func errorText(_ node: ScenarioReader) throws -> String {
    try node.required("text", node.text)
  }

  private static func dropStage(_ node: ScenarioReader) throws -> Fault.DropStage {
    switch try node.required("in", node.text) {
    case "connect": return .connect
    case "discover": return .discover
    case "subscribe": return .subscribe
    case "write": return .write(try node.integer("nth", in: 1...100) ?? 1)
    case "save": return .save
    case let other: throw node.failure("there is no stage \(other)", at: "in")
    }
  }

  private static func characteristic(_ node: ScenarioReader) throws -> BluetoothUUID {
    switch try node.required("setting", node.text) {
    case SettingName.wifiSSID.rawValue: return RoboSensor.Attribute.ssid
    case SettingName.wifiPassword.rawValue: return RoboSensor.Attribute.password
    case SettingName.roomName.rawValue: return RoboSensor.Attribute.roomName
    case SettingName.minor.rawValue: return RoboSensor.Attribute.minor
    case let other: throw node.failure("there is no setting \(other)", at: "setting")
    }
  }
}
