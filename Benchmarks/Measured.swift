import Foundation

/// The measurements of one run. All times are in seconds; the building's times are virtual.
struct Measured: Codable, Sendable {
  var sensors: Int
  var adapters: Int
  /// The other hosts that have the adapters; 0 for those of this computer.
  var hosts: Int
  /// The time of a message to or from a host, in ms.
  var delay: Int
  var dead: Int
  var seed: UInt64
  var isInStoreys: Bool
  /// From the start of the run to the last outcome.
  var makespan: Double
  /// The minimum time for the healthy sensors (`BuildingOptions.bound`).
  var bound: Double
  /// From the start of the run to the last success.
  var lastHealthy: Double
  /// The longest time between the first sighting of a device and its first attempt.
  var longestWait: Double
  /// The longest time between the end of a back-off and the retry.
  var longestRetryWait: Double
  /// The number of recorded events.
  var events: Int
  /// Real time of this machine, in contrast to the building's times.
  var wall: Double
  var cpu: Double
  var peakMegabytes: Double
  /// The number of rooms with each outcome.
  var outcomes: [String: Int]

  var ratio: Double { lastHealthy / bound }

  /// CPU time per recorded event, in µs.
  var cpuPerEvent: Double { cpu / Double(events) * 1e6 }

  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  var lines: String {
    """
    \(sensors) sensors (\(dead) dead) on \(adapters) adapters\(hosts == 0 ? "" : " of \(hosts) hosts at \(delay) ms")\(isInStoreys ? ", on storeys" : ""), seed \(seed)
    outcomes           \(outcomes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
    makespan           \(makespan.rounded(to: 1)) s, last success after \(lastHealthy.rounded(to: 1)) s
    lower bound        \(bound.rounded(to: 1)) s, ratio \(ratio.rounded(to: 3))
    longest waits      \(longestWait.rounded(to: 1)) s before a first attempt, \(longestRetryWait.rounded(to: 1)) s before a later one
    recorded           \(events) events, \(cpuPerEvent.rounded(to: 1)) µs of CPU each, \((Double(events) / cpu).rounded(to: 0)) a second
    took               \(wall.rounded(to: 2)) s, CPU \(cpu.rounded(to: 2)) s, \(peakMegabytes.rounded(to: 0)) MB at most
    """
  }
}

extension Double {
  /// Formats the value with this number of decimal places.
  func rounded(to digits: Int) -> String { String(format: "%.\(digits)f", self) }
}
