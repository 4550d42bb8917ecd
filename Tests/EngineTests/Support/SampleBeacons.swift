import Bluetooth
import Families
import Model
import SampleFacts
import VirtualBuilding

/// IoT Design Shop beacons, and rooms for them.
extension Sample {
  /// The UUID and major of this site's beacons.
  static let site: BluetoothUUID = "4D6F6F72-0000-4C61-6D70-000000000001"
  static let major = 258

  static func beaconRoom(
    _ number: Int, address: UInt64? = nil, uuid: BluetoothUUID = site, major: Int = major, minor: Int? = nil,
    power: String? = "medium", interval: Duration? = .milliseconds(500), registered: Bool = false,
    retries: Int = 2
  ) -> Room {
    var settings: [SettingName: SettingValue] = [
      .uuid: .uuid(uuid), .major: .integer(major), .minor: .integer(minor ?? number),
    ]
    settings[.power] = power.map { .text($0) }
    settings[.interval] = interval.map { .duration($0) }
    return Room(
      id: RoomID(rawValue: "room-\(number)"), name: "Room \(number)", family: .iotDesignShop,
      address: address.map(Self.address), isRegistered: registered, settings: settings,
      timeouts: DeviceFamily.iotDesignShop.timeouts(for: settings), retries: retries)
  }

  /// A beacon, factory-fresh or with these settings.
  static func beaconDevice(
    _ number: UInt64, holds: [String: String] = [:], faults: [ScheduledFault] = [],
    appearsAfter: Duration = .zero
  ) -> SensorScenario {
    SensorScenario(
      address: address(number), family: .iotDesignShop, appearsAfter: appearsAfter, holds: holds,
      faults: faults)
  }

  /// The settings of a beacon of another building.
  static let foreign = [
    "uuid": "0D1E2F30-1111-2222-3333-444455556666", "major": "7", "minor": "4660", "power": "high",
    "interval": "1s",
  ]

  /// The settings of a room's provisioned beacon.
  static func done(_ room: Room) -> [String: String] {
    Dictionary(uniqueKeysWithValues: room.settings.map { ($0.key.rawValue, $0.value.shown ?? "") })
  }
}

extension Rehearsed {
  /// The characteristics that were written on a device, in order.
  func written(_ number: UInt64) -> [BluetoothUUID] {
    writes.filter { $0.address == Sample.address(number) }.map(\.characteristic)
  }
}

extension Sample {
  static func fireflyRoom(_ number: Int, address: UInt64? = nil, value: Int = 7, retries: Int = 0) -> Room {
    let settings: [SettingName: SettingValue] = [
      .control: .integer(3), .value: .integer(value), .range: .integer(200),
    ]
    return Room(
      id: RoomID(rawValue: "room-\(number)"), name: "Room \(number)", family: .firefly,
      address: address.map(Self.address), settings: settings,
      timeouts: DeviceFamily.firefly.timeouts(for: settings),
      retries: retries)
  }
}
