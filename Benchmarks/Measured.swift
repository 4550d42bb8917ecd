import Foundation

/// What was measured of one run. Times are in seconds; those of the building are virtual.
struct Measured: Codable, Sendable {
  var sensors: Int
  var adapters: Int
  var dead: Int
  var seed: UInt64
  var isInStoreys: Bool
  /// From the beginning to the last outcome.
  var makespan: Double
  /// The least that the healthy ones can take.
  var bound: Double
  /// From the beginning to the last success.
  var lastHealthy: Double
  /// The longest that a device was heard and not called, before its first attempt.
  var longestWait: Double
  /// The longest that a device was due again and not called, before a later one.
  var longestRetryWait: Double
  /// Recorded events.
  var events: Int
  /// Of this machine.
  var wall: Double
  var cpu: Double
  var peakMegabytes: Double
  /// How many rooms ended how.
  var outcomes: [String: Int]

  var ratio: Double { lastHealthy / bound }

  /// Microseconds of CPU for each recorded event.
  var cpuPerEvent: Double { cpu / Double(events) * 1e6 }

  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  var lines: String {
    """
    \(sensors) sensors (\(dead) dead) on \(adapters) adapters\(isInStoreys ? ", on storeys" : ""), seed \(seed)
    outcomes           \(outcomes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
    makespan           \(makespan.rounded(to: 1)) s, last success after \(lastHealthy.rounded(to: 1)) s
    lower bound        \(bound.rounded(to: 1)) s, ratio \(ratio.rounded(to: 3))
    longest waits      \(longestWait.rounded(to: 1)) s before a first attempt, \(longestRetryWait.rounded(to: 1)) s before a later one
    recorded           \(events) events, \(cpuPerEvent.rounded(to: 1)) µs of CPU each
    took               \(wall.rounded(to: 2)) s, CPU \(cpu.rounded(to: 2)) s, \(peakMegabytes.rounded(to: 0)) MB at most
    """
  }
}

extension Double {
  /// With so many digits after the point.
  func rounded(to digits: Int) -> String { String(format: "%.\(digits)f", self) }
}
