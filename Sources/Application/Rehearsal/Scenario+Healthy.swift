import Bluetooth
package import Engine
package import Model
import VirtualBuilding

extension Scenario {
  /// A virtual building in which every device is healthy and in the state of the record. The device of a
  /// provisioned room is at work with its recorded settings and address, that of a registered room is at
  /// work, and all others wait. So a rehearsal shows what the next run does if nothing fails.
  /// - Throws: `CommandFailure` for a family without virtual devices.
  package init(healthy building: Building, _ known: Known, seed: UInt64) throws {
    let lastKnown = known.lastKnown
    let recorded = lastKnown.rooms.values.flatMap { room in room.bindings.map(\.address) }
    let taken = Set(building.rooms.compactMap(\.address) + recorded + lastKnown.retired.keys)
    var free = (0...).lazy.map { BluetoothAddress(rawValue: 0xC47C_8D00_0000 + UInt64($0)) }
      .filter { !taken.contains($0) }.makeIterator()
    var sensors: [SensorScenario] = []
    let firmware = building.firmware
    for room in building.rooms {
      let isForced = known.permissions.force.contains(room.id)
      let onRecord = lastKnown.rooms[room.id]
      if onRecord?.retirement != nil, !isForced { continue }
      var address = room.address ?? onRecord?.bindings.first?.address
      // A room that was accepted without a device gets none.
      if address == nil, onRecord?.acceptance == nil || isForced { address = free.next() }
      guard let address else { continue }
      var sensor = try SensorScenario(for: room, of: firmware, at: address, onRecord?.lastWrite)
      if sensor.family.hasBuiltInBeacon { sensor.beacon = BuiltInBeacon(expectedBy: room) }
      sensor.label = Dictionary(
        uniqueKeysWithValues: room.access.compactMap { name, value in
          var text = value.shown
          // The secrets of rooms that are not selected are not known.
          if case .secret(let secret) = value, secret.isResolved { text = secret.reveal() }
          return text.map { (name.rawValue, $0) }
        })
      sensor.label["name"] = room.deviceName
      sensors.append(sensor)
    }
    self.init(
      seed: seed,
      adapters: [AdapterScenario(address: BluetoothAddress(rawValue: 0x001A_7DDA_7113), name: "hci0")],
      sensors: sensors)
  }
}

extension SensorScenario {
  /// The healthy device that a room expects at an address.
  /// - Parameter lastWrite: The last write for the room: a device that got a save command has kept these
  ///   settings.
  fileprivate init(
    for room: Room, of firmware: [FirmwareFamily], at address: BluetoothAddress, _ lastWrite: LastWrite?
  ) throws {
    guard let family = firmware[name: room.family.id.rawValue] else {
      throw CommandFailure(
        .usage, "\(room.name): there is no virtual \(room.family.id)",
        advice: "Rehearse with --scenario FILE, or run on the devices without --simulate.")
    }
    if let lastWrite, lastWrite.address == address {
      // Passwords are not on record, and a virtual device is at work without one.
      let held = Dictionary(lastWrite.settings.map { ($0.name.rawValue, $0.value) }, uniquingKeysWith: { $1 })
      self.init(address: lastWrite.receivedAt, family: family, holds: family.holds { held[$0] ?? nil })
    } else if room.isRegistered {
      let holds = family.holds { room.settings[SettingName(rawValue: $0)]?.shown }
      self.init(address: address, family: family, holds: holds)
    } else {
      self.init(address: address, family: family)
    }
  }
}

extension BuiltInBeacon {
  /// The built-in beacon that a room expects; nil for the factory setting.
  fileprivate init?(expectedBy room: Room) {
    self.init()
    if case .uuid(let uuid)? = room.settings[.beaconUUID] { self.uuid = uuid }
    if case .integer(let major)? = room.settings[.beaconMajor] { self.major = UInt16(exactly: major) }
    if uuid == nil, major == nil { return nil }
  }
}

extension FirmwareFamily {
  /// The settings that a device of the family holds, by name; empty if it cannot hold these values.
  fileprivate func holds(_ value: (String) -> String?) -> [String: String] {
    var holds: [String: String] = [:]
    for setting in settings { holds[setting.name] = value(setting.name) }
    return (try? encode(holds)) == nil ? [:] : holds
  }
}
