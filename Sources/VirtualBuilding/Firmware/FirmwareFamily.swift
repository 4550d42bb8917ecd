public import Bluetooth

/// A device family that the virtual building can have: all that scenarios need to know about it.
public struct FirmwareFamily: Sendable {
  /// Its name in scenarios: the profile's id.
  public let name: String
  /// What its devices keep in flash and a scenario may name: what they hold from the beginning, and which writes they
  /// reject.
  public let settings: [FirmwareSetting]
  /// Where their links can be lost, to order.
  public let dropStages: [Fault.DropStage.Name]
  /// What can go wrong with them beside what can with every device (`FaultKind.common`).
  public let faults: [FaultKind]
  /// Whether its firmware was built with the uuid and major of its beacon (`FirmwareConditions.beacon`).
  public let hasBuiltInBeacon: Bool
  /// A device of the family.
  public let make: @Sendable (FirmwareConditions) -> any Firmware

  /// A family.
  public init(
    name: String, settings: [FirmwareSetting] = [],
    dropStages: [Fault.DropStage.Name] = [.connect, .discover, .write, .confirm], faults: [FaultKind] = [],
    hasBuiltInBeacon: Bool = false, make: @escaping @Sendable (FirmwareConditions) -> any Firmware
  ) {
    self.name = name
    self.settings = settings
    self.dropStages = dropStages
    self.faults = faults
    self.hasBuiltInBeacon = hasBuiltInBeacon
    self.make = make
  }

  /// All families there are.
  public static let all: [FirmwareFamily] = [
    .roboSensor,
    .iotDesignShop,
    .midiKeyboard,
    .firefly,
  ]

  /// The family of this name, or nil.
  public static subscript(name name: String) -> FirmwareFamily? { all.first { $0.name == name } }

  /// Every kind of fault that can be ordered for its devices.
  public var allFaults: [FaultKind] { FaultKind.common + faults }

  /// What a device has in flash that holds these values; `SensorScenario.holds`.
  /// - Throws: `HoldingProblem` for the first of them, by name, that cannot be.
  public func encode(_ holds: [String: String]) throws(HoldingProblem) -> [String: [UInt8]] {
    guard !holds.isEmpty else { return [:] }
    var values: [String: [UInt8]] = [:]
    for (name, text) in holds.sorted(by: { $0.key < $1.key }) {
      guard let setting = settings.first(where: { $0.name == name }) else {
        throw HoldingProblem(
          setting: name,
          reason: "there is no setting \(name); there are \(settings.map(\.name).joined(separator: ", "))")
      }
      guard let value = setting.encode(text) else {
        throw HoldingProblem(setting: name, reason: "\(setting.expected) is expected here")
      }
      values[name] = value
    }
    if let missing = settings.first(where: { $0.isAlwaysHeld && holds[$0.name] == nil }) {
      throw HoldingProblem(
        setting: missing.name, reason: "what \(self.name) holds includes \(missing.name)")
    }
    return values
  }
}

/// Why a device cannot hold what a scenario says.
public struct HoldingProblem: Error, Hashable, Sendable {
  /// The setting.
  public var setting: String
  /// What is wrong, for people.
  public var reason: String
}

/// A value that devices of a family keep in flash.
public struct FirmwareSetting: Sendable {
  /// Its name: the manifest's.
  public let name: String
  /// The characteristic by which it is written.
  public let characteristic: BluetoothUUID
  /// What a value is, for people: `a whole number from 0 to 65535`.
  public let expected: String
  /// Whether no device can hold anything without holding this.
  public let isAlwaysHeld: Bool
  /// The value that people write like this as it is in flash, or nil when it is none.
  public let encode: @Sendable (String) -> [UInt8]?

  /// A setting.
  public init(
    _ name: String, _ characteristic: BluetoothUUID, _ expected: String, isAlwaysHeld: Bool = false,
    encode: @escaping @Sendable (String) -> [UInt8]?
  ) {
    self.name = name
    self.characteristic = characteristic
    self.expected = expected
    self.isAlwaysHeld = isAlwaysHeld
    self.encode = encode
  }

  /// A number of two bytes.
  public static func number(
    _ name: String, _ characteristic: BluetoothUUID, _ order: Flash.ByteOrder, isAlwaysHeld: Bool = false
  ) -> Self {
    Self(name, characteristic, "a whole number from 0 to 65535", isAlwaysHeld: isAlwaysHeld) { text in
      UInt16(text).map {
        order == .bigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)]
      }
    }
  }

  /// Text of so many bytes of UTF-8.
  public static func text(
    _ name: String, _ characteristic: BluetoothUUID, bytes: ClosedRange<Int>
  ) -> Self {
    Self(name, characteristic, "text of \(bytes.lowerBound) to \(bytes.upperBound) bytes") { text in
      bytes.contains(text.utf8.count) ? Array(text.utf8) : nil
    }
  }
}

/// What a device finds where it is put.
public struct FirmwareConditions: Sendable {
  /// What is wrong with it from the factory.
  public var faults: [Fault]
  /// What its WiFi radio hears.
  public var wifiNetworks: [WiFiNetwork]
  /// The radio it lives with: its MTU, and how long a restart takes.
  public var radio: RadioParameters
  /// What it was told in an earlier life, by setting, as it is in flash; nothing: it comes from the factory.
  public var held: [String: [UInt8]]
  /// What its firmware was built with, where that is another beacon than the factory's.
  public var beacon: BuiltInBeacon?

  /// Conditions.
  public init(
    faults: [Fault] = [], wifiNetworks: [WiFiNetwork] = [], radio: RadioParameters = .init(),
    held: [String: [UInt8]] = [:], beacon: BuiltInBeacon? = nil
  ) {
    self.faults = faults
    self.wifiNetworks = wifiNetworks
    self.radio = radio
    self.held = held
    self.beacon = beacon
  }
}

/// The part of a beacon that a firmware was built with, and that nobody can write; what is nil is the factory's.
public struct BuiltInBeacon: Hashable, Sendable {
  /// Proximity UUID.
  public var uuid: BluetoothUUID?
  /// Major.
  public var major: UInt16?

  /// A beacon's part.
  public init(uuid: BluetoothUUID? = nil, major: UInt16? = nil) {
    self.uuid = uuid
    self.major = major
  }
}
