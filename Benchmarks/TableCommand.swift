import ArgumentParser
import Foundation

/// Measures all figures of docs/internals/performance.md.
struct TableCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "table", abstract: "Print the table of docs/internals/performance.md (default).")

  @Option(help: "Seed of all random numbers.")
  var seed: UInt64 = 1

  func run() async throws {
    print(
      "| sensors | adapters | makespan | lower bound | ratio | 1 adapter's time | longest wait: first attempt, retry |"
    )
    print("|---|---|---|---|---|---|---|")
    var single: Double?
    for (adapters, dead) in [(1, 0), (2, 0), (4, 0), (4, 10)] {
      let measured = try measure(sensors: 1000, adapters, dead: dead)
      if adapters == 1 { single = measured.makespan }
      print(row(measured, single: single))
    }
    print()
    print("| sensors | adapters | | wall | CPU | peak memory | events | CPU per event |")
    print("|---|---|---|---|---|---|---|---|")
    for sensors in [1000, 10_000] {
      for storeys in [false, true] {
        print(cost(try measure(sensors: sensors, 8, storeys: storeys)))
      }
    }
    print()
    try MatchCommand.parse([]).run()
    print()
    try ManifestCommand.parse([]).run()
    print()
    try RecordCommand.parse([]).run()
    print()
    try await BusCommand.parse([]).run()
  }

  private func row(_ measured: Measured, single: Double?) -> String {
    let gain = single.map { ($0 / measured.lastHealthy).rounded(to: 2) + " ×" } ?? ""
    let end =
      measured.dead == 0
      ? "\(measured.makespan.rounded(to: 1)) s"
      : "\(measured.lastHealthy.rounded(to: 1)) s (the healthy; \(measured.makespan.rounded(to: 1)) s all)"
    let dead = measured.dead == 0 ? "" : ", \(measured.dead) of them dead"
    return """
      | \(measured.sensors)\(dead) | \(measured.adapters) | \(end) | \(measured.bound.rounded(to: 1)) s \
      | \(measured.ratio.rounded(to: 3)) | \(gain) \
      | \(measured.longestWait.rounded(to: 1)) s, \(measured.longestRetryWait.rounded(to: 1)) s |
      """
  }

  private func cost(_ measured: Measured) -> String {
    """
    | \(measured.sensors) | \(measured.adapters) | \(measured.isInStoreys ? "a storey for each adapter" : "every adapter receives every sensor") \
    | \(measured.wall.rounded(to: 1)) s | \(measured.cpu.rounded(to: 1)) s | \(measured.peakMegabytes.rounded(to: 0)) MB \
    | \(measured.events) | \(measured.cpuPerEvent.rounded(to: 1)) µs |
    """
  }

  /// Runs in a separate process, so that the memory measured is that of this run alone.
  private func measure(sensors: Int, _ adapters: Int, dead: Int = 0, storeys: Bool = false) throws -> Measured
  {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments =
      [
        "run", "--json", "--sensors", "\(sensors)", "--adapters", "\(adapters)", "--dead", "\(dead)",
        "--seed", "\(seed)",
      ]
      + (storeys ? ["--storeys"] : [])
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let answer = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw ExitCode.failure }
    return try JSONDecoder().decode(Measured.self, from: answer)
  }
}
