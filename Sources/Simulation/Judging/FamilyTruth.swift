public import Bluetooth
import Families
public import Model
public import VirtualBuilding

/// What a family's devices are told over the air, what they keep of it, and which of it is a change: told here once
/// more and independently of the engine, whose word is what is on trial.
public enum FamilyTruth: Hashable, Sendable {
  /// Robo Sensors.
  case roboSensor
  /// IoT Design Shop beacons.
  case iotDesignShop
  /// Fireflies.
  case firefly

  /// Of a family that is told here.
  public init(_ profile: ProfileID) {
    switch profile {
    case "robo-sensor": self = .roboSensor
    case "iot-design-shop": self = .iotDesignShop
    case "firefly": self = .firefly
    default: preconditionFailure("a family of which nothing is told here: \(profile)")
    }
  }

  /// Of the family that a room expects.
  public init(_ room: Room) { self.init(room.profile) }

  /// What the flash of a room's device holds when it is done, setting by setting; what the room does not set is
  /// not told, nor is what only its firmware decides.
  public func flash(of room: Room) -> [String: [UInt8]] {
    let written = room.settings.filter { $0.key != .beaconUUID && $0.key != .beaconMajor }
    return Dictionary(uniqueKeysWithValues: written.map { ($0.key.rawValue, encode($0.value)) })
  }

  private func encode(_ value: SettingValue) -> [UInt8] {
    switch (self, value) {
    case (.roboSensor, .text(let text)): Array(text.utf8)
    case (.roboSensor, .secret(let secret)): Array(secret.reveal().utf8)
    case (.roboSensor, .integer(let number)): [UInt8(number >> 8), UInt8(number & 0xFF)]
    case (.iotDesignShop, .integer(let number)): [UInt8(number & 0xFF), UInt8(number >> 8)]
    case (.iotDesignShop, .uuid(let uuid)): uuid.bytes
    case (.iotDesignShop, .text("low")): [0, 0]
    case (.iotDesignShop, .text("medium")): [1, 0]
    case (.iotDesignShop, .text("high")): [2, 0]
    case (.iotDesignShop, .duration(let interval)): Self.units(interval)
    case (.firefly, .integer(let number)): [UInt8(number)]
    default: preconditionFailure("\(self) has no such setting: \(value)")
    }
  }

  private static func units(_ interval: Duration) -> [UInt8] {
    let units = Int(interval / .microseconds(625))
    return [UInt8(units & 0xFF), UInt8(units >> 8)]
  }

  /// Whether a flash holds all that a room wants.
  public func holds(_ flash: Flash?, _ room: Room) -> Bool {
    guard let flash, flash.isSaved else { return false }
    return self.flash(of: room).allSatisfy { flash.values[$0.key] == $0.value }
  }

  /// What the device of a room holds when it is done, as a whole.
  func wanted(_ room: Room) -> Flash { Flash(values: flash(of: room), isSaved: true) }

  /// What a device with this flash is known by on air once it is at work; nil of one that is not.
  public func identity(_ flash: Flash) -> [UInt8]? {
    switch self {
    case .roboSensor:
      return flash.isSaved ? flash.values["minor"] : nil
    case .iotDesignShop:
      guard let uuid = flash.values["uuid"], uuid != IoTDesignShopGATT.service.bytes else { return nil }
      return uuid + (flash.values["major"] ?? []) + (flash.values["minor"] ?? [])
    case .firefly:
      return nil
    }
  }

  /// Which settings a write to this characteristic carries, in the order of its bytes; none is a command.
  public static func settings(at characteristic: BluetoothUUID) -> [String] {
    switch characteristic {
    case RoboSensorGATT.ssid: ["wifi_ssid"]
    case RoboSensorGATT.password: ["wifi_password"]
    case RoboSensorGATT.roomName: ["room_name"]
    case RoboSensorGATT.minor: ["minor"]
    case IoTDesignShopGATT.beaconUUID: ["uuid"]
    case IoTDesignShopGATT.beaconID: ["major", "minor"]
    case IoTDesignShopGATT.transmission: ["power", "interval"]
    case FireflyGATT.message: ["value", "control", "elapsed", "range"]
    default: []
    }
  }

  /// Whether a write to a room's device says nothing but the room's own settings. Where the room leaves one open that
  /// shares its characteristic with another, it is what the device held before.
  public func isOwn(_ write: WriteRecord, of room: Room, before: Flash?) -> Bool {
    let names = Self.settings(at: write.characteristic)
    // To be asked for networks changes nothing, and is only for rooms that want it.
    if self == .roboSensor, write.characteristic == RoboSensorGATT.wifiScan {
      return room.checksWiFi && write.value == Array("SCAN".utf8)
    }
    if names.isEmpty {
      return self == .roboSensor && write.characteristic == RoboSensorGATT.command
        && write.value == Array("SAVE".utf8)
    }
    let wanted = flash(of: room)
    guard names.contains(where: { wanted[$0] != nil }) else { return false }
    if self == .firefly {
      // The time in between is the moment's, not the room's.
      return write.value.count == 4
        && [wanted["value"], wanted["control"], wanted["range"]] == [0, 1, 3].map { [write.value[$0]] }
    }
    return write.value == names.flatMap { wanted[$0] ?? before?.values[$0] ?? [] }
  }

  /// Whether a write changes for good what the device is.
  public func isChange(_ write: WriteRecord) -> Bool {
    switch self {
    case .roboSensor: write.characteristic == RoboSensorGATT.command
    case .iotDesignShop, .firefly: true
    }
  }

  /// What shows that the device of a room, which was written, has its settings.
  public func proofs(of room: Room) -> Set<Evidence.Grade> {
    switch self {
    case .roboSensor, .iotDesignShop:
      room.proofAddress == .any ? [.freshBeacon, .freshBeaconOtherAddress] : [.freshBeacon]
    case .firefly: [.selfDisconnect]
    }
  }
}

extension FamilyTruth {
  /// A device that is told apart by what it has on air.
  public struct Device: Sendable {
    /// Who.
    public var address: BluetoothAddress
    /// Its family, as scenarios name it.
    public var family: String
    /// What it holds.
    public var flash: Flash

    /// A device.
    public init(address: BluetoothAddress, family: String, flash: Flash) {
      self.address = address
      self.family = family
      self.flash = flash
    }

    /// What it is known by on air; nil when it is not at work, or of no family of ours.
    public var identity: [UInt8]? {
      DeviceProfiles[ProfileID(rawValue: family)].flatMap { FamilyTruth($0.id).identity(flash) }
    }
  }

  /// The devices that nobody can tell apart, though they are at work: each group by address, the groups by their first.
  public static func lookalikes(_ devices: [Device]) -> [[BluetoothAddress]] {
    var holders: [[UInt8]: [BluetoothAddress]] = [:]
    for device in devices {
      if let identity = device.identity { holders[identity, default: []].append(device.address) }
    }
    return holders.values.filter { $0.count > 1 }.map { $0.sorted() }.sorted { $0[0] < $1[0] }
  }
}
