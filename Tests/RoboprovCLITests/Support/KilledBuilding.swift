import Bluetooth
import Foundation
import Journal
import Model
import Reporting
import SampleFacts
import Testing
import VirtualBuilding

/// A building whose runs are killed, with the checks that hold after each kill. The building stays in this
/// process while runs start and end.
struct KilledBuilding: Sendable {
  /// The site with the records of the runs.
  let site: Site
  let building: ServedBuilding
  /// The minors of the rooms; each room must get one sensor.
  let minors: [Int]
  /// How the manifest assigns sensors to rooms.
  let assign: String
  /// The scan time before a run matches devices, in seconds; it may be shorter if the rooms have addresses.
  let scanTime: Double

  /// The speed of the building relative to real time.
  private static let speed = 20.0
  /// A limit that no scenario here reaches.
  private static let runsUntilDone = 6

  /// Serves a building with a room for each sensor, and a new record.
  static func serve<Result: Sendable>(
    _ sensors: [SensorScenario], assign: String = "address", scanTime: Double = 0.3,
    _ body: @escaping @Sendable (KilledBuilding) async throws -> Result
  ) async throws -> Result {
    var radio = RadioParameters()
    // Still shorter than each scan time, with less load than the default.
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
            site: site, building: building, minors: rooms.map(\.minor), assign: assign, scanTime: scanTime))
      }
    }
  }

  // MARK: Runs

  /// A run that has ended.
  struct Run {
    /// The run's id; nil if it was killed before it created its directory.
    var id: String?
    /// The result of the process.
    var outcome: Invocation.Outcome

    var wasKilled: Bool { outcome.signal == SIGKILL }
  }

  /// Carries out a run, which may be killed, and checks the invariants.
  /// - Parameter scanTimeFactor: a factor for the scan time.
  @discardableResult
  func run(
    _ environment: [String: String] = [:], scanTimeFactor: Double = 1,
    meanwhile: (Invocation) async throws -> Void = { _ in },
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Run {
    let earlier = Set(site.runs)
    let atWork = await sensorsAtWork()
    let writes = await building.world.writes.count
    let process = try site.start(
      ["apply", "building.yaml", "--yes", "--scan-time", "\(scanTime * scanTimeFactor)"], bus: building.bus,
      environment: environment)
    try await meanwhile(process)
    let outcome = try await process.ended()
    let new = Set(site.runs).subtracting(earlier)
    #expect(new.count <= 1, "one run leaves one directory", sourceLocation: sourceLocation)
    let run = Run(id: new.first, outcome: outcome)

    try expectWholeFiles(sourceLocation)
    if let id = run.id, run.wasKilled { try await expectReports(of: id, sourceLocation) }
    // The requests that were in flight at the kill have been carried out by now.
    try await expectTruth(sourceLocation)
    let rewritten = await building.world.writes.dropFirst(writes).map(\.address).filter(atWork.contains)
    #expect(rewritten.isEmpty, "written though at work as wanted\n\(outcome)", sourceLocation: sourceLocation)
    return run
  }

  /// Repeats runs until one reports that all rooms are done, and checks this.
  func runUntilDone(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    var last: Invocation.Outcome?
    for number in 0..<Self.runsUntilDone {
      // On a busy machine a run may receive no device, or get no answer within its limit, and says so. The next
      // run scans longer.
      let scanTimeFactor = Double(1 << number)
      let run = try await run(scanTimeFactor: scanTimeFactor, sourceLocation: sourceLocation)
      let complaints = ["does not respond", "receives no device", "bluetoothctl power on"]
      let isBusy = complaints.contains(where: run.outcome.errors.contains)
      // A run that was killed while it switched a silent adapter off and on can leave it off, and a person does what
      // the next run says.
      if run.outcome.errors.contains("bluetoothctl power on") {
        await building.world.setPowered(true, ServedBuilding.adapter)
      }
      #expect(
        run.outcome.status == 0 || run.outcome.status == 100 || run.outcome.status == 69 && isBusy,
        "\(run.outcome)", sourceLocation: sourceLocation)
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

  /// The journal of a run; nil if the run was killed before it created one.
  func journal(of run: String) throws -> JournalRecord? {
    let path = site.directory.appending(path: "reports/\(Site.building)/\(run)/journal.jsonl").path
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    return try JournalReader.read(path)
  }

  private var journals: [JournalRecord] {
    get throws { try site.runs.compactMap { try journal(of: $0) } }
  }

  // MARK: Invariants

  private var addresses: [BluetoothAddress] { building.world.scenario.sensors.map(\.address) }

  /// The sensors that have saved their settings.
  func sensorsAtWork() async -> Set<BluetoothAddress> {
    var result: Set<BluetoothAddress> = []
    for address in addresses where await building.world.flash(of: address)?.isSaved == true {
      result.insert(address)
    }
    return result
  }

  /// The saved settings of a room's sensor.
  private func settings(_ minor: Int) -> [String: [UInt8]] {
    [
      "minor": [UInt8(minor >> 8), UInt8(minor & 0xFF)], "room_name": Array("Room \(minor)".utf8),
      "wifi_ssid": Array("Harbour Guests".utf8), "wifi_password": Array(Site.password.utf8),
    ]
  }

  /// Checks that each recorded fact is true and each change is recorded.
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

  /// Checks that `roboprov report` makes the reports of a run from its journal and leaves no partial file.
  private func expectReports(of id: String, _ sourceLocation: SourceLocation) async throws {
    guard let journal = try journal(of: id), !journal.events.isEmpty else { return }
    let report = try await site.run(["report", Site.building, id, "--output", "json"])
    #expect(report.status == 0, "\(report)", sourceLocation: sourceLocation)
    #expect(JSON(report.output)?["run"]["id"].text == id, "\(report)", sourceLocation: sourceLocation)
    #expect(
      report.errors.contains("the last line is incomplete") == (journal.tornLine != nil), "\(report)",
      sourceLocation: sourceLocation)
    if RunReport(journal.events).reachedRadio {
      #expect(try site.latest.lastPathComponent == id, sourceLocation: sourceLocation)
    }
    try site.expectWholeRecord(
      of: site.recorded(id), rooms: minors.count, isTorn: true, sourceLocation: sourceLocation)
    let leftovers = site.recordedEntries.filter { $0.contains("/\(id)/") && $0.contains("/.") }
    #expect(leftovers.isEmpty, sourceLocation: sourceLocation)
  }

  /// Checks that each report is complete, and that `latest`, if it exists, points to a run with all reports.
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

  /// Checks that each room has its settings on exactly one sensor and that no link is left.
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
