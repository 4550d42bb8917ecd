package import FoundationEssentials

/// The observations of several runs of a scenario, as lines of JSON: first the origin, then one line per
/// event.
package struct Recording: Sendable {
  /// The environment of the recording: `bluez` to `5.66`.
  package var origin: [String: String]
  /// The runs.
  package var observations: [[Player.Observations]]

  /// The maximum time in seconds of a call that needs no work (`SetDiscoveryFilter`): the overhead of the
  /// machine on which it was recorded.
  package var overhead: Double {
    observations.flatMap { $0 }.flatMap(\.events).filter { $0.what == "answer filter" }.map(\.seconds).max()
      ?? 0
  }

  private struct Line: Codable {
    var run: Int
    var phase: String
    var seconds: Double?
    var what: String?
    var values: [String: String]?
  }

  private struct Origin: Codable { var recorded: [String: String] }

  /// A run as lines of a recording.
  package static func lines(for phases: [Player.Observations], run: Int) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var text = ""
    for phase in phases {
      // A phase without observations has a line, too.
      let lines =
        [Line(run: run, phase: phase.phase)]
        + phase.events.map {
          Line(
            run: run, phase: phase.phase, seconds: ($0.seconds * 10000).rounded() / 10000,
            what: $0.what,
            values: $0.values)
        }
      for line in lines { text += String(decoding: try encoder.encode(line), as: UTF8.self) + "\n" }
    }
    return text
  }

  /// Reads a recording.
  /// - Throws: If the file cannot be read or is not a recording.
  package init(contentsOf file: URL) throws {
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    let lines = text.split(separator: "\n").map { Data($0.utf8) }
    origin = try lines.first.map { try JSONDecoder().decode(Origin.self, from: $0).recorded } ?? [:]
    observations = []
    for line in try lines.dropFirst().map({ try JSONDecoder().decode(Line.self, from: $0) }) {
      if line.run > observations.count { observations.append([]) }
      if observations[line.run - 1].last?.phase != line.phase {
        observations[line.run - 1].append(Player.Observations(phase: line.phase, events: []))
      }
      guard let what = line.what, let values = line.values, let seconds = line.seconds else { continue }
      let last = observations[line.run - 1].count - 1
      observations[line.run - 1][last].events.append(Event(seconds: seconds, what: what, values: values))
    }
  }
}
