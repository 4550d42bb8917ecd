import Bluetooth
import DBus
import EventLoop
import Foundation
import Host
import Model
import SampleFacts
import Synchronization
import Testing
import VirtualBuilding

@testable import Application

/// A building over months, as the commands see it: its manifest, its devices, two laptops with records of their own, and
/// people who change all of them. Everything follows from the seed.
struct BuildingHistory {
  /// A room of the manifest.
  struct Place {
    var name: String
    /// The `id` that the manifest gives; nil if it follows from the name.
    var id: String?
    var floor: Int
    var family: FirmwareFamily
    var number: Int
    var address: BluetoothAddress?
    var network = 0
  }

  /// A laptop with a record of its own.
  struct Laptop: Hashable {
    var name: String
    var siteKey: String
    /// The reports directory.
    var reports: String { name }
    var folder: String { "\(reports)/\(Site.building)" }
  }

  /// A change of what a device holds, and the run that made it; nil for one that no record has.
  struct Change {
    var step: Int
    var run: String?
  }

  let site: Site
  let building: ServedBuilding
  let transcript: Transcript
  let seeds: SeededGenerator
  /// The chance of the present step.
  var chance: SeededGenerator
  var places: [Place]
  let matchesAny: Bool
  let hasOneKey: Bool
  /// The runs in the record of the step's laptop before it.
  var runsBefore: Set<String> = []
  var passwords = ["first of the year", "for staff only"]
  /// Devices that nobody has unpacked yet.
  var spares: [SensorScenario]
  /// Devices without power.
  var silent: Set<BluetoothAddress>
  let laptops: [Laptop]
  let adapters: [AdapterScenario]

  /// What was done, one line a step.
  var log: [(step: Int, text: String)] = []
  /// The number of the present step, from 1.
  var step = 0
  private(set) var disagreements: [Disagreement] = []
  private var known: Set<String> = []

  /// The rooms of the manifest, with their settings, at each run.
  var roomsAtRun: [String: [Room]] = [:]
  /// The passwords of the manifest at each run.
  var passwordsAtRun: [String: [String]] = [:]
  /// The last change of what each device holds.
  var lastChanges: [BluetoothAddress: Change] = [:]
  /// Devices whose button was pressed since they last changed.
  var pressed: Set<BluetoothAddress> = []
  private var nextNumber = 200

  // MARK: Its beginning

  /// Lives through the history of a seed.
  /// - Parameters:
  ///   - skipped: Steps to leave out.
  ///   - last: The last step; nil for the one that the seed draws.
  /// - Returns: The history, with what its outputs disagreed about.
  static func live(_ seed: UInt64, without skipped: Set<Int> = [], until last: Int? = nil) async throws
    -> BuildingHistory
  {
    try await Site.use { site in
      var chance = SeededGenerator(seed: seed).split("building")
      let drawn = Drawn(seed, &chance)
      return try await site.serve(drawn.scenario) { building in
        var history = BuildingHistory(site, building, drawn, SeededGenerator(seed: seed).split("steps"))
        try await history.begin()
        for step in 1...(last ?? drawn.steps) {
          try await history.takeStep(isSkipped: skipped.contains(step))
          if history.disagreements.count > 40 { break }
        }
        return history
      }
    }
  }

  /// A building and its devices.
  private struct Drawn {
    var scenario: Scenario
    var places: [Place]
    var spares: [SensorScenario]
    var matchesAny: Bool
    var hasOneKey: Bool
    var steps: Int

    init(_ seed: UInt64, _ chance: inout SeededGenerator) {
      let count = Int.random(in: 2...8, using: &chance)
      matchesAny = chance.chance(0.15)
      hasOneKey = chance.chance(0.5)
      steps = Int.random(in: 4...12, using: &chance)
      let adapters = (0..<(chance.chance(0.4) ? 2 : 1)).map { number in
        AdapterScenario(
          address: BluetoothAddress(rawValue: ServedBuilding.adapter.rawValue + UInt64(number)),
          name: "hci\(number)")
      }
      var sensors: [SensorScenario] = []
      func addSensor(_ family: FirmwareFamily) -> BluetoothAddress {
        var sensor = ServedBuilding.sensor(sensors.count + 1)
        sensor.family = family
        // On another floor only one of two adapters receives it.
        if adapters.count == 2, chance.chance(0.6) {
          sensor.signal = SignalStrength(
            base: nil, perAdapter: [chance.pick(adapters).address: -60])
        }
        sensors.append(sensor)
        return sensor.address
      }
      places = []
      for number in 1...count {
        let family: FirmwareFamily =
          switch matchesAny ? 0 : Int.random(in: 0..<20, using: &chance) {
          case 0..<12: .roboSensor
          case 12..<16: .iotDesignShop
          case 16: .firefly
          case 17, 18: .improvWiFi
          default: .espIDF
          }
        let address = addSensor(family)
        places.append(
          Place(
            name: "Room \(100 + number)", id: chance.chance(0.5) ? "place-\(number)" : nil,
            floor: (number + 1) / 2,
            family: family, number: family.name == "firefly" ? number : 100 + number,
            address: matchesAny ? nil : address))
      }
      let first = sensors.count
      let families = places.map(\.family)
      for _ in 0..<3 { _ = addSensor(chance.pick(families)) }
      spares = Array(sensors[first...])
      var radio = RadioParameters()
      radio.advertisingInterval = .milliseconds(500)
      scenario = Scenario(seed: seed, radio: radio, adapters: adapters, sensors: sensors)
    }
  }

  private init(_ site: Site, _ building: ServedBuilding, _ drawn: Drawn, _ chance: SeededGenerator) {
    (self.site, self.building, self.seeds, self.chance) = (site, building, chance, chance)
    transcript = Transcript(in: site.directory)
    (places, spares, matchesAny) = (drawn.places, drawn.spares, drawn.matchesAny)
    hasOneKey = drawn.hasOneKey
    adapters = drawn.scenario.adapters
    silent = Set(drawn.spares.map(\.address))
    laptops = [
      Laptop(name: "ada", siteKey: "site.key"),
      Laptop(name: "bob", siteKey: drawn.hasOneKey ? "site.key" : "bob.key"),
    ]
    let rooms = places.map { place in
      "\(place.name) \(place.family.name) \(place.number)\(place.id.map { " id \($0)" } ?? "")"
    }
    log.append(
      (
        0,
        "\(rooms.joined(separator: ", ")); \(adapters.count) adapters, \(matchesAny ? "any" : "by address"), "
          + (drawn.hasOneKey ? "one site key" : "two site keys")
      ))
  }

  private mutating func begin() async throws {
    // Some clocks are about to show the next second whenever a command begins.
    site.use(
      Surroundings.Computer(name: "history", randomBytes: seeds.split("computer").bytes()),
      fraction: chance.chance(0.25) ? 0.9997 : 0.25)
    for spare in spares { await building.world.setMuted(true, spare.address) }
    try writeManifest()
  }

  // MARK: The manifest

  static let manifest = "building.yaml"

  mutating func nextMinor() -> Int {
    nextNumber += 1
    return nextNumber
  }

  func writeManifest() throws { try site.write(Self.manifest, text(of: places)) }

  func text(of places: [Place]) -> String {
    func has(_ family: FirmwareFamily) -> Bool { places.contains { $0.family.name == family.name } }
    let lines = places.map { place in
      var keys = ["room: \(place.name)", "floor: \(place.floor)", "profile: \(place.family.name)"]
      if let id = place.id { keys.append("id: \(id)") }
      switch place.family.name {
      case FirmwareFamily.firefly.name: keys.append("control: \(place.number % 200), value: 7")
      case FirmwareFamily.improvWiFi.name: break
      case FirmwareFamily.espIDF.name: keys.append("pop: Kx7-label!")
      default: keys.append("minor: \(place.number)")
      }
      if place.network > 0 { keys.append("wifi: staff") }
      if let address = place.address { keys.append("address: \"\(address)\"") }
      return "  - { \(keys.joined(separator: ", ")) }"
    }
    var defaults = ["wifi: guests", "retries: 1", "timeouts: { connect: 10s }"]
    if has(.iotDesignShop) {
      defaults += ["uuid: 4B7F1D6E-9C0A-4E53-8D21-6A5C0E9F3B74", "major: 1", "interval: 500ms"]
    }
    if has(.firefly) { defaults.append("range: 120") }
    return """
      building: Harbour House
      id: \(Site.building)
      wifi:
        guests: { ssid: Harbour Guests, password: \(passwords[0]) }
        staff: { ssid: Harbour Staff, password: \(passwords[1]) }
      defaults:
      \(defaults.map { "  " + $0 }.joined(separator: "\n"))
      match: \(matchesAny ? "any" : "address")
      rooms:
      \(lines.joined(separator: "\n"))

      """
  }

  /// The rooms of the manifest, with their settings.
  func rooms() throws -> [Room] {
    try ManifestSource.load(
      site.directory.appending(path: Self.manifest).path, keepsEnvironment: true, warnsOfOthers: false
    ).building.rooms
  }

  // MARK: Commands

  /// What happens to a command before it ends.
  enum Fate {
    case none
    /// Ctrl-C after this time.
    case interrupted(Duration)
    /// The laptop loses its power after this time.
    case powerCut(Duration)
  }

  /// Runs a command on a laptop.
  @discardableResult
  func run(_ arguments: [String], _ fate: Fate = .none, _ laptop: Laptop? = nil) async -> Invocation.Outcome {
    let outcome =
      switch fate {
      case .none: await site.runHere(arguments, bus: building.daemon.busAddress)
      case .interrupted(let delay): await run(arguments, after: delay) { $0() }
      case .powerCut(let delay): await runUntilPowerCut(arguments, delay, laptop ?? laptops[0])
      }
    transcript.add(arguments, outcome)
    return outcome
  }

  private func run(
    _ arguments: [String], after delay: Duration,
    _ happens: @escaping @Sendable (@Sendable () -> Void) async -> Void
  ) async -> Invocation.Outcome {
    let onInterrupt = Shared<@Sendable () -> Void>({})
    let hasBegun = Shared(false)
    return await withTaskGroup(of: Invocation.Outcome?.self) { [site, building] group in
      group.addTask {
        await site.runHere(
          arguments, bus: building.daemon.busAddress,
          onInterrupt: { onInterrupt.set($0) })
      }
      group.addTask {
        guard (try? await SystemClock().sleep(for: delay)) != nil, !Task.isCancelled else { return nil }
        hasBegun.set(true)
        await happens(onInterrupt.value)
        return nil
      }
      while let ended = await group.next() {
        guard let outcome = ended else { continue }
        // What has begun ends in its own time.
        if !hasBegun.value { group.cancelAll() }
        return outcome
      }
      preconditionFailure("the command ended without an outcome")
    }
  }

  /// Runs a command on a laptop that loses its power: its files stay as they are at that moment, and bluetoothd is gone. The
  /// command then ends without any effect.
  private func runUntilPowerCut(_ arguments: [String], _ delay: Duration, _ laptop: Laptop) async
    -> Invocation.Outcome
  {
    let reports = site.directory.appending(path: laptop.reports)
    let saved = site.directory.appending(path: "saved")
    let isCut = Shared(false)
    let outcome = await run(arguments, after: delay) { [building] interrupt in
      try? FileManager.default.copyItem(at: reports, to: saved)
      isCut.set(true)
      await building.daemon.stop()
      await building.stack.down()
      interrupt()
    }
    guard isCut.value else { return outcome }
    try? FileManager.default.removeItem(at: reports)
    try? FileManager.default.moveItem(at: saved, to: reports)
    try? await building.daemon.restart()
    await building.stack.startDaemon()
    return Invocation.Outcome(status: nil, signal: 9, output: "", errors: "")
  }

  /// The runs in the record of a laptop.
  func runs(of laptop: Laptop) -> Set<String> {
    let folder = site.directory.appending(path: laptop.folder).path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return Set(
      names.filter {
        FileManager.default.fileExists(atPath: "\(folder)/\($0)/journal.jsonl") && $0 != "latest"
      })
  }

  // MARK: What was found

  mutating func note(_ disagreement: Disagreement) {
    guard known.insert(disagreement.key).inserted else { return }
    var disagreement = disagreement
    disagreement.step = step
    disagreements.append(disagreement)
  }
}

/// Two answers about one building that cannot both be right.
struct Disagreement: CustomStringConvertible {
  /// Which rule: the same for all cases of one cause, as far as the check can tell.
  var kind: String
  /// What it is about; once for each kind and subject of a history.
  var subject: String
  var detail: String
  var step = 0

  var key: String { "\(kind) \(subject)" }
  var description: String { "step \(step): \(kind): \(subject): \(detail)" }
}

extension SeededGenerator {
  /// Draws an element of a list that is not empty.
  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &self)]
  }
}

/// A value that two tasks share.
private final class Shared<Value: Sendable>: Sendable {
  private let held: Mutex<Value>

  init(_ value: Value) { held = Mutex(value) }

  var value: Value { held.withLock(\.self) }

  func set(_ value: Value) { held.withLock { $0 = value } }
}
