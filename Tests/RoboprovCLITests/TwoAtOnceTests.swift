import Bluetooth
import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@Suite("of two simultaneous runs the second is refused and names the first", .timeLimit(.minutes(60)))
struct TwoAtOnceTests {
  private static let apply = ["apply", "building.yaml", "--yes", "--scan-time", "1"]

  /// A building with a run that stays at its first sensor, which never accepts a connection.
  private static func serveBusy(
    _ body: @escaping @Sendable (Premises, Invocation) async throws -> Void
  ) async throws {
    try await Site.use { site in
      try site.writeManifest(
        [.numbered(1), .numbered(2)], defaults: ["retries: 0", "timeouts: { connect: 60m }"])
      let sensors = [ServedBuilding.sensor(1, .neverAnswers), ServedBuilding.sensor(2)]
      try await ServedBuilding.serve(sensors) { building in
        let run = try site.start(apply + ["--only", "Room 101"], bus: building.bus)
        try await run.until("an attempt") {
          await building.world.attemptsUnderWay(on: ServedBuilding.adapter) > 0
        }
        try await body(Premises(site: site, building: building), run)
      }
    }
  }

  /// The facts that a refusal must give about the first run.
  private static func words(on run: Invocation, at site: Site) throws -> [String] {
    let id = try #require(site.runs.first)
    // The run's id begins with the second of its start.
    let began = id.prefix { $0 != "-" }
    return ["process \(run.id), run \(id), since ", String(began.prefix(4)) + "-"]
  }

  @Test(
    "a second run on the same building is refused",
    arguments: [
      ["apply", "building.yaml", "--yes", "--scan-time", "1", "--only", "Room 102"],
      ["room", "accept", "building.yaml", "Room 102", "--reason", "no power", "--by", "Ada"],
      ["room", "retire", Site.building, "Room 101", "--without-scan"],
      ["room", "replace", Site.building, "Room 101", "--without-scan"],
    ])
  func building(_ command: [String]) async throws {
    try await Self.serveBusy { premises, run in
      let words = try Self.words(on: run, at: premises.site)
      try await premises.expectRefused(
        command, with: 69, saying: ["another run works on \(Site.building)"] + words)
      #expect(run.isRunning)
    }
  }

  @Test("a rehearsal, which writes no record, runs beside a run on the same building")
  func rehearsal() async throws {
    try await Self.serveBusy { premises, run in
      try await premises.run(Self.apply + ["--simulate"]).expect(0)
      #expect(try premises.site.rehearsal.outcomes.count == 2)
      #expect(run.isRunning)
    }
  }

  @Test("a run of another building is refused on the same adapter until the first run is killed")
  func adapter() async throws {
    try await Self.serveBusy { premises, run in
      let site = premises.site
      let words = try Self.words(on: run, at: site)
      let manifest = try String(
        contentsOf: site.directory.appending(path: "building.yaml"), encoding: .utf8)
      try site.write("annexe.yaml", manifest.replacing("id: \(Site.building)", with: "id: annexe"))
      let annexe = ["apply", "annexe.yaml", "--scan-time", "1", "--only", "Room 102"]
      try await premises.expectRefused(
        annexe, with: 69, saying: ["hci0 is in use"] + words)
      // One run blocks both rooms: it is reported once during the run and once in the summary.
      let both = try await premises.run(["apply", "annexe.yaml", "--scan-time", "1"]).expect(
        output: "2 rooms: pending")
      #expect(both.output.split(separator: "Another run uses the adapter").count == 2, "\(both)")
      #expect(both.errors.split(separator: "another run uses the adapter").count == 2, "\(both)")
      // Using the adapter would release the links of the first run as leftover links.
      let plan = ["plan", "annexe.yaml", "--scan-time", "1"]
      try await premises.expectRefused(plan, with: 69, saying: ["hci0 is in use"] + words)
      #expect(run.isRunning)

      run.send(SIGKILL)
      #expect(try await run.ended().signal == SIGKILL)
      try await premises.run(annexe).expect(0)
      #expect(await premises.minor(2) == 102)
    }
  }

  @Test("an adapter with the same address on another bus is another adapter")
  func anotherBus() async throws {
    try await Self.serveBusy { _, run in
      try await Premises.serveDone(1, toPrograms: true) { _ in #expect(run.isRunning) }
    }
  }

  @Test("a killed run does not block its building")
  func killed() async throws {
    try await Self.serveBusy { premises, run in
      run.send(SIGKILL)
      #expect(try await run.ended().signal == SIGKILL)
      try await premises.apply("--only", "Room 102").expect(0)
      #expect(try premises.site.outcomes == [101: "skipped", 102: "provisioned"])
    }
  }
}
