import Bluetooth
import Foundation
import SampleFacts
import Testing
import VirtualBuilding

@Suite("rooms with `match: any` need a confirmation", .timeLimit(.minutes(60)))
struct ConfirmationTests {
  static let apply = ["apply", "building.yaml", "--scan-time", "5"]

  /// Two rooms without an address, and two sensors.
  private func withBuilding(
    toPrograms: Bool = true, _ body: @escaping @Sendable (Site, ServedBuilding) async throws -> Void
  ) async throws {
    try await Site.use { site in
      try site.writeManifest([Place(minor: 101), Place(minor: 102)], assign: "any")
      let sensors = [1, 2].map { ServedBuilding.sensor($0) }
      try await site.serve(sensors, toPrograms: toPrograms) { try await body(site, $0) }
    }
  }

  @Test("rooms that take any sensor are refused without a terminal, before anything happens")
  func noTerminal() async throws {
    try await withBuilding(toPrograms: false) { site, building in
      try await site.run(Self.apply, on: building).expect(64, errors: "--yes")
      #expect(!site.has("reports"))
      #expect(await building.isUntouched([1, 2]))
    }
  }

  @Test("rooms that take any sensor get one with --yes")
  func yes() async throws {
    try await withBuilding(toPrograms: false) { site, building in
      try await site.run(Self.apply + ["--yes"], on: building).expect(
        0, output: "without confirmation (--yes): Room 101, Room 102")
      #expect(Set([await building.flash(1)?.minor, await building.flash(2)?.minor]) == [101, 102])
      #expect(try site.report["rooms"].items.map { $0["consent"].text } == ["option", "option"])
    }
  }

  @Test("rooms that take any sensor get one after the operator enters y", arguments: ["y\n", "YES\n"])
  func confirmed(_ answer: String) async throws {
    try await withBuilding { site, building in
      let run = try site.startAtTerminal(Self.apply, bus: building.bus)
      try await run.prints("[y/N]")
      for number in 1...2 {
        #expect(
          run.outputSoFar.contains(ServedBuilding.address(number).description), "the question shows it")
      }
      #expect(await building.isUntouched([1, 2]))
      try run.type(answer)
      try await run.ended().expect(0)
      #expect(try site.outcomes == [101: "provisioned", 102: "provisioned"])
    }
  }

  @Test(
    "rooms that take any sensor stay pending after any other input, and Ctrl-C ends the run with 130",
    arguments: [
      ("n\n", 100, "pending"), ("\n", 100, "pending"), ("yess\n", 100, "pending"), ("\u{4}", 100, "pending"),
      ("\u{3}", 130, "cancelled"),
    ] as [(String, Int32, String)])
  func declined(answer: String, status: Int32, outcome: String) async throws {
    try await withBuilding { site, building in
      let run = try site.startAtTerminal(Self.apply, bus: building.bus)
      try await run.prints("[y/N]", thenType: answer)
      try await run.ended().expect(status)
      #expect(try site.outcomes == [101: outcome, 102: outcome])
      try site.expectWholeRecord(rooms: 2)
      #expect(await building.isUntouched([1, 2]))
    }
  }
}
