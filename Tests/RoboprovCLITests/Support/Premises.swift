import Application
import Bluetooth
import DBus
import EventLoop
import Foundation
import RecordedText
import SampleFacts
import Testing
import VirtualBuilding

extension Site {
  /// Serves sensors in range of one adapter, as `serve(_:)` does a scenario.
  func serve<Result: Sendable>(
    _ sensors: [SensorScenario],
    adapter: AdapterScenario = AdapterScenario(address: ServedBuilding.adapter, name: "hci0"),
    toPrograms: Bool = false, _ body: @escaping @Sendable (ServedBuilding) async throws -> Result
  ) async throws -> Result {
    try await serve(
      Scenario(seed: 7, adapters: [adapter], sensors: sensors), toPrograms: toPrograms, body)
  }

  /// Serves a building.
  /// - Parameters:
  ///   - speed: How much faster than the commands' time its time passes.
  ///   - toPrograms: Whether commands are processes on a bus for them: if signals, a terminal, the environment, or two
  ///     commands at once are the subject. Otherwise they run within this process and in virtual time, one after the
  ///     other.
  func serve<Result: Sendable>(
    _ scenario: Scenario, speed: Double = 10, toPrograms: Bool = false,
    _ body: @escaping @Sendable (ServedBuilding) async throws -> Result
  ) async throws -> Result {
    if toPrograms { return try await ServedBuilding.serve(scenario, speed: speed, body) }
    return try await LoopExecutor.runInVirtualTime { [self] in
      try enter()
      // A test may end the bus and then checks the consequences itself.
      return try await ServedBuilding.serve(
        scenario, on: ScaledClock(SystemClock(), factor: speed), bus: LocalBus(), needsBus: false, body)
    }
  }

  /// Runs a command that uses this building.
  func run(_ arguments: [String], on building: ServedBuilding) async throws -> Invocation.Outcome {
    switch building.daemon.busAddress {
    case .local: await recorded(arguments, await runHere(arguments, bus: building.daemon.busAddress))
    default: try await run(arguments, bus: building.bus)
    }
  }
}

private let recordedRuns = RecordedRuns("RoboprovCLITests")

extension Site {
  /// Expects that a command that depends on nothing outside wrote what is on record. `doctor` describes the present
  /// computer.
  func recorded(_ arguments: [String], _ outcome: Invocation.Outcome) async -> Invocation.Outcome {
    if hasComputer, arguments.first != "doctor" {
      recordedRuns.expect([Transcript.compared("\(outcome)", in: directory.path)])
    }
    return outcome
  }
}

/// A building at a site, in which commands run one after the other.
struct Premises: Sendable {
  let site: Site
  let building: ServedBuilding

  /// Serves `count` sensors and a manifest with the rooms `Room 101` and so on, each with the address of its
  /// sensor.
  /// - Parameter toPrograms: As for `Site.serve`.
  static func serve<Result: Sendable>(
    _ count: Int, toPrograms: Bool = false, _ body: @escaping @Sendable (Premises) async throws -> Result
  ) async throws -> Result {
    try await Site.use { site in
      try site.writeManifest((1...count).map { .numbered($0) })
      return try await site.serve((1...count).map { ServedBuilding.sensor($0) }, toPrograms: toPrograms) {
        try await body(Premises(site: site, building: $0))
      }
    }
  }

  /// Serves the same building after all rooms are provisioned.
  static func serveDone<Result: Sendable>(
    _ count: Int, toPrograms: Bool = false, _ body: @escaping @Sendable (Premises) async throws -> Result
  ) async throws -> Result {
    try await serve(count, toPrograms: toPrograms) { premises in
      let outcome = try await premises.apply()
      try #require(outcome.status == 0, "\(outcome)")
      return try await body(premises)
    }
  }

  /// Runs a command that uses an adapter.
  func run(_ arguments: [String]) async throws -> Invocation.Outcome {
    try await site.run(arguments, on: building)
  }

  func apply(_ more: String...) async throws -> Invocation.Outcome {
    try await run(["apply", "building.yaml", "--yes", "--scan-time", "1"] + more)
  }

  /// Runs `body` while a run of another building, which waits for a sensor that does not exist, uses the
  /// adapter.
  func whileAdapterIsTaken(_ body: () async throws -> Void) async throws {
    let manifest = try String(contentsOf: site.directory.appending(path: "building.yaml"), encoding: .utf8)
    let annexe = manifest.replacing("id: \(Site.building)", with: "id: annexe")
      .replacing("C4:7C:8D:00:00", with: "C4:7C:8D:00:99")
    try site.write("annexe.yaml", annexe)
    let other = try site.start(["apply", "annexe.yaml", "--watch", "--reports", "annexe"], bus: building.bus)
    try await other.prints("scanning for devices")
    // It keeps what it has, however long the body takes.
    other.send(SIGSTOP)
    try await body()
    other.send(SIGKILL)
    _ = try await other.ended()
  }

  /// All writes to sensors so far.
  var writes: [WriteRecord] {
    get async { await building.world.writes }
  }

  /// Puts a sensor back into provisioning mode.
  func pressButton(_ number: Int) async {
    await building.world.pressButton(ServedBuilding.address(number))
  }

  /// Silences a sensor, or lets it advertise again.
  func setMuted(_ isMuted: Bool, _ number: Int) async {
    await building.world.setMuted(isMuted, ServedBuilding.address(number))
  }

  /// The minor that a sensor has saved.
  func minor(_ number: Int) async -> UInt16? {
    guard let flash = await building.flash(number), flash.isSaved else { return nil }
    return flash.minor
  }

  /// Checks that a command was refused with this status and these texts, without a run and without a write.
  func expectRefused(
    _ arguments: [String], with status: Int32, saying words: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let runs = site.runs
    let writes = await writes
    let outcome = try await run(arguments)
    #expect(outcome.status == status, "\(outcome)", sourceLocation: sourceLocation)
    for word in words {
      #expect(outcome.errors.contains(word), "“\(word)”\n\(outcome)", sourceLocation: sourceLocation)
    }
    #expect(site.runs == runs, "it left a run\n\(outcome)", sourceLocation: sourceLocation)
    let now = await self.writes
    #expect(now == writes, "it wrote\n\(outcome)", sourceLocation: sourceLocation)
  }
}
