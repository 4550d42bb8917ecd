import Foundation
import Synchronization
package import Testing

/// A test whose runs depend on processes or on real time: they are not compared.
package struct NotRecorded: TestTrait {}

extension Trait where Self == NotRecorded {
  package static var notRecorded: Self { Self() }
}

/// The recorded runs of the tests of one target: for each test the fingerprints of what its runs came to, event by event.
///
/// A change of anything that a run does or records shows here, whether the test looks at it or not. After an intended change
/// `ROBOPROV_RECORD=1 make test FILTER=…` records the tests anew; the commit says what changed.
package final class RecordedRuns: Sendable {
  private struct State {
    /// The fingerprints by test. The cases of a test run in any order.
    var tests: [String: Set<String>] = [:]
    /// The tests that were recorded anew by this process.
    var renewed: Set<String> = []
  }

  private let file: URL
  private let state: Mutex<State>
  private let records = ProcessInfo.processInfo.environment["ROBOPROV_RECORD"] == "1"
  /// Long suites have more cases than those on record.
  private let isLong = ["LONG", "HOSTILE"].contains { ProcessInfo.processInfo.environment[$0] != nil }

  /// - Parameter target: The target of the tests, whose file is Tests/Snapshots/Runs/<target>.txt.
  package init(_ target: String) {
    file = projectFile("Tests/Snapshots/Runs/\(target).txt")
    var state = State()
    for line in (try? String(contentsOf: file, encoding: .utf8))?.lines ?? [] {
      let parts = line.split(separator: ": ", maxSplits: 1)
      guard parts.count == 2 else { continue }
      state.tests[String(parts[0])] = Set(parts[1].split(separator: " ").map(String.init))
    }
    self.state = Mutex(state)
  }

  /// Expects that a run of the present test is one of those on record.
  /// - Parameters:
  ///   - events: What was recorded in it.
  ///   - more: What else it came to, as text.
  package func expect(_ events: [some Encodable], _ more: String = "") {
    guard !isLong, let test = Self.name, !Self.isExempt else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    var written = Fingerprint(more.utf8)
    for event in events { written.add((try? encoder.encode(event)) ?? Data()) }
    let fingerprint = String("\(written)".suffix(8))
    if records { record(fingerprint, of: test) }
    let known = state.withLock { $0.tests[test] ?? [] }
    if known.contains(fingerprint) { return }
    Issue.record(
      "a run differs from those in \(file.lastPathComponent) (ROBOPROV_RECORD=1 records it)")
  }

  private func record(_ fingerprint: String, of test: String) {
    state.withLock { state in
      if state.renewed.insert(test).inserted { state.tests[test] = [] }
      state.tests[test, default: []].insert(fingerprint)
      let lines = state.tests.sorted { $0.key < $1.key }.map {
        "\($0): \($1.sorted().joined(separator: " "))\n"
      }
      try? FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try? Data(lines.joined().utf8).write(to: file)
    }
  }

  private static var isExempt: Bool { Test.current?.traits.contains { $0 is NotRecorded } ?? true }

  /// The present test: `FaultScenarios/silent(_:)`.
  private static var name: String? {
    guard let test = Test.current else { return nil }
    let parts = "\(test.id)".split(separator: "/")
    return parts.count < 2
      ? nil : parts.prefix(2).joined(separator: "/").split(separator: ".").last.map(String.init)
  }
}
