import Bluetooth
import Engine
import Journal
import Model
import Testing
import VirtualBuilding

@Suite("a controller without a free connection", .timeLimit(.minutes(60)))
struct FullChipScenarios {
  /// Runs a building of 40 rooms, the first of which has this number.
  private func run(
    from first: Int, links: Int, known: LastKnownBuilding = .init()
  ) async throws -> StackedRun {
    let numbers = first..<(first + 40)
    return try await StackedRun.apply(
      numbers.map { StackedRun.room($0, retries: 0) }, numbers.map { StackedRun.sensor($0) }, known: known,
      scenario: { $0.radio.slotsPerAdapter = links })
  }

  @Test(
    "40 rooms with a controller of few links: few refusals in the first run, none in the second",
    arguments: [3, 5, 7])
  func refusals(links: Int) async throws {
    let first = try await run(from: 1, links: links)
    #expect(first.result?.outcome == .complete, "\(first.summary)")
    #expect(first.failures.allSatisfy { $0.notCounted == .adapterFull }, "\(first.failures)")
    #expect(first.failures.allSatisfy { $0.failure?.code == .outOfSlots }, "\(first.failures)")
    #expect(first.failures.count <= links + 2, "\(first.failures.count) refused connections")
    let known = BuildingRecord([first.events]).lastKnown
    let second = try await run(from: 41, links: links, known: known)
    #expect(second.result?.outcome == .complete, "\(second.summary)")
    #expect(second.failures.isEmpty, "\(second.failures)")
  }
}

extension StackedRun {
  /// The failed attempts, in their order.
  var failures: [AttemptEnded] {
    events.compactMap { if case .attemptEnded(let fact) = $0.fact, fact.failure != nil { fact } else { nil } }
  }
}
