import Bluetooth
import DBus
import Foundation
import StackTraces
import Testing
import VirtualBuilding
import VirtualTime

/// The virtual `org.bluez` does what the real one was seen to do (`make trace` records that): the same stories, told to
/// both, are seen alike. What differs is a mistake of the virtual one, or an exception with its reason.
@Suite("The virtual org.bluez against recordings of the real one", .timeLimit(.minutes(5)))
struct TraceTests {
  static let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  static let stories: [String] = {
    let files = try? FileManager.default.contentsOfDirectory(atPath: here.appending(path: "Stories").path)
    return (files ?? []).map { String($0.dropLast(".json".count)) }.sorted()
  }()

  @Test("every story has a recording, of five tellings at least")
  func complete() throws {
    #expect(Self.stories.count >= 19)
    for name in Self.stories {
      let recording = try Recording(contentsOf: Self.here.appending(path: "Recordings/\(name).jsonl"))
      #expect(recording.tellings.count >= 5, "\(name)")
      #expect(recording.origin["bluez"] != nil, "\(name)")
    }
  }

  @Test("a story is the same on both", arguments: stories)
  func same(_ name: String) async throws {
    let story = try Story(contentsOf: Self.here.appending(path: "Stories/\(name).json"))
    let recording = try Recording(contentsOf: Self.here.appending(path: "Recordings/\(name).jsonl"))
    let exceptions = try Exceptions(contentsOf: Self.here.appending(path: "exceptions.json")).entries(
      for: name)
    // What is wrong is wrong each time; what a busy machine adds, or confuses, is not.
    var complaints: [String] = []
    var earlier: [[[Player.Telling]]] = []
    for _ in 1...4 {
      let played = try await Self.play(story)
      let comparison = Comparison(
        recorded: recording.tellings, played: played, earlier: earlier,
        tolerance: .init(factor: 2, floor: max(recording.overhead, Self.ownOverhead)))
      complaints = Self.complaints(about: comparison.differences, exceptions: exceptions)
      if complaints.isEmpty { return }
      earlier.append(played)
    }
    for complaint in complaints { Issue.record("\(complaint)") }
  }

  /// Nothing but waiting, mostly: so three at once, each with another seed.
  private static func play(_ story: Story) async throws -> [[Player.Telling]] {
    async let first = VirtualTelling.tell(story, seed: 1)
    async let second = VirtualTelling.tell(story, seed: 2)
    async let third = VirtualTelling.tell(story, seed: 3)
    return try await [first, second, third]
  }

  /// What differs without an exception, and which exceptions are not needed any more.
  private static func complaints(
    about found: [Comparison.Difference], exceptions: [Exceptions.Entry]
  ) -> [String] {
    let unexcused = found.filter { difference in !exceptions.contains { $0.covers(difference) } }
    let unneeded = exceptions.filter { entry in !found.contains { entry.covers($0) } }
    return unexcused.map(\.description) + unneeded.map { "not needed any more: \($0.about)" }
  }

  /// What the machine that runs this test may add, in seconds.
  private static let ownOverhead = 0.05
}
