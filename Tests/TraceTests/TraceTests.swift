import Bluetooth
import DBus
import Foundation
import StackTraces
import Testing
import VirtualBuilding
import VirtualTime

/// The virtual `org.bluez` behaves as the real one was observed to behave (`make trace` records it): the same
/// scenarios, run with both, give the same observations. A difference is a defect of the virtual one, or an
/// exception with a reason.
@Suite("The virtual org.bluez compared with recordings of the real one", .timeLimit(.minutes(5)))
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
    // A defect appears each time; an effect of a busy machine does not.
    var complaints: [String] = []
    var earlier: [[[Player.Observations]]] = []
    for _ in 1...4 {
      let played = try await Self.play(stackScenario)
      let comparison = Comparison(
        recorded: recording.observations, played: played, earlier: earlier,
        tolerance: .init(factor: 2, floor: max(recording.overhead, Self.ownOverhead)))
      complaints = Self.complaints(about: comparison.differences, exceptions: exceptions)
      if complaints.isEmpty { return }
      earlier.append(played)
    }
    for complaint in complaints { Issue.record("\(complaint)") }
  }

  /// The runs mostly wait, so three run at once, each with another seed.
  private static func play(_ stackScenario: StackScenario) async throws -> [[Player.Observations]] {
    async let first = VirtualRecording.play(stackScenario, seed: 1)
    async let second = VirtualRecording.play(stackScenario, seed: 2)
    async let third = VirtualRecording.play(stackScenario, seed: 3)
    return try await [first, second, third]
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
