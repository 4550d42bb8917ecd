package import Bluetooth

/// A device family of the virtual building, as scenarios use it.
package struct FirmwareFamily: Sendable {
  /// The name in scenarios: the profile's id.
  package let name: String
  /// The persistent settings. A scenario can give them initial values, and make devices reject their writes.
  package let settings: [FirmwareSetting]
  /// The stages in which a scenario can make a link drop.
  package let dropStages: [Fault.DropStage.Name]
  /// The family's own faults, in addition to `FaultKind.common` and `pairing`.
  package let faults: [FaultKind]
  /// Whether UUID and major of the beacon are built into the firmware (`FirmwareConditions.beacon`).
  package let hasBuiltInBeacon: Bool
  /// What a scenario can put on the label of a device (`FirmwareConditions.label`).
  package let label: [String]
  /// Whether a scenario can put endpoints of the product on the label.
  package let labelsEndpoints: Bool
  /// What is right for its devices; nil for a make that no room has.
  package let oracle: FirmwareOracle?
  /// Creates the firmware of a device.
  package let make: @Sendable (FirmwareConditions) -> any Firmware

  package init(
    name: String, settings: [FirmwareSetting] = [],
    dropStages: [Fault.DropStage.Name] = [.connect, .discover, .write, .confirm], faults: [FaultKind] = [],
    hasBuiltInBeacon: Bool = false, label: [String] = [], labelsEndpoints: Bool = false,
    oracle: FirmwareOracle? = nil,
    make: @escaping @Sendable (FirmwareConditions) -> any Firmware
  ) {
    self.name = name
    self.settings = settings
    self.dropStages = dropStages
    self.faults = faults
    self.hasBuiltInBeacon = hasBuiltInBeacon
    self.label = label
    self.labelsEndpoints = labelsEndpoints
    self.oracle = oracle
    self.make = make
  }

  package static let all: [FirmwareFamily] = [
    .roboSensor,
    .iotDesignShop,
    .midiKeyboard,
    .firefly,
    .improvWiFi,
    .espIDF,
    .shelly,
  ]

  /// All faults that a scenario can order for its devices.
  package var allFaults: [FaultKind] { FaultKind.common + FaultKind.pairing + faults }

  /// Encodes initial values (`SensorScenario.holds`) as they are stored in flash.
  /// - Throws: `ScenarioProblem` for the first invalid value, ordered by name.
  package func encode(_ holds: [String: String]) throws(ScenarioProblem) -> [String: [UInt8]] {
    if let problem = problems(of: holds).first { throw problem }
    var values: [String: [UInt8]] = [:]
    for setting in settings { values[setting.name] = holds[setting.name].flatMap(setting.encode) }
    return values
  }

  /// Why a device cannot have these initial values: the invalid ones by name, then a required one that is
  /// missing. Empty when it can.
  package func problems(of holds: [String: String]) -> [ScenarioProblem] {
    guard !holds.isEmpty else { return [] }
    var problems: [ScenarioProblem] = holds.sorted { $0.key < $1.key }.compactMap { name, text in
      guard let setting = settings.first(where: { $0.name == name }) else {
        let names = settings.map(\.name).joined(separator: ", ")
        return ScenarioProblem(name, .value, "there is no setting \(name); there are \(names)")
      }
      guard setting.encode(text) == nil else { return nil }
      return ScenarioProblem(name, .value, "\(setting.expected) is expected here")
    }
    if let missing = settings.first(where: { $0.isAlwaysHeld && holds[$0.name] == nil }) {
      let reason = "what \(name) holds includes \(missing.name)"
      problems.append(ScenarioProblem(missing.name, .missing, reason))
    }
    return problems
  }
}

extension [FirmwareFamily] {
  /// The family of this name, or nil.
  package subscript(name name: String) -> FirmwareFamily? { first { $0.name == name } }
}

/// A persistent setting of a family's devices.
package struct FirmwareSetting: Sendable {
  /// The name in the manifest.
  package let name: String
  /// The characteristic that writes it.
  package let characteristic: BluetoothUUID
  /// The description of valid values, for people: `a whole number from 0 to 65535`.
  package let expected: String
  /// Whether a device that has any initial value must have this one.
  package let isAlwaysHeld: Bool
  /// Whether the host computes its one byte from the time, so that no room has it.
  package let isComputed: Bool
  /// Encodes a value written by people as it is stored in flash; nil if it is invalid.
  package let encode: @Sendable (String) -> [UInt8]?

  package init(
    _ name: String, _ characteristic: BluetoothUUID, _ expected: String, isAlwaysHeld: Bool = false,
    isComputed: Bool = false, encode: @escaping @Sendable (String) -> [UInt8]?
  ) {
    self.name = name
    self.characteristic = characteristic
    self.expected = expected
    self.isAlwaysHeld = isAlwaysHeld
    self.isComputed = isComputed
    self.encode = encode
  }

  /// A setting with a two-byte number.
  package static func number(
    _ name: String, _ characteristic: BluetoothUUID, _ order: Flash.ByteOrder, isAlwaysHeld: Bool = false
  ) -> Self {
    Self(name, characteristic, "a whole number from 0 to 65535", isAlwaysHeld: isAlwaysHeld) { text in
      UInt16(text).map {
        order == .bigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)]
      }
    }
  }

  /// A setting with UTF-8 text of limited length in bytes.
  package static func text(
    _ name: String, _ characteristic: BluetoothUUID, bytes: ClosedRange<Int>, isAlwaysHeld: Bool = false
  ) -> Self {
    let expected = "text of \(bytes.lowerBound) to \(bytes.upperBound) bytes"
    return Self(name, characteristic, expected, isAlwaysHeld: isAlwaysHeld) { text in
      bytes.contains(text.utf8.count) ? Array(text.utf8) : nil
    }
  }
}

/// The environment and the initial state of a device.
package struct FirmwareConditions: Sendable {
  package var faults: [Fault]
  /// The WiFi networks that its WiFi radio receives.
  package var wifiNetworks: [WiFiNetwork]
  /// The parameters of the radio: the MTU, the duration of a restart.
  package var radio: RadioParameters
  /// The initial values by setting, as stored in flash; empty for factory state.
  package var held: [String: [UInt8]]
  /// The built-in beacon, if it differs from the factory's.
  package var beacon: BuiltInBeacon?
  /// What its label says, by the manifest's name.
  package var label: [String: String]

  package init(
    faults: [Fault] = [], wifiNetworks: [WiFiNetwork] = [], radio: RadioParameters = .init(),
    held: [String: [UInt8]] = [:], beacon: BuiltInBeacon? = nil, label: [String: String] = [:]
  ) {
    self.faults = faults
    self.wifiNetworks = wifiNetworks
    self.radio = radio
    self.held = held
    self.beacon = beacon
    self.label = label
  }
}

/// The part of a beacon that is built into the firmware and cannot be written. Nil fields have factory
/// values.
package struct BuiltInBeacon: Hashable, Sendable {
  package var uuid: BluetoothUUID?
  package var major: UInt16?

  package init(uuid: BluetoothUUID? = nil, major: UInt16? = nil) {
    self.uuid = uuid
    self.major = major
  }
}

/// A WiFi network that a sensor's WiFi radio receives.
package struct WiFiNetwork: Hashable, Sendable {
  /// The name, up to 32 bytes. It may contain commas.
  package var ssid: String
  /// The strength at the sensor in dBm.
  package var rssi: Int

  package init(ssid: String, rssi: Int) {
    self.ssid = ssid
    self.rssi = rssi
  }
}
