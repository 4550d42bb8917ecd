import Bluetooth
import Engine
import Families
import Foundation
import Host
import Model
import Reporting
import Session
import Simulation
import SampleFacts
import Testing
import VirtualBuilding
import VirtualCentral
import VirtualTime

@testable import Journal
@testable import Application
@testable import RoboprovCLI

extension VirtualPremises {
  /// The stack of a command in this building.
  func stack() async -> BluetoothStack {
    let time = Surroundings.Time(clock: clock, wall: { Date(timeIntervalSince1970: 0) }, chance: { 0 })
    return BluetoothStack(await central(), time, isSimulated: true)
  }
}

/// Laptops in a virtual building, in virtual time. Their records and reports are real files; their clocks may be wrong.
struct VirtualSite {
  /// A laptop, and the person who works with it.
  struct Laptop: Hashable, Sendable {
    let name: String
    let person: String
    /// How far its clock is ahead, in seconds.
    var clockError = 0.0
  }

  /// What a device holds and sends at one moment.
  struct Device: Hashable, Sendable {
    let flash: Flash?
    let isOnAir: Bool
    /// The minor of its beacon; nil without a beacon.
    let minor: UInt16?
  }

  /// One run, or a change by a person, and the devices before and after it.
  struct Episode: Sendable {
    let command: RecordedCommand
    let laptop: Laptop
    /// Its beginning and end by the laptop's clock.
    let times: ClosedRange<Date>
    /// The rooms of the manifest at that time.
    let rooms: [Room]
    let before: [BluetoothAddress: Device]
    let after: [BluetoothAddress: Device]
    /// The devices that received a write.
    let written: Set<BluetoothAddress>
    /// Connection attempts, by device.
    let attempts: [BluetoothAddress: Int]

    func room(_ id: String?) -> Room? { rooms.first { $0.id.rawValue == id } }
  }

  static let building = "house"

  let premises: VirtualPremises
  let directory: String
  private(set) var source: ManifestSource
  private(set) var episodes: [String: Episode] = [:]

  /// Runs `body` at a site with sensors 1…`count`, each with a room.
  static func use(_ count: Int, _ body: @escaping @Sendable (inout VirtualSite) async throws -> Void)
    async throws
  {
    let directory = NSTemporaryDirectory() + "roboprov-week-\(UUID())"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let scenario = Scenario(
      seed: 3, adapters: [AdapterScenario(address: ServedBuilding.adapter, name: "hci0")],
      sensors: (1...count).map { ServedBuilding.sensor($0) })
    try await VirtualPremises.use(scenario) { premises in
      let source = try manifest(in: directory, rooms: count, password: "first of the year")
      var site = VirtualSite(premises: premises, directory: directory, source: source)
      try await body(&site)
    }
  }

  private init(premises: VirtualPremises, directory: String, source: ManifestSource) {
    (self.premises, self.directory, self.source) = (premises, directory, source)
  }

  var world: World { premises.world }
  var clock: VirtualClock { premises.clock }

  private static func manifest(in directory: String, rooms: Int, password: String) throws -> ManifestSource {
    let lines = (1...rooms).map {
      "  - { room: Room \(100 + $0), floor: \(($0 + 1) / 2), minor: \(100 + $0), address: \"\(ServedBuilding.address($0))\" }"
    }
    let text = """
      building: House
      id: \(building)
      wifi:
        guests: { ssid: Guests, password: \(password) }
      defaults: { wifi: guests, retries: 1 }
      match: address
      rooms:
      \(lines.joined(separator: "\n"))

      """
    let path = directory + "/building.yaml"
    try Data(text.utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    return try ManifestSource.load(path)
  }

  // MARK: People

  mutating func changePassword(to password: String) throws {
    source = try Self.manifest(in: directory, rooms: source.building.rooms.count, password: password)
  }

  func pressButtons(_ numbers: [Int]) async {
    for number in numbers { await world.pressButton(ServedBuilding.address(number)) }
    await wait(.seconds(10))
  }

  func wait(_ time: Duration) async { try? await clock.sleep(for: time) }

  /// The time by a laptop's clock.
  func now(_ laptop: Laptop) -> Date { premises.now(laptop.clockError) }

  func reports(_ laptop: Laptop) -> String { "\(directory)/\(laptop.name)" }
  func folder(_ laptop: Laptop) -> String { "\(reports(laptop))/\(Self.building)" }

  func archive(_ laptop: Laptop) throws -> BuildingArchive {
    try BuildingArchive.load(Self.building, in: reports(laptop))
  }

  /// The devices now.
  func devices() async -> [BluetoothAddress: Device] {
    var devices: [BluetoothAddress: Device] = [:]
    for sensor in world.scenario.sensors {
      let payload = await world.onAir(sensor.address)
      let beacon = payload?.manufacturerData[IBeacon.company].flatMap { IBeacon(manufacturerData: $0) }
      devices[sensor.address] = Device(
        flash: await world.flash(of: sensor.address), isOnAir: payload != nil, minor: beacon?.minor)
    }
    return devices
  }

  // MARK: Runs

  /// Copies the record of one laptop to another that has none.
  func copyRecord(of laptop: Laptop, to other: Laptop) throws {
    try FileManager.default.copyItem(atPath: reports(laptop), toPath: reports(other))
  }

  /// `report merge` of all laptops into the record of the first.
  func merge(_ laptops: [Laptop]) throws {
    let merge = try RecordMerge(laptops.map(folder))
    _ = try merge.store(in: reports(laptops[0]))
    try writeReports(laptops[0])
  }

  /// Writes all reports of a laptop again.
  func writeReports(_ laptop: Laptop) throws {
    let archive = try archive(laptop)
    for run in archive.runs where run.isProvisioning {
      let directory = try RunDirectory.find(in: reports(laptop), building: Self.building, run: run.id)
      try RunReports.writeFiles(
        run.record.events, to: directory, after: BuildingReports.make(after: run, in: archive))
    }
    try RunReports.publishNewest(of: Self.building, in: reports(laptop))
    try BuildingReports.write(report(laptop), in: reports(laptop))
  }

  func report(_ laptop: Laptop) throws -> BuildingReport {
    BuildingReports.make(subject(laptop), from: try archive(laptop))
  }

  private func subject(_ laptop: Laptop) -> BuildingReports.Subject {
    .init(
      building: Self.building, manifest: (source, source.path), seal: .simulated, operatedBy: laptop.person,
      made: now(laptop))
  }

  /// `apply`.
  mutating func apply(
    _ run: String, _ laptop: Laptop, only: [Int] = [], allowing permissions: RecordPermissions = .init()
  ) async throws {
    let earlier = try archive(laptop)
    let known = Known(lastKnown: earlier.state.lastKnown, permissions: permissions, seal: .simulated)
    let only = Set(only.map { source.building.rooms[$0 - 1].id })
    var request = premises.request(source.building, known, run: run)
    request.excluded = RoomSelection(only: only).excluded(from: source.building, known)
    (request.manifestPath, request.manifestSHA256) = (source.path, source.digest)
    (request.host, request.operatedBy) = (laptop.name, laptop.person)
    request.predecessors = earlier.predecessors
    request.clockBehind = earlier.clockBehind(now(laptop))?.seconds
    try #require(request.conflicts.isEmpty, "\(request.conflicts)")
    let recorder = MortalRecorder(clock: clock)
    try await episode(run, .apply, laptop) { site in
      _ = await Engine.apply(
        request, in: site.premises.environment(await site.premises.central(), builtInFamilies),
        recording: site.premises.coordinator(recorder, clockError: laptop.clockError))
      return await recorder.events
    }
  }

  /// `verify`, with two scan windows.
  mutating func verify(_ run: String, _ laptop: Laptop) async throws {
    let earlier = try archive(laptop)
    let lastKnown = earlier.state.lastKnown
    let rooms = source.building.rooms.filter { lastKnown.rooms[$0.id]?.retirement == nil }
    try await episode(run, .verify, laptop) { site in
      let stack = await site.premises.stack()
      let logs = (0..<2).map { _ in AirLog(Verification.ledger(for: rooms, of: .builtIn)) }
      let adapters = try await stack.scan(
        AdapterChoice(names: [], wait: .seconds(5)), for: .seconds(5), into: logs)
      let windows = [await logs[0].air, await logs[1].air]
      let found = Verification(rooms, Known(lastKnown: lastKnown), windows: windows, by: adapters).rooms
      return site.amendment(run, .verify, laptop, earlier, found.map(Fact.roomVerified))
    }
  }

  /// `accept`.
  mutating func accept(_ run: String, _ laptop: Laptop, _ room: Int, because reason: String) async throws {
    let earlier = try archive(laptop)
    let id = source.building.rooms[room - 1].id
    try await episode(run, .accept, laptop) { site in
      site.amendment(
        run, .accept, laptop, earlier, [.roomAccepted(.init(room: id, reason: reason, by: laptop.person))])
    }
  }

  private func amendment(
    _ run: String, _ command: RecordedCommand, _ laptop: Laptop, _ earlier: BuildingArchive, _ facts: [Fact]
  ) -> [RunEvent] {
    let started = RunStarted(
      command, run: run, building: Self.building, buildingName: source.building.name, toolVersion: "test",
      host: laptop.name, manifestPath: source.path, manifestSHA256: source.digest, simulated: false,
      operatedBy: laptop.person, clockBehind: earlier.clockBehind(now(laptop))?.seconds,
      predecessors: earlier.predecessors, rooms: source.building.rooms.map { $0.planned(sealedBy: nil) },
      families: source.building.families.all.map { RecordedFamily($0) })
    let isComplete = !facts.contains {
      if case .roomVerified(let found) = $0 { found.needsAction } else { false }
    }
    let end = Fact.runFinished(.init(outcome: isComplete ? .complete : .incomplete))
    return ([.runStarted(started)] + facts + [end]).enumerated().map {
      RunEvent(sequence: $0.offset + 1, at: now(laptop), elapsed: .zero, fact: $0.element)
    }
  }

  /// Records a run, writes the reports, and notes the devices before and after it.
  private mutating func episode(
    _ run: String, _ command: RecordedCommand, _ laptop: Laptop,
    _ body: (VirtualSite) async throws -> [RunEvent]
  ) async throws {
    let (began, before, writes) = (now(laptop), await devices(), await world.writes.count)
    var attempts: [BluetoothAddress: Int] = [:]
    for device in before.keys { attempts[device] = await world.attemptCount(of: device) }
    let events = try await body(self)
    let ended = now(laptop)
    // A device that the run left restarting is back by then.
    await wait(.seconds(10))
    for device in before.keys {
      attempts[device] = await world.attemptCount(of: device) - attempts[device, default: 0]
    }
    episodes[run] = Episode(
      command: command, laptop: laptop, times: began...ended, rooms: source.building.rooms, before: before,
      after: await devices(), written: Set(await world.writes(since: writes).map(\.address)),
      attempts: attempts)

    let directory = try RunDirectory.create(in: reports(laptop), building: Self.building, run: run)
    var journal = JournalLines()
    let bytes = events.flatMap { journal.line($0) + [UInt8(ascii: "\n")] }
    try Data(bytes).write(to: URL(filePath: directory.journalPath))
    let record = BuildingArchive.Run(
      id: run, journal: directory.journalPath, record: try directory.readJournal())
    let archive = try archive(laptop)
    let after = BuildingReports.make(subject(laptop), from: archive)
    if record.isProvisioning { _ = try RunReports.write(record.record.events, to: directory, after: after) }
    try BuildingReports.write(after, in: reports(laptop))
  }
}
