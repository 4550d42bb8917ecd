import Bluetooth
import DBus
import Engine
import Foundation
import Journal
import Model
import Reporting
import Synchronization
import Testing
import VirtualBuilding

/// An `org.bluez` that misbehaves at each point of a session: the run ends by itself, within bounds, and
/// reports nothing that is false. Times are virtual, so each back-off is waited for completely.
@Suite("a run tolerates a misbehaving org.bluez", .timeLimit(.minutes(60))) struct HostileStackTests {
  /// The first request that is disturbed, the number of requests, and the kind of disturbance.
  struct Attack: Hashable, Sendable, CustomTestStringConvertible {
    var first: Int
    var count: Int
    var act: Misconduct.Act
    /// The method; nil for each method.
    var member: String?

    var testDescription: String {
      "\(act.name), \(member ?? "call") \(first)\(count == .max ? " and later" : "")"
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

  /// `make test-hostile` runs each point. Other test runs take 100, drawn by a seed.
  static let sweep: [Attack] = {
    let environment = ProcessInfo.processInfo.environment
    let all = acts.flatMap { act in
      (1...45).flatMap { point in
        [Attack(first: point, count: 1, act: act), Attack(first: point, count: .max, act: act)]
      }
    }
    func number(_ name: String) -> Int? { environment[name].flatMap { Int($0) } }
    var generator = SeededGenerator(seed: number("HOSTILE_SEED").map { UInt64($0) } ?? 1)
    return Array(all.shuffled(using: &generator).prefix(number("HOSTILE") ?? 100))
  }()

  @Test("the run ends within bounds if each start of discovery fails", arguments: brokenDiscovery)
  func discovery(_ attack: Attack) async throws {
    let run = try await Self.attacked(attack)
    guard attack.first == 1, attack.act.preventsScans else { return }
    // Without any scan there is nothing to report but that the stack cannot be used.
    #expect(run.result?.radioFailure != nil)
  }

  @Test("the run ends within bounds if org.bluez misbehaves at one point of a session", arguments: sweep)
  func session(_ attack: Attack) async throws {
    try await Self.attacked(attack)
  }

  @Test(
    "the run ends within bounds if BlueZ knew the devices and cannot remove them",
    arguments: acts.filter(\.isRefusal))
  func removal(_ act: Misconduct.Act) async throws {
    let run = try await Self.attacked(
      Attack(first: 1, count: .max, act: act, member: "RemoveDevice"), isKnown: true)
    let windows = run.events.count { $0.fact.kind == "scan_started" }
    // The shortest window takes 1.2 s.
    #expect(Double(windows) < run.took / .seconds(1), "\(windows) windows in \(run.took)")
    let reason = run.result?.rooms.first?.reason
    #expect(reason?.code == .contentHidden)
    #expect(reason?.stackText?.contains("RemoveDevice /org/bluez/hci0/dev_C4_7C_8D_00_00_01") == true)
    #expect(run.events.count { $0.fact.kind == "adapter_faulted" } == 1)
  }

  @Test("a sensor that the user has trusted is reported as kept by BlueZ, not as silent")
  func trusted() async throws {
    let run = try await StackedRun.apply(
      [StackedRun.room(1, retries: 0), StackedRun.room(2, retries: 0)],
      [StackedRun.sensor(1), StackedRun.sensor(2)], isKnown: true, trusted: 1)
    #expect(run.outcome(1) == .unreachable && run.outcome(2) == .provisioned)
    let reason = try #require(run.result?.rooms.first?.reason)
    #expect(reason == .contentHidden(stackText: "Trusted: /org/bluez/hci0/dev_C4_7C_8D_00_00_01"))
    #expect(run.summary.contains("bluetoothctl remove C4:7C:8D:00:00:01"), "\(run.summary)")
  }

  @discardableResult
  private static func attacked(_ attack: Attack, isKnown: Bool = false) async throws -> StackedRun {
    var timeouts = StageTimeouts()
    (timeouts.search, timeouts.connect, timeouts.verify) = (.seconds(5), .seconds(5), .seconds(10))
    let run = try await StackedRun.apply(
      [StackedRun.room(1, retries: 1, timeouts: timeouts)], [StackedRun.sensor(1), StackedRun.sensor(2)],
      misconduct: attack.misconduct, adapterTimeout: .seconds(5), isKnown: isKnown)
    #expect(run.took < .seconds(150), "it took \(run.took)")
    for write in run.writes {
      // The other sensor has no room.
      #expect(write.address == StackedRun.address(1))
      #expect(write.value.count <= 64, "\(write)")
    }
    checkRecord(run)
    let flash = run.flashes[1]
    if run.outcome(1)?.isSuccess == true {
      #expect(
        flash?.isSaved == true && flash?.minor == 101,
        "it is reported done and holds \(String(describing: flash))")
    }
    return run
  }

  /// Checks that the record is small, and that neither it nor the summary contains the stack's controls or the
  /// password.
  private static func checkRecord(_ run: StackedRun) {
    var lines = JournalLines()
    let journal = run.events.flatMap { lines.line($0) }
    let seconds = run.took / .seconds(1) + 1
    #expect(
      Double(journal.count) < 200_000 + 20_000 * seconds,
      "a journal of \(journal.count) bytes after \(seconds) s")
    #expect(!journal.contains(0x1B))
    let summary = run.summary
    let controls: Set<Unicode.Scalar> = ["\u{1B}", "\u{202E}", "\u{07}"]
    #expect(!summary.unicodeScalars.contains { controls.contains($0) })
    #expect(summary.utf8.count < 100_000, "\(summary.utf8.count) bytes of output")
    for text in [String(decoding: journal, as: UTF8.self), summary] {
      #expect(!text.contains(StackedRun.password))
    }
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

  fileprivate var isRefusal: Bool { if case .refuse = self { true } else { false } }

  /// A short name for a test case.
  fileprivate var name: String {
    switch self {
    case .refuse(let name, _): String(name.split(separator: ".").last ?? "")
    case .answer(let body): "answer of \(body.first.map { "type \($0.signature)" } ?? "no value")"
    case .obey: "obedience with a wrong answer"
    case .ignore: "no reply"
    case .delay: "late reply"
    case .vanish: "removed object"
    case .mislead: "misleading signals"
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
