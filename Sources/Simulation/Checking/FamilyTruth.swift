package import Bluetooth
import Families
package import Model
package import VirtualBuilding

/// The expected behaviour of a family's devices: which bytes they get, what they store, and which writes
/// change them. Implemented independently of the engine, which it checks.
package enum FamilyTruth: Hashable, Sendable {
  case roboSensor
  case iotDesignShop
  case firefly

  package init(_ profile: ProfileID) {
    switch profile {
    case "robo-sensor": self = .roboSensor
    case "iot-design-shop": self = .iotDesignShop
    case "firefly": self = .firefly
    default: preconditionFailure("unknown family: \(profile)")
    }
  }

  package init(_ room: Room) { self.init(room.profile) }

  /// The flash of a room's provisioned device, by setting; without settings that the room does not have and
  /// those that the firmware determines.
  package func flash(of room: Room) -> [String: [UInt8]] {
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

  /// Whether a flash holds all settings of a room.
  package func holds(_ flash: Flash?, _ room: Room) -> Bool {
    guard let flash, flash.isSaved else { return false }
    return self.flash(of: room).allSatisfy { flash.values[$0.key] == $0.value }
  }

  /// The whole flash of a room's provisioned device.
  func wanted(_ room: Room) -> Flash { Flash(values: flash(of: room), isSaved: true) }

  /// The identity on air of a device with this flash; nil for one that is not configured.
  package func identity(_ flash: Flash) -> [UInt8]? {
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

  /// The settings in a write to this characteristic, in byte order; empty for a command.
  package static func settings(at characteristic: BluetoothUUID) -> [String] {
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

  /// Whether a write to a room's device contains only the room's own settings. A setting that the room does
  /// not have, but that shares the characteristic, must keep its earlier value.
  package func isOwn(_ write: WriteRecord, of room: Room, before: Flash?) -> Bool {
    let names = Self.settings(at: write.characteristic)
    // A request for the network list changes nothing, and is only for rooms that want it.
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
      // The elapsed byte depends on the time, not on the room.
      return write.value.count == 4
        && [wanted["value"], wanted["control"], wanted["range"]] == [0, 1, 3].map { [write.value[$0]] }
    }
    return write.value == names.flatMap { wanted[$0] ?? before?.values[$0] ?? [] }
  }

  /// Whether a write changes the device permanently.
  package func isChange(_ write: WriteRecord) -> Bool {
    switch self {
    case .roboSensor: write.characteristic == RoboSensorGATT.command
    case .iotDesignShop, .firefly: true
    }
  }

  /// The grades of evidence that prove a room's device after a write.
  package func proofs(of room: Room) -> Set<Evidence.Grade> {
    switch self {
    case .roboSensor:
      Set([.freshBeacon, .freshBeaconUnacknowledged] as [Evidence.Grade])
        .union(room.proofAddress == .any ? [.freshBeaconOtherAddress] : [])
    case .iotDesignShop:
      room.proofAddress == .any ? [.freshBeacon, .freshBeaconOtherAddress] : [.freshBeacon]
    case .firefly: [.selfDisconnect]
    }
  }
}

extension FamilyTruth {
  /// A device with its flash.
  package struct Device: Sendable {
    package var address: BluetoothAddress
    /// The family's name in scenarios.
    package var family: String
    package var flash: Flash

    package init(address: BluetoothAddress, family: String, flash: Flash) {
      self.address = address
      self.family = family
      self.flash = flash
    }

    /// The identity on air; nil for a device that is not configured, or of another make.
    package var identity: [UInt8]? {
      DeviceProfiles[ProfileID(rawValue: family)].flatMap { FamilyTruth($0.id).identity(flash) }
    }
  }

  /// Groups of configured devices with the same identity, by address.
  package static func lookalikes(_ devices: [Device]) -> [[BluetoothAddress]] {
    var holders: [[UInt8]: [BluetoothAddress]] = [:]
    for device in devices {
      if let identity = device.identity { holders[identity, default: []].append(device.address) }
    }
    return holders.values.filter { $0.count > 1 }.map { $0.sorted() }.sorted { $0[0] < $1[0] }
  }
}
