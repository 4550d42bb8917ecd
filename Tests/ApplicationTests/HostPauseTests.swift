import FoundationEssentials
import Model
import Synchronization
import Testing

@testable import Host

/// Clock readings, given as the time that passed on each clock since the previous reading.
private struct Step: Sendable {
  var boot: Double
  var awake: Double
  var wall: Double
  /// Nil from a kernel that does not count it.
  var waited: Double?

  /// All clocks advance by the same time.
  static func even(_ seconds: Double, waited: Double? = nil) -> Step {
    Step(boot: seconds, awake: seconds, wall: seconds, waited: waited)
  }

  func after(_ clocks: HostClocks) -> HostClocks {
    HostClocks(
      boot: clocks.boot + .seconds(boot), awake: clocks.awake + .seconds(awake),
      wall: clocks.wall + .seconds(wall),
      waited: waited.map { (clocks.waited ?? .zero) + .seconds($0) })
  }
}

@Suite("the clocks of the host show its pauses")
struct HostPauseTests {
  /// Clocks with different origins and the same rate.
  private static let start = HostClocks(
    boot: .seconds(90_000), awake: .seconds(40_000.25), wall: .seconds(1_795_251_600), waited: .seconds(7))

  private struct RunScript: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var steps: [Step]
    var pauses: [HostPause]
  }

  private static let scenarios: [RunScript] = [
    RunScript(testDescription: "ticks", steps: [.even(1), .even(1.02), .even(0.98), .even(1)], pauses: []),
    RunScript(
      testDescription: "a busy machine is late, by up to ten seconds",
      steps: [.even(9), .even(11), .even(0.1)],
      pauses: []),
    RunScript(
      testDescription: "stopped for ten minutes", steps: [.even(1), .even(601), .even(1)],
      pauses: [HostPause(.stopped, seconds: 600)]),
    RunScript(
      testDescription: "a lid closed for an hour, and opened",
      steps: [.even(1), Step(boot: 3601, awake: 1, wall: 3601), .even(1)],
      pauses: [HostPause(.suspended, seconds: 3600)]),
    RunScript(
      testDescription: "a nap of a second", steps: [Step(boot: 2, awake: 1, wall: 2)],
      pauses: [HostPause(.suspended, seconds: 1)]),
    RunScript(
      testDescription: "readings a little apart are no sleep",
      steps: [Step(boot: 1.3, awake: 1, wall: 1.3), Step(boot: 0.7, awake: 1, wall: 0.7)], pauses: []),
    RunScript(
      testDescription: "the time of day set forwards by a minute", steps: [Step(boot: 1, awake: 1, wall: 61)],
      pauses: [HostPause(.clockSet, seconds: 60)]),
    RunScript(
      testDescription: "the time of day set back by a year",
      steps: [.even(1), Step(boot: 1, awake: 1, wall: 1 - 31_536_000), .even(1)],
      pauses: [HostPause(.clockSet, seconds: -31_536_000)]),
    RunScript(
      testDescription: "a time server that corrects a second, and slews",
      steps: [Step(boot: 1, awake: 1, wall: 2), Step(boot: 1, awake: 1, wall: 0)]
        + Array(repeating: Step(boot: 1, awake: 1, wall: 1.0005), count: 10_000), pauses: []),
    RunScript(
      testDescription: "a host that sleeps, wakes late and has its clock set",
      steps: [Step(boot: 131, awake: 31, wall: 3731)],
      pauses: [
        HostPause(.suspended, seconds: 100), HostPause(.stopped, seconds: 30),
        HostPause(.clockSet, seconds: 3600),
      ]),
    RunScript(
      testDescription: "two pauses that are reported once each",
      steps: [Step(boot: 11, awake: 1, wall: 11), .even(1), Step(boot: 21, awake: 1, wall: 21), .even(1)],
      pauses: [HostPause(.suspended, seconds: 10), HostPause(.suspended, seconds: 20)]),
    RunScript(
      testDescription: "roboprov waits for a processor for a fifth of ten seconds, twice",
      steps: Array(repeating: .even(1, waited: 0.2), count: 29),
      pauses: [HostPause(.busy, seconds: 2), HostPause(.busy, seconds: 2)]),
    RunScript(
      testDescription: "a little less, and once for long",
      steps: Array(repeating: .even(1, waited: 0.19), count: 10) + [.even(1, waited: 0.9)]
        + Array(repeating: .even(1, waited: 0), count: 20), pauses: []),
    RunScript(
      testDescription: "a kernel that does not count the wait",
      steps: Array(repeating: .even(1), count: 10) + Array(repeating: .even(1, waited: 9), count: 10),
      pauses: []),
    RunScript(
      testDescription: "stopped after a time in which the host was busy",
      steps: Array(repeating: .even(1, waited: 0.9), count: 9) + [.even(601, waited: 0)],
      pauses: [HostPause(.stopped, seconds: 600)]),
  ]

  @Test("pauses are derived from the clock readings", arguments: scenarios)
  private func detection(script: RunScript) {
    var detector = HostPauseDetector(Self.start, tick: .seconds(1))
    var clocks = Self.start
    var found: [HostPause] = []
    for step in script.steps {
      clocks = step.after(clocks)
      found += detector.pauses(until: clocks)
    }
    #expect(found.map(\.kind) == script.pauses.map(\.kind))
    for (found, expected) in zip(found, script.pauses) {
      #expect(abs(found.seconds - expected.seconds) < 0.001, "\(found)")
    }
  }

  @Test("the kernel's clocks advance together, and only the boot-time clock counts sleep")
  func clocks() {
    let first = HostClocks.now()
    let second = HostClocks.now()
    #expect(second.boot >= first.boot && second.awake >= first.awake)
    // The boot-time clock is read a moment before the other.
    #expect(second.boot >= first.awake)
    #expect(first.wall > .seconds(1_700_000_000))
  }

  @Test("the wait for a processor is the kernel's count for the first thread, where there is one")
  func waited() throws {
    guard FileManager.default.fileExists(atPath: "/proc/self/schedstat") else {
      #expect(HostClocks.now().waited == nil)
      return
    }
    func kernel() throws -> Duration {
      let words = try String(contentsOfFile: "/proc/self/schedstat", encoding: .utf8).split(separator: " ")
      return .nanoseconds(try #require(Int64(words[1])))
    }
    let before = try kernel()
    let waited = try #require(HostClocks.now().waited)
    #expect(before <= waited)
    #expect(waited <= (try kernel()))
  }

  @Test(
    "pauses arrive as a stream, whether or not its reader waits; the end of one reader's does not end another's"
  )
  func stream() async {
    let clocks = Mutex(Self.start)
    let readings = Mutex(0)
    let scenarios: [Int: Step] = [
      3: Step(boot: 61, awake: 1, wall: 61), 5: .even(31), 8: Step(boot: 1, awake: 1, wall: 11),
    ]
    let later = Mutex<Step?>(nil)
    let pauses = HostPauses(tick: .milliseconds(1)) {
      let number = readings.withLock {
        $0 += 1; return $0
      }
      return clocks.withLock { clocks in
        clocks = (later.withLock { $0.take() } ?? scenarios[number] ?? .even(0.001)).after(clocks)
        return clocks
      }
    }
    func first(_ count: Int, of stream: AsyncStream<HostPause>) async -> [HostPause] {
      var found: [HostPause] = []
      for await pause in stream {
        found.append(pause)
        if found.count == count { break }
      }
      return found
    }
    let streams = [pauses.stream(), pauses.stream()]
    // The readers start after all pauses have happened, and one after the other has ended.
    while readings.withLock({ $0 }) < 10 { await Task.yield() }
    for stream in streams {
      let found = await first(3, of: stream)
      #expect(found.map(\.kind) == [.suspended, .stopped, .clockSet])
      #expect(found.map { $0.seconds.rounded() } == [60, 31, 10])
    }
    // As the second room of a walk: a stream that begins when an earlier one has ended.
    let second = pauses.stream()
    later.withLock { $0 = .even(31) }
    let found = await first(1, of: second)
    #expect(found.map(\.kind) == [.stopped])
  }
}
