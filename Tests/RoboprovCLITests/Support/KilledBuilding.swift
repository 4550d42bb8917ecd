import Bluetooth
import Foundation
import Journal
import Model
import Reporting
import Testing
import VirtualBuilding

/// A building whose runs are killed, and what must be true of it whenever that happens. It lives on in this process
/// while its runs come and go.
struct KilledBuilding: Sendable {
  /// Where the runs leave their records.
  let site: Site
  /// The sensors.
  let building: ServedBuilding
  /// Minors of the rooms, each of which shall have one sensor.
  let minors: [Int]
  /// How the manifest joins rooms and sensors.
  let assign: String
  /// How long a run listens before it decides who is there, in seconds; it may be less where addresses are named.
  let listen: Double

  /// How many times faster than life the building is.
  private static let speed = 20.0
  /// More than any story here needs.
  private static let runsUntilDone = 6

  /// Serves a building with a room for each sensor, and a new record.
  static func serve<Result: Sendable>(
    _ sensors: [SensorScenario], assign: String = "address", listen: Double = 0.3,
    _ body: @escaping @Sendable (KilledBuilding) async throws -> Result
  ) async throws -> Result {
    var radio = RadioParameters()
    // Programs live in real time: for them, too, it is 30 s until a device is forgotten.
    radio.objectLifetime = radio.objectLifetime * speed
    // Still more often than anybody listens for, and a good deal less work.
    radio.advertisingInterval = .milliseconds(500)
    return try await Site.use { site in
      let rooms = (1...sensors.count).map { number in
        assign == "any" ? Place(minor: 100 + number) : .numbered(number)
      }
      try site.writeManifest(rooms, defaults: ["retries: 2"], assign: assign)
      return try await ServedBuilding.serve(sensors, radio: radio, speed: speed) {
        building in
        try await body(
          KilledBuilding(
            site: site, building: building, minors: rooms.map(\.minor), assign: assign, listen: listen))
      }
    }
  }

  // MARK: Runs

  /// A run that is over.
  struct Run {
    /// Its id; nil when it was killed before it had made its directory.
    var id: String?
    /// How it ended.
    var outcome: Invocation.Outcome

    var wasKilled: Bool { outcome.signal == SIGKILL }
  }

  /// Carries out a run, which may be killed, and checks all that must be true after it.
  /// - Parameter patience: how many times longer than `listen` it listens.
  @discardableResult
  func run(
    _ environment: [String: String] = [:], patience: Double = 1,
    meanwhile: (Invocation) async throws -> Void = { _ in },
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Run {
    let earlier = Set(site.runs)
    let atWork = await sensorsAtWork()
    let writes = await building.world.writes.count
    let process = try site.start(
      ["apply", "building.yaml", "--yes", "--listen", "\(listen * patience)"], bus: building.bus,
      environment: environment)
    try await meanwhile(process)
    let outcome = try await process.ended()
    let new = Set(site.runs).subtracting(earlier)
    #expect(new.count <= 1, "one run leaves one directory", sourceLocation: sourceLocation)
    let run = Run(id: new.first, outcome: outcome)

    try expectWholeFiles(sourceLocation)
    if let id = run.id, run.wasKilled { try await expectReports(of: id, sourceLocation) }
    // By now what was in the air when it died has arrived.
    try await expectTruth(sourceLocation)
    let rewritten = await building.world.writes.dropFirst(writes).map(\.address).filter(atWork.contains)
    #expect(rewritten.isEmpty, "written though at work as wanted\n\(outcome)", sourceLocation: sourceLocation)
    return run
  }

  /// Runs until a run says that all is done, and checks that it is.
  func runUntilDone(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    var last: Invocation.Outcome?
    for number in 0..<Self.runsUntilDone {
      // A machine too busy to hear anybody in one run gives the next more time.
      let patience = Double(1 << number)
      let run = try await run(patience: patience, sourceLocation: sourceLocation)
      #expect(
        run.outcome.status == 0 || run.outcome.status == 100, "\(run.outcome)", sourceLocation: sourceLocation
      )
      last = run.outcome
      guard run.outcome.status == 0 else { continue }
      try await expectDone(sourceLocation)
      return
    }
    Issue.record(
      "not done after \(Self.runsUntilDone) runs; the last one: \(last?.description ?? "none")",
      sourceLocation: sourceLocation)
  }

  // MARK: The record

  /// The journal of a run; nil when it was killed before it had one.
  func journal(of run: String) throws -> JournalRecord? {
    let path = site.directory.appending(path: "reports/\(Site.building)/\(run)/journal.jsonl").path
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    return try JournalReader.read(path)
  }

  /// All journals.
  private var journals: [JournalRecord] {
    get throws { try site.runs.compactMap { try journal(of: $0) } }
  }

  // MARK: What must be true

  private var addresses: [BluetoothAddress] { building.world.scenario.sensors.map(\.address) }

  /// The sensors that have saved.
  func sensorsAtWork() async -> Set<BluetoothAddress> {
    var result: Set<BluetoothAddress> = []
    for address in addresses where await building.world.flash(of: address)?.isSaved == true {
      result.insert(address)
    }
    return result
  }

  /// What the sensor of a room knows for good.
  private func settings(_ minor: Int) -> [String: [UInt8]] {
    [
      "minor": [UInt8(minor >> 8), UInt8(minor & 0xFF)], "room_name": Array("Room \(minor)".utf8),
      "wifi_ssid": Array("Harbour Guests".utf8), "wifi_password": Array(Site.password.utf8),
    ]
  }

  /// Whatever is on record is true, and whatever was changed is on record.
  private func expectTruth(_ sourceLocation: SourceLocation) async throws {
    var submitted: Set<BluetoothAddress> = []
    var promised: [RoomFinished] = []
    for journal in try journals {
      #expect(journal.damage == nil, sourceLocation: sourceLocation)
      for event in journal.events {
        switch event.fact {
        case .saveSubmitted(let fact): submitted.insert(fact.address)
        case .roomFinished(let fact) where fact.outcome.isSuccess: promised.append(fact)
        default: break
        }
      }
    }
    for address in addresses {
      guard let flash = await building.world.flash(of: address), flash != Flash() else { continue }
      #expect(
        submitted.contains(address), "\(address) was changed without an intent on record",
        sourceLocation: sourceLocation)
    }
    for promise in promised {
      let minor = minors.first { promise.room.rawValue == "room-\($0)" }
      let wanted = try #require(minor, "\(promise.room)", sourceLocation: sourceLocation)
      let address = try #require(promise.address, "\(promise.room)", sourceLocation: sourceLocation)
      let flash = await building.world.flash(of: address)
      #expect(
        flash == Flash(values: settings(wanted), isSaved: true),
        "\(promise.room) is on record as done, with \(address)", sourceLocation: sourceLocation)
    }
    if !site.recordedFiles.isEmpty { try site.expectNoSecret(sourceLocation: sourceLocation) }
  }

  /// `roboprov report` makes the reports of a run from its journal, and leaves nothing half made.
  private func expectReports(of id: String, _ sourceLocation: SourceLocation) async throws {
    guard let journal = try journal(of: id), !journal.events.isEmpty else { return }
    let report = try await site.run(["report", Site.building, id, "--output", "json"])
    #expect(report.status == 0, "\(report)", sourceLocation: sourceLocation)
    #expect(JSON(report.output)?["run"]["id"].text == id, "\(report)", sourceLocation: sourceLocation)
    #expect(
      report.errors.contains("cut off") == (journal.tornLine != nil), "\(report)",
      sourceLocation: sourceLocation)
    if RunReport(journal.events).reachedRadio {
      #expect(try site.latest.lastPathComponent == id, sourceLocation: sourceLocation)
    }
    try site.expectWholeRecord(
      of: site.recorded(id), rooms: minors.count, isTorn: true, sourceLocation: sourceLocation)
    let leftovers = site.recordedEntries.filter { $0.contains("/\(id)/") && $0.contains("/.") }
    #expect(leftovers.isEmpty, sourceLocation: sourceLocation)
  }

  /// What has a report's name is whole, and `latest`, where there is one, leads to a run with all of them.
  private func expectWholeFiles(_ sourceLocation: SourceLocation) throws {
    for file in site.recordedFiles {
      let bytes = try Data(contentsOf: file)
      switch file.lastPathComponent {
      case "report.json":
        let report = JSON(String(decoding: bytes, as: UTF8.self))
        #expect(report?["rooms"].count == minors.count, "\(file.path)", sourceLocation: sourceLocation)
      case "report.csv":
        #expect(bytes.suffix(2) == Data("\r\n".utf8), "\(file.path)", sourceLocation: sourceLocation)
      case let name where name.hasSuffix(".log") && !name.hasPrefix("."):
        #expect(bytes.last == UInt8(ascii: "\n"), "\(file.path)", sourceLocation: sourceLocation)
      default: break
      }
    }
    if site.hasLink("reports/\(Site.building)/latest") {
      try site.expectWholeRecord(rooms: minors.count, isTorn: true, sourceLocation: sourceLocation)
    }
  }

  /// Every room has its settings on one sensor, its own; nobody is connected any more.
  private func expectDone(_ sourceLocation: SourceLocation) async throws {
    var minorsFound: [Int] = []
    for (index, address) in addresses.enumerated() {
      let flash = await building.world.flash(of: address)
      let minor = flash?.minor.map { Int($0) } ?? 0
      #expect(flash == Flash(values: settings(minor), isSaved: true), sourceLocation: sourceLocation)
      if assign == "address" { #expect(minor == minors[index], sourceLocation: sourceLocation) }
      minorsFound.append(minor)
    }
    #expect(minorsFound.sorted() == minors, sourceLocation: sourceLocation)
    let links = await building.world.openLinkCount()
    #expect(links == 0, sourceLocation: sourceLocation)
  }
}
