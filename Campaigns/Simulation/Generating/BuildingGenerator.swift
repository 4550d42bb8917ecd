import Bluetooth
import Model
import Session
import VirtualBuilding

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
  private let site: FirmwareDraw.Site
  /// The families to choose from, repeated by frequency.
  private let families: [SimulatedFamilies.Family]
  /// The makes of devices that no room has.
  private let others: [FirmwareFamily]
  private let retries: Int
  private let haste: Int
  /// The probability of faults.
  private let faultiness: Double
  /// The positions of rooms; nil when signals do not depend on positions.
  private let storeys: Storeys?
  /// The adapters that stand in rooms, by the number of the room.
  private let residents: [Int: AdapterScenario]

  init(_ generator: SeededGenerator, _ all: SimulatedFamilies) {
    origin = generator
    var chance = generator
    let assignment: Building.Assignment = chance.chance(0.3) ? .any : .address
    building = Building(
      id: "house", name: "House", assignment: assignment, rooms: [], families: all.drivers.catalogue)
    let count = chance.chance(0.4) ? 1 : Int.random(in: 2...5, using: &chance)
    adapters = (0..<count).map {
      AdapterScenario(address: BluetoothAddress(rawValue: 0x001A_7DDA_7100 + UInt64($0)), name: "hci\($0)")
    }
    site = FirmwareDraw.Site(
      uuid: BluetoothUUID(bytes: (0..<16).map { _ in UInt8.random(in: 1...255, using: &chance) })
        ?? .zero,
      major: Int.random(in: 0...65535, using: &chance), ssids: ["Plant", "Büro 2.4"],
      passwords: (0..<2).map { _ in Self.password(&chance) }, hasWiFi: chance.chance(0.8))
    families = Self.mixtures(of: all.all).randomElement(using: &chance) ?? all.all
    others = all.others
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

  /// The mixtures of families in a building, by frequency: each family alone, all, and the first two. The first
  /// family is the commonest.
  private static func mixtures(of all: [SimulatedFamilies.Family]) -> [[SimulatedFamilies.Family]] {
    let first = Array(all.prefix(1))
    return [first] + all.map { [$0] } + [first + all, Array(all.prefix(2))]
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
    guard let family = families.randomElement(using: &chance) else { preconditionFailure("no family") }
    var room = makeRoom(number, family)
    let address = newAddress()
    let isRegistered = family.family.hasIdentity && chance.chance(0.05)
    room.isRegistered = isRegistered
    if building.assignment == .address && !isRegistered || chance.chance(0.3) { room.address = address }
    var sensor = SensorScenario(
      address: address, family: family.firmware, signal: drawSignal(),
      place: storeys?.place(number, &chance))
    if let resident = residents[number], !isRegistered {
      room.address = nil
      let name = chance.chance(0.3) ? resident.name : resident.address.description
      room.near = AdapterReference(name)
    }
    if isRegistered {
      sensor.holds = holdings(of: room, family.draw)
    } else {
      if family.family.hasIdentity, chance.chance(0.08) {
        sensor.holds = drawHoldings(of: room, number, family.draw)
      }
      if chance.chance(faultiness) { sensor.faults = drawFaults(family.draw) }
    }
    if chance.chance(0.1) { sensor.appearsAfter = chance.duration(in: .seconds(1)...(.seconds(90))) }
    // With `match: any`, a device without an identity is never matched to a room that does not name it.
    if !family.family.hasIdentity, room.near == nil {
      var chance = origin.split("name/\(number)")
      if chance.chance(0.7) { room.address = address }
    }
    if !isRegistered { family.draw.more(number, &room, &sensor, faultiness, origin) }
    building.rooms.append(room)
    sensors.append(sensor)
  }

  private mutating func makeRoom(_ number: Int, _ family: SimulatedFamilies.Family) -> Room {
    let settings = family.draw.settings(number, site, &chance)
    var timeouts = family.family.timeouts(for: settings)
    // The time limits of a session per action are fixed.
    if !family.family.lifecycle.isPerAction {
      for stage in Stage.allCases { timeouts[stage] *= haste }
    }
    return Room(
      id: RoomID(rawValue: "room-\(number)"), name: "Room \(number)", family: family.family,
      settings: settings, timeouts: timeouts, retries: retries)
  }

  /// A signal that every adapter receives, or only some.
  private mutating func drawSignal() -> SignalStrength {
    var signal = SignalStrength(base: Int.random(in: -80 ... -45, using: &chance))
    for adapter in adapters where chance.chance(0.3) {
      signal.perAdapter[adapter.address] = Int.random(in: -80 ... -40, using: &chance)
    }
    if !signal.perAdapter.isEmpty, chance.chance(0.3) { signal.base = nil }
    return signal
  }

  // MARK: Stored settings

  /// The stored settings of the provisioned device of a room.
  private func holdings(of room: Room, _ draw: FirmwareDraw) -> [String: String] {
    var holds = Dictionary(
      uniqueKeysWithValues: room.settings.map { name, value in
        if case .secret(let secret) = value {
          (name.rawValue, secret.reveal())
        } else {
          (name.rawValue, value.shown ?? "")
        }
      })
    holds.merge(draw.usual) { own, _ in own }
    return holds
  }

  /// Provisioned already, configured for another building, or configured with the number of another room here.
  private mutating func drawHoldings(
    of room: Room, _ number: Int, _ draw: FirmwareDraw
  ) -> [String: String] {
    var holds = holdings(of: room, draw)
    guard let key = draw.number else { return holds }
    switch Int.random(in: 0...3, using: &chance) {
    case 0, 1: break
    case 2: holds[key] = String(Int.random(in: 1000...60000, using: &chance))
    default: holds[key] = String(number + 1)
    }
    return holds
  }

  /// A device of no room: in provisioning mode, configured, or of another make.
  private mutating func drawStranger() {
    let address = newAddress()
    let index = Int.random(in: 0..<(families.count + others.count), using: &chance)
    let family = families.indices.contains(index) ? families[index] : nil
    var sensor = SensorScenario(
      address: address, family: family?.firmware ?? others[index - families.count], signal: drawSignal(),
      place: storeys?.place(Int.random(in: 1...30, using: &chance), &chance))
    if chance.chance(0.4), let family, family.family.hasIdentity {
      sensor.holds = holdings(of: makeRoom(9000 + Int(nextAddress), family), family.draw)
    }
    strangers.insert(address)
    sensors.append(sensor)
  }

  // MARK: Faults

  private mutating func drawFaults(_ draw: FirmwareDraw) -> [ScheduledFault] {
    let count = chance.chance(0.8) ? 1 : 2
    return (0..<count).map { _ in
      ScheduledFault(
        (Fault.ofAll + draw.faults(site.passwords[0])).randomElement(using: &chance) ?? .slow,
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
  /// The faults of devices of all families.
  fileprivate static let ofAll: [Fault] = [
    .silent, .neverAnswers, .slow, .staleAttributes, .twoCharacteristics, .twoServices, .drops(in: .connect),
    .drops(in: .discover),
    .drops(in: .write(1)), .drops(in: .confirm(1)),
  ]

  /// Whether the device disconnects without keeping what it was sent: after a write per action no host can distinguish that
  /// from a success.
  var looksLikeSuccess: Bool {
    switch self {
    case .drops(in: .write), .own(.dropsBeforeWrite): true
    default: false
    }
  }

  /// Whether nothing on air shows that a person has reset the device.
  var hidesReset: Bool { self == .own(.hidesState) }
}
