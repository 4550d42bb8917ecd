import DBus
import Foundation
import Synchronization
import Testing
import VirtualBuilding
import VirtualTime

/// An `org.bluez` that misbehaves at each point of a session: the run ends by itself, within bounds, and
/// reports nothing that is false.
@Suite("a run tolerates a misbehaving org.bluez", .timeLimit(.minutes(60))) struct HostileStackTests {
  /// The first request that is disturbed, the number of requests, and the kind of disturbance.
  struct Attack: Hashable, Sendable, CustomTestStringConvertible {
    var first: Int
    var count: Int
    var act: Misconduct.Act
    /// The method; nil for each method.
    var member: String?

    var testDescription: String {
      "\(member ?? "call") from \(first), \(count == .max ? "always" : "\(count) times"): \(act)".prefix(160)
        .description
    }

    var misconduct: Misconduct {
      let seen = Counter()
      return Misconduct { [self] called, number in
        if let member, member != called { return nil }
        let number = member == nil ? number : seen.next()
        return number >= first && number - first < count ? act : nil
      }
    }
  }

  private static let bluez = "org.bluez.Error."
  private static let bus = "org.freedesktop.DBus.Error."

  /// The kind of disturbance.
  static let acts: [Misconduct.Act] =
    [
      bluez + "NotReady", bluez + "DoesNotExist", bluez + "Failed", bluez + "InProgress",
      bluez + "NotPermitted",
      bus + "UnknownObject", bus + "UnknownMethod", bus + "ServiceUnknown", bus + "NoReply",
      bus + "LimitsExceeded",
      "x.y",
    ].map { .refuse(name: $0, text: "\u{1B}]0;owned\u{07}\u{202E}" + String(repeating: "x", count: 100_000)) }
    + [
      .answer([]), .answer([.string("x")]), .answer([.bytes([UInt8](repeating: 0x41, count: 1 << 20))]),
      .obey([.vardict([("Connected", .string("yes"))])]), .ignore, .delay(.seconds(15)), .vanish, .mislead,
    ]

  /// Failures of the start of discovery, among others each error name that BlueZ or the bus may return: from
  /// the beginning, and in mid-run. Other calls without a reply.
  static let brokenDiscovery =
    acts.map { Attack(first: 1, count: .max, act: $0, member: "StartDiscovery") }
    + acts.filter(\.preventsScans).map { Attack(first: 2, count: .max, act: $0, member: "StartDiscovery") }
    + ["SetDiscoveryFilter", "GetManagedObjects"].map {
      Attack(first: 1, count: .max, act: .ignore, member: $0)
    }

  /// `make test-hostile` runs each point, in an order that a seed determines, so that a stopped sweep can be
  /// continued. Other test runs take the first 24.
  static let sweep: [Attack] = {
    let environment = ProcessInfo.processInfo.environment
    let points = 1...45
    let all = acts.flatMap { act in
      points.flatMap { point in
        [Attack(first: point, count: 1, act: act), Attack(first: point, count: .max, act: act)]
      }
    }
    func number(_ name: String) -> Int? { environment[name].flatMap { Int($0) } }
    var generator = SeededGenerator(seed: number("HOSTILE_SEED").map { UInt64($0) } ?? 1)
    let order = all.shuffled(using: &generator).dropFirst(number("HOSTILE_SKIP") ?? 0)
    return order.prefix(number("HOSTILE") ?? 24).map(\.self)
  }()

  @Test("the run ends within bounds if each start of discovery fails", arguments: brokenDiscovery)
  func discovery(_ attack: Attack) async throws {
    // Without any scan there is nothing to report but that the stack cannot be used.
    let isHopeless = attack.first == 1 && attack.act.preventsScans
    try await Self.attack(attack, ending: isHopeless ? [69] : [0, 69, 100])
  }

  @Test("the run ends within bounds if org.bluez misbehaves at one point of a session", arguments: sweep)
  func session(_ attack: Attack) async throws {
    try await Self.attack(attack)
  }

  private static func attack(_ attack: Attack, ending statuses: [Int32] = [0, 69, 100]) async throws {
    try await Site.use { site in
      try site.writeManifest(
        [.numbered(1)], defaults: ["retries: 1", "timeouts: { search: 5s, connect: 5s, verify: 10s }"])
      try await ServedBuilding.serve(
        [ServedBuilding.sensor(1), ServedBuilding.sensor(2)], misconduct: attack.misconduct
      ) { building in
        let began = SuspendingClock.now
        let process = try site.start(
          ["apply", "building.yaml", "--yes", "--scan-time", "1", "--adapter-wait", "5"], bus: building.bus)
        let memory = try await peakMemory(of: process, for: .seconds(150))
        process.send(SIGKILL)
        let outcome = try await process.ended()
        #expect(outcome.signal == nil, "it did not end by itself within 150 s: \(outcome)")
        #expect(statuses.contains { $0 == outcome.status }, "\(outcome)")
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

extension Misconduct.Act {
  /// Whether a request to scan has no effect, and roboprov can tell. `InProgress` may be the own scan.
  fileprivate var preventsScans: Bool {
    switch self {
    case .refuse(let name, _): !name.hasSuffix(".InProgress")
    case .ignore: true
    case .answer, .obey, .delay, .vanish, .mislead: false
    }
  }
}

/// A counter that starts at 1.
private final class Counter: Sendable {
  private let value = Mutex(0)

  func next() -> Int {
    value.withLock {
      $0 += 1
      return $0
    }
  }
}
