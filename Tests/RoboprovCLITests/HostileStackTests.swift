import DBus
import Foundation
import SampleFacts
import Testing
import VirtualBuilding

/// What only the program can show of a misbehaving `org.bluez`: its memory, its output and its files. StackTests
/// have every point of a session.
@Suite("the program tolerates a misbehaving org.bluez", .timeLimit(.minutes(60))) struct HostileStackTests {
  /// Replies that are large, false, or texts that control a terminal.
  static let attacks: [(name: String, act: Misconduct.Act)] = [
    (
      "controls",
      .refuse(name: "x.y", text: "\u{1B}]0;owned\u{07}\u{202E}" + String(repeating: "x", count: 100_000))
    ),
    ("1 MiB", .answer([.bytes([UInt8](repeating: 0x41, count: 1 << 20))])),
    ("misleading signals", .mislead),
  ]

  @Test("the program ends by itself, within bounds, and reports nothing false", arguments: attacks.indices)
  func misconduct(_ index: Int) async throws {
    // From the fifth call on: the connection and the scan work.
    try await Self.attack(Misconduct { _, number in number >= 5 ? Self.attacks[index].act : nil })
  }

  private static func attack(_ misconduct: Misconduct) async throws {
    try await Site.use { site in
      try site.writeManifest(
        [.numbered(1)], defaults: ["retries: 1", "timeouts: { search: 5s, connect: 5s, verify: 10s }"])
      try await ServedBuilding.serve(
        [ServedBuilding.sensor(1), ServedBuilding.sensor(2)], misconduct: misconduct
      ) { building in
        let began = SuspendingClock.now
        let process = try site.start(
          ["apply", "building.yaml", "--yes", "--scan-time", "1", "--adapter-wait", "5"], bus: building.bus)
        let memory = try await peakMemory(of: process, for: Invocation.timeout)
        process.send(SIGKILL)
        let outcome = try await process.ended()
        #expect(outcome.signal == nil, "it did not end by itself in time: \(outcome)")
        #expect([0, 69, 100].contains(outcome.status), "\(outcome)")
        #expect(memory < 200 << 20, "\(memory) bytes of memory")
        let written = outcome.output + outcome.errors
        #expect(!written.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" || $0 == "\u{07}" })
        #expect(written.utf8.count < 100_000, "\(written.utf8.count) bytes of output")
        #expect(!written.contains(Site.password))
        try await check(site, building, took: began.duration(to: .now))
      }
    }
  }

  /// Checks what holds in each case: the record is complete and small, and the sensor has what it reports.
  private static func check(_ site: Site, _ building: ServedBuilding, took: Duration) async throws {
    let flash = await building.flash(1)
    for write in await building.world.writes {
      // The other sensor has no room.
      #expect(write.address == ServedBuilding.address(1))
      #expect(write.value.count <= 64, "\(write)")
    }
    guard let run = site.runs.first else { return }
    let journal = site.directory.appending(path: "reports/\(Site.building)/\(run)/journal.jsonl")
    let bytes = try Data(contentsOf: journal)
    let seconds = Double(took.components.seconds + 1)
    #expect(
      Double(bytes.count) < 200_000 + 20_000 * seconds, "a journal of \(bytes.count) bytes after \(seconds) s"
    )
    #expect(!bytes.contains(0x1B))
    #expect(bytes.range(of: Data(Site.password.utf8)) == nil)
    let status = try await site.run(["status", Site.building, "--check"])
    #expect([0, 100].contains(status.status), "\(status)")
    guard status.status == 0 else { return }
    #expect(
      flash?.isSaved == true && flash?.minor == 101,
      "it is reported done and holds \(String(describing: flash))")
  }

  /// The maximum memory of a process until its end or until the time limit, in bytes.
  private static func peakMemory(of process: Invocation, for time: Duration) async throws -> Int {
    let end = SuspendingClock.now + time
    var peak = 0
    while process.isRunning, SuspendingClock.now < end {
      let status = (try? String(contentsOfFile: "/proc/\(process.id)/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      let kilobytes = line?.split(separator: " ", omittingEmptySubsequences: true).dropFirst().first
        .flatMap { Int($0.filter(\.isNumber)) }
      peak = max(peak, (kilobytes ?? 0) << 10)
      try await Task.sleep(for: .milliseconds(20))
    }
    return peak
  }
}
