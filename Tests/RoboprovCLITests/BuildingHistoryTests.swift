import Foundation
import RecordedText
import SampleFacts
import Testing

@Suite(
  "every command gives the same answer about a room, and it is what the device holds",
  .timeLimit(.minutes(60)))
struct BuildingHistoryTests {
  /// `HISTORIES` sets the number, and `HISTORY_SEED` the first seed.
  static let seeds: [UInt64] = {
    let first = number("HISTORY_SEED") ?? 1
    let count = number("HISTORIES") ?? (variable("LONG") == nil ? 7 : 100)
    return Array(first..<first + count)
  }()

  /// Whether the outputs of this history are compared with those of Tests/Snapshots/Histories.
  private static func isRecorded(_ seed: UInt64) -> Bool { seed <= 7 && skipped.isEmpty }

  private static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }
  private static func number(_ name: String) -> UInt64? { variable(name).flatMap { UInt64($0) } }

  /// Steps to leave out: `HISTORY_SKIP=2,3`.
  private static let skipped = Set(
    (variable("HISTORY_SKIP") ?? "").split(separator: ",").compactMap { Int($0) })

  @Test("random histories of one building over all commands", arguments: seeds)
  func history(seed: UInt64) async throws {
    let start = SuspendingClock.now
    let history = try await BuildingHistory.live(seed, without: Self.skipped)
    if Self.isRecorded(seed) {
      try expectRecorded(
        history.transcript.lines.map { $0 + "\n" }.joined(),
        in: projectFile("Tests/Snapshots/Histories/\(seed).txt"))
    }
    try log("\(seed)\t0\tlived\t\(history.step)\t\(SuspendingClock.now - start)\n")
    var shown: Set<String> = []
    for found in history.disagreements {
      try log(
        "\(seed)\t\(found.step)\t\(found.kind)\t\(found.subject)\t\(found.detail.replacing("\n", with: " "))\n"
      )
      guard shown.insert(found.kind).inserted else { continue }
      var shortest = (history: history, skipped: Self.skipped)
      if Self.variable("HISTORY_MINIMISE") != nil {
        shortest = try await Self.minimised(seed, found.kind, shortest)
      }
      let skip = shortest.skipped.sorted().map(String.init).joined(separator: ",")
      let words = shortest.history.disagreements.first { $0.kind == found.kind } ?? found
      Issue.record(
        """
        \(found.kind): HISTORIES=1 HISTORY_SEED=\(seed)\(skip.isEmpty ? "" : " HISTORY_SKIP=\(skip)")
        \(shortest.history.log.prefix { $0.step <= words.step }.map(\.text).joined(separator: "\n"))
        \(words)
        """)
    }
  }

  /// Leaves out the steps without which the outputs still disagree in the same way.
  private static func minimised(
    _ seed: UInt64, _ kind: String, _ found: (history: BuildingHistory, skipped: Set<Int>)
  ) async throws -> (history: BuildingHistory, skipped: Set<Int>) {
    guard let last = found.history.disagreements.first(where: { $0.kind == kind })?.step else { return found }
    var shortest = found
    for step in (1...last).reversed() where !shortest.skipped.contains(step) {
      let fewer = shortest.skipped.union([step])
      let history = try await BuildingHistory.live(seed, without: fewer, until: last)
      if history.disagreements.contains(where: { $0.kind == kind }) { shortest = (history, fewer) }
    }
    shortest.skipped.formUnion(last + 1...max(last + 1, found.history.step))
    return shortest
  }

  /// Appends a line to the file that `HISTORY_LOG` names.
  private func log(_ text: String) throws {
    guard let path = Self.variable("HISTORY_LOG") else { return }
    if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(filePath: path)) }
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.seekToEnd()
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }
}
