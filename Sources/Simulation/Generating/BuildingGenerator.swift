import Bluetooth
import Families
import Model
import VirtualBuilding
import VirtualTime

/// A building that is being generated: rooms with a sensor each, and foreign devices on air.
struct BuildingGenerator {
  private var chance: SeededGenerator
  /// The base of independent streams: a part that is drawn from a split changes no other part.
  private let origin: SeededGenerator
  private var nextAddress: UInt64 = 1
  private(set) var building: Building
  private(set) var adapters: [AdapterScenario]
  private(set) var sensors: [SensorScenario] = []
  private(set) var strangers: Set<BluetoothAddress> = []
  let networks: [WiFiNetwork]

  /// The values that all rooms share.
  private let site: Site
  /// The families to choose from, repeated by frequency.
  private let families: [FirmwareFamily]
  private let retries: Int
  private let haste: Int
  /// The probability of faults.
  private let faultiness: Double
  /// The positions of rooms; nil when signals do not depend on positions.
  private let storeys: Storeys?
  /// The adapters that stand in rooms, by the number of the room.
  private let residents: [Int: AdapterScenario]

  private struct Site {
    var uuid: BluetoothUUID
    var major: Int
    var ssids: [String]
    var passwords: [String]
    var hasWiFi: Bool
  }

  init(_ generator: SeededGenerator) {
    origin = generator
    var chance = generator
    let assignment: Building.Assignment = chance.chance(0.3) ? .any : .address
    building = Building(id: "house", name: "House", assignment: assignment, rooms: [])
    let count = chance.chance(0.4) ? 1 : Int.random(in: 2...5, using: &chance)
    adapters = (0..<count).map {
      AdapterScenario(address: BluetoothAddress(rawValue: 0x001A_7DDA_7100 + UInt64($0)), name: "hci\($0)")
    }
    site = Site(
      uuid: BluetoothUUID(bytes: (0..<16).map { _ in UInt8.random(in: 1...255, using: &chance) })
        ?? IoTDesignShopGATT.beaconUUID,
      major: Int.random(in: 0...65535, using: &chance), ssids: ["Plant", "Büro 2.4"],
      passwords: (0..<2).map { _ in Self.password(&chance) }, hasWiFi: chance.chance(0.8))
    families =
      [
        [.roboSensor], [.roboSensor], [.iotDesignShop], [.firefly],
        [.roboSensor, .roboSensor, .iotDesignShop, .firefly], [.roboSensor, .iotDesignShop],
      ].randomElement(using: &chance) ?? [.roboSensor]
    retries = Int.random(in: 0...4, using: &chance)
    haste = chance.chance(0.7) ? 1 : 2
    faultiness = [0, 0.1, 0.3, 0.6].randomElement(using: &chance) ?? 0
    storeys = chance.chance(0.4) ? Storeys(&chance) : nil
    residents = Self.house(&adapters, storeys, &chance)
    for adapter in adapters where chance.chance(0.1) {
      building.adapters.append(
        AdapterDescription(
          AdapterReference(adapter.address.description), slots: Int.random(in: 1...5, using: &chance)))
    }
    networks = [WiFiNetwork(ssid: "Plant", rssi: -51), WiFiNetwork(ssid: "Nachbar, 2. Stock", rssi: -80)]
    self.chance = chance
  }

  /// Gives adapters random positions; in half of the cases rooms are near them.
  private static func house(
    _ adapters: inout [AdapterScenario], _ storeys: Storeys?, _ chance: inout SeededGenerator
  ) -> [Int: AdapterScenario] {
    guard let storeys else { return [:] }
    let areRoomsNear = chance.chance(0.5)
    var residents: [Int: AdapterScenario] = [:]
    for index in adapters.indices {
      let number = Int.random(in: 1...8, using: &chance)
      adapters[index].place = storeys.place(number, &chance)
      if areRoomsNear, residents[number] == nil { residents[number] = adapters[index] }
    }
    return residents
  }

  /// Includes letters that JSON escapes.
  private static func password(_ chance: inout SeededGenerator) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789\"\\ü")
    let count = Int.random(in: 8...30, using: &chance)
    return String((0..<count).compactMap { _ in letters.randomElement(using: &chance) })
  }

  // MARK: Rooms and sensors

  mutating func drawRooms() {
    // Most buildings are small, a few are large: a short record makes a defect easier to find.
    let count =
      chance.chance(0.85)
      ? Int.random(in: 1...8, using: &chance)
      : chance.chance(0.8) ? Int.random(in: 9...24, using: &chance) : Int.random(in: 25...60, using: &chance)
    for number in 1...count { drawRoom(number) }
    for _ in 0..<(chance.chance(0.4) ? Int.random(in: 1...4, using: &chance) : 0) { drawStranger() }
  }

  private mutating func newAddress() -> BluetoothAddress {
    defer { nextAddress += 1 }
    return BluetoothAddress(rawValue: 0xC47C_8D00_0000 + nextAddress)
  }

  private mutating func drawRoom(_ number: Int) {
    let family = families.randomElement(using: &chance) ?? .roboSensor
    var room = makeRoom(number, family)
    let address = newAddress()
    let isRegistered = family.name != "firefly" && chance.chance(0.05)
    room.isRegistered = isRegistered
    if building.assignment == .address && !isRegistered || chance.chance(0.3) { room.address = address }
    var sensor = SensorScenario(
      address: address, family: family, signal: drawSignal(), place: storeys?.place(number, &chance))
    if let resident = residents[number], !isRegistered {
      room.address = nil
      let name = chance.chance(0.3) ? resident.name : resident.address.description
      room.near = AdapterReference(name)
    }
    if isRegistered {
      sensor.holds = holdings(of: room)
    } else {
      if family.name != "firefly", chance.chance(0.08) { sensor.holds = drawHoldings(of: room, number) }
      if chance.chance(faultiness) { sensor.faults = drawFaults(family) }
    }
    if chance.chance(0.1) { sensor.appearsAfter = chance.duration(in: .seconds(1)...(.seconds(90))) }
    // With `match: any`, a Firefly is never matched to a room that does not name it.
    if family.name == "firefly", room.near == nil {
      var chance = origin.split("name/\(number)")
      if chance.chance(0.7) { room.address = address }
    }
    if family.name == "robo-sensor", !isRegistered {
      drawMove(number, &room, &sensor)
      drawNotKept(number, &sensor)
    }
    building.rooms.append(room)
    sensors.append(sensor)
  }

  /// A sensor that changes its address after `SAVE`, whether or not the manifest permits it.
  private func drawMove(_ number: Int, _ room: inout Room, _ sensor: inout SensorScenario) {
    var chance = origin.split("move/\(number)")
    if chance.chance(0.15) { room.proofAddress = .any }
    guard chance.chance(faultiness / 4) else { return }
    let other = BluetoothAddress(rawValue: sensor.address.rawValue + 0x10_0000)
    let fault = chance.chance(0.5) ? Fault.returnsFrom(other) : .refusesForStranger("not now", other)
    sensor.faults = [ScheduledFault(fault, attempts: chance.chance(0.5) ? 1 : nil)]
  }

  /// A sensor that leaves provisioning mode with the settings, or the WiFi alone, that it held before.
  private func drawNotKept(_ number: Int, _ sensor: inout SensorScenario) {
    var chance = origin.split("not_kept/\(number)")
    guard chance.chance(faultiness / 3) else { return }
    let answers: [Fault.SaveAnswer] = [.error("flash write failed"), .attError(0x80), .silence]
    let answer = answers.randomElement(using: &chance) ?? .silence
    let fault = Fault.saveNotKept(answer, wifiOnly: chance.chance(0.4))
    sensor.faults = [
      ScheduledFault(fault, attempts: chance.chance(0.4) ? Int.random(in: 1...3, using: &chance) : nil)
    ]
  }

  private mutating func makeRoom(_ number: Int, _ family: FirmwareFamily) -> Room {
    let profileID = ProfileID(rawValue: family.name)
    let settings = drawSettings(number, family)
    guard let profile = DeviceProfiles[profileID] else { preconditionFailure("no profile \(profileID)") }
    var timeouts = profile.timeouts(for: settings)
    // A Firefly's time limits are fixed.
    if family.name != "firefly" {
      for stage in Stage.allCases { timeouts[stage] *= haste }
    }
    return Room(
      id: RoomID(rawValue: "room-\(number)"), name: "Room \(number)", profile: profileID, settings: settings,
      timeouts: timeouts, retries: retries)
  }

  private mutating func drawSettings(_ number: Int, _ family: FirmwareFamily) -> [SettingName: SettingValue] {
    switch family.name {
    case "iot-design-shop":
      var settings: [SettingName: SettingValue] = [
        .uuid: .uuid(site.uuid), .major: .integer(site.major), .minor: .integer(number),
      ]
      if chance.chance(0.7) {
        settings[.power] = .text(["low", "medium", "high"].randomElement(using: &chance) ?? "low")
        let interval = chance.chance(0.8) ? 100...1000 : 1000...3000
        settings[.interval] = .duration(.milliseconds(Int.random(in: interval, using: &chance) / 5 * 5))
      }
      return settings
    case "firefly":
      return [
        .control: .integer(number % 256), .value: .integer(Int.random(in: 0...255, using: &chance)),
        .range: .integer(200),
      ]
    default:
      var settings: [SettingName: SettingValue] = [
        .roomName: .text("Room \(number)"), .minor: .integer(number),
      ]
      if site.hasWiFi {
        let index = Int.random(in: 0...1, using: &chance)
        settings[.wifiSSID] = .text(site.ssids[index])
        settings[.wifiPassword] = .secret(Secret(site.passwords[index]))
      }
      return settings
    }
  }

  /// A signal that every adapter receives, or only some.
  private mutating func drawSignal() -> Signal {
    var signal = Signal(base: Int.random(in: -80 ... -45, using: &chance))
    for adapter in adapters where chance.chance(0.3) {
      signal.perAdapter[adapter.address] = Int.random(in: -80 ... -40, using: &chance)
    }
    if !signal.perAdapter.isEmpty, chance.chance(0.3) { signal.base = nil }
    return signal
  }

  // MARK: Stored settings

  /// The stored settings of the provisioned device of a room.
  private func holdings(of room: Room) -> [String: String] {
    var holds = Dictionary(
      uniqueKeysWithValues: room.settings.map { name, value in
        if case .secret(let secret) = value {
          (name.rawValue, secret.reveal())
        } else {
          (name.rawValue, value.shown ?? "")
        }
      })
    if room.profile == "iot-design-shop", holds["power"] == nil {
      holds["power"] = "medium"
      holds["interval"] = "500ms"
    }
    return holds
  }

  /// Provisioned already, configured for another building, or configured with the minor of another room here.
  private mutating func drawHoldings(of room: Room, _ number: Int) -> [String: String] {
    var holds = holdings(of: room)
    switch Int.random(in: 0...3, using: &chance) {
    case 0, 1: break
    case 2: holds["minor"] = String(Int.random(in: 1000...60000, using: &chance))
    default: holds["minor"] = String(number + 1)
    }
    return holds
  }

  /// A device of no room: in provisioning mode, configured, or of another make.
  private mutating func drawStranger() {
    let address = newAddress()
    let family = (families + [.midiKeyboard]).randomElement(using: &chance) ?? .roboSensor
    var sensor = SensorScenario(
      address: address, family: family, signal: drawSignal(),
      place: storeys?.place(Int.random(in: 1...30, using: &chance), &chance))
    if chance.chance(0.4), family.name == "robo-sensor" || family.name == "iot-design-shop" {
      sensor.holds = holdings(of: makeRoom(9000 + Int(nextAddress), family))
    }
    strangers.insert(address)
    sensors.append(sensor)
  }

  // MARK: Faults

  private mutating func drawFaults(_ family: FirmwareFamily) -> [ScheduledFault] {
    let count = chance.chance(0.8) ? 1 : 2
    return (0..<count).map { _ in
      ScheduledFault(
        Fault.all(of: family, quoting: site.passwords[0]).randomElement(using: &chance) ?? .slow,
        attempts: chance.chance(0.5) ? Int.random(in: 1...4, using: &chance) : nil)
    }
  }
}

/// Rooms along corridors, on several floors.
private struct Storeys {
  private let columns: Int
  private let rows: Int
  private let radio = RadioParameters()

  init(_ chance: inout SeededGenerator) {
    columns = Int.random(in: 2...6, using: &chance)
    rows = Int.random(in: 1...3, using: &chance)
  }

  /// A position in a room, away from its walls.
  func place(_ number: Int, _ chance: inout SeededGenerator) -> Place {
    let cell = (number - 1) % (columns * rows)
    let width = radio.wallSpacing
    return Place(
      x: (Double(cell % columns) + Double.random(in: 0.3...0.7, using: &chance)) * width,
      y: (Double(cell / columns) + Double.random(in: 0.3...0.7, using: &chance)) * width,
      floor: (number - 1) / (columns * rows))
  }
}

extension Fault {
  /// The possible faults of a family's devices, some of which quote a secret.
  fileprivate static func all(of family: FirmwareFamily, quoting secret: String) -> [Fault] {
    let common: [Fault] = [
      .silent, .neverAnswers, .slow, .staleAttributes, .drops(in: .connect), .drops(in: .discover),
      .drops(in: .write(1)), .drops(in: .confirm(1)),
    ]
    switch family.name {
    case "robo-sensor":
      return common + [
        .drops(in: .subscribe), .drops(in: .write(2)), .drops(in: .confirm(2)), .drops(in: .save),
        .rejectsWrite(to: RoboSensorGATT.minor, code: 0x80), .noReady, .refusesSubscription,
        .staleError("left over"), .errorAfterFirstWrite("flash busy"), .errorOnSave("flash worn out"),
        .errorOnSave("cannot join with \(secret)"),
        .savesOnlyWithSSID, .noSaved, .restartsBeforeConfirming(saved: true),
        .restartsBeforeConfirming(saved: false), .returnsWithMinor(7777), .neverReturns, .withoutWiFiScan,
      ]
    case "iot-design-shop":
      let registers = [
        IoTDesignShopGATT.beaconUUID, IoTDesignShopGATT.beaconID, IoTDesignShopGATT.transmission,
      ]
      return common + [.drops(in: .write(2)), .drops(in: .confirm(2)), .own(.oldBeacon)]
        + registers.flatMap {
          [.rejectsWrite(to: $0, code: 0x80), .own(.keepsOld($0)), .own(.storesWrong($0))]
        }
    case "firefly":
      return common + [.own(.staysConnected), .own(.diesWhenConnected), .own(.dropsBeforeWrite)]
    default:
      return common
    }
  }

  /// Whether the device disconnects without keeping what a Firefly was sent: no host can distinguish that
  /// from a success.
  var looksLikeSuccess: Bool {
    switch self {
    case .drops(in: .write), .own(.dropsBeforeWrite): true
    default: false
    }
  }
}
