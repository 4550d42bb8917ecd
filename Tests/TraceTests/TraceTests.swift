import Bluetooth
import DBus
import Foundation
import StackTraces
import Testing
import VirtualBuilding

/// The virtual `org.bluez` behaves as the real one was observed to behave (`make trace` records it): the same
/// scenarios, run with both, give the same observations. A difference is a defect of the virtual one, or an
/// exception with a reason.
@Suite("The virtual org.bluez compared with recordings of the real one", .timeLimit(.minutes(60)))
struct TraceTests {
  static let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  static let scenarios: [String] = {
    let files = try? FileManager.default.contentsOfDirectory(atPath: here.appending(path: "Scenarios").path)
    return (files ?? []).map { String($0.dropLast(".json".count)) }.sorted()
  }()

  @Test("every scenario has a recording of at least five runs")
  func complete() throws {
    #expect(Self.scenarios.count >= 19)
    for name in Self.scenarios {
      let recording = try Recording(contentsOf: Self.here.appending(path: "Recordings/\(name).jsonl"))
      #expect(recording.observations.count >= 5, "\(name)")
      #expect(recording.origin["bluez"] != nil, "\(name)")
    }
  }

  @Test(
    "a scenario gives the same observations with the virtual org.bluez as with the real one",
    arguments: scenarios)
  func same(_ name: String) async throws {
    let stackScenario = try StackScenario(contentsOf: Self.here.appending(path: "Scenarios/\(name).json"))
    let recording = try Recording(contentsOf: Self.here.appending(path: "Recordings/\(name).jsonl"))
    let exceptions = try Exceptions(contentsOf: Self.here.appending(path: "exceptions.json")).entries(
      for: name)
    var played: [[Player.Observations]] = []
    for seed in 1...3 { played.append(try await VirtualRecording.play(stackScenario, seed: UInt64(seed))) }
    let comparison = Comparison(
      recorded: recording.observations, played: played,
      tolerance: .init(factor: 2, floor: max(recording.overhead, Self.ownOverhead)))
    for complaint in Self.complaints(about: comparison.differences, exceptions: exceptions) {
      Issue.record("\(complaint)")
    }
  }

  /// The differences without an exception, and the exceptions that are not needed.
  private static func complaints(
    about found: [Comparison.Difference], exceptions: [Exceptions.Entry]
  ) -> [String] {
    let unexcused = found.filter { difference in !exceptions.contains { $0.covers(difference) } }
    let unneeded = exceptions.filter { entry in !found.contains { entry.covers($0) } }
    return unexcused.map(\.description) + unneeded.map { "not needed any more: \($0.about)" }
  }

  /// The maximum overhead of the machine that runs this test, in seconds.
  private static let ownOverhead = 0.05
}
