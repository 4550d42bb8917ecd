import DBus
import Foundation
import Host
import SampleFacts
import Testing
import VirtualBuilding

@testable import Application
@testable import RoboprovCLI

@Suite("a run keeps the computer awake", .timeLimit(.minutes(60)))
struct SleepInhibitorTests {
  private static func withBus(_ body: (String) async throws -> Void) async throws {
    let bus = try await DBusDaemon.start()
    do {
      try await body(bus.address)
    } catch {
      await bus.stop()
      throw error
    }
    await bus.stop()
  }

  /// The result as text.
  private static func word(_ answer: SleepInhibitor.Answer) -> String {
    switch answer {
    case .held: "held"
    case .absent: "absent"
    case .refused(let reason): "refused: \(reason)"
    }
  }

  @Test("logind gets a valid request, and the inhibitor lasts until it is released")
  func granted() async throws {
    try await Self.withBus { bus in
      try await FakeLogin.serve(.grants, onBus: bus) { login in
        var answer = await SleepInhibitor.take(
          on: .address(bus), why: "Provisioning Harbour House", timeout: .seconds(60))
        #expect(Self.word(answer) == "held")
        #expect(
          await login.requests == [["sleep:idle", "roboprov", "Provisioning Harbour House", "block"]])
        #expect(await login.heldCount == 1)
        answer = .absent
        #expect(Self.word(answer) == "absent")
        while await login.heldCount > 0 { await Task.yield() }
      }
    }
  }

  static let refusals: [(FakeLogin.Manner, String)] = [
    (.refuses("org.freedesktop.DBus.Error.AccessDenied", "Permission denied"), "refused: Permission denied"),
    (
      .refuses("org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", "Ask a person"),
      "refused: Ask a person"
    ),
    (.refuses("org.freedesktop.login1.OperationInProgress", "Falling asleep"), "refused: Falling asleep"),
    (.answersNonsense, "refused: its answer is not an inhibitor"),
    (.refuses("org.freedesktop.DBus.Error.ServiceUnknown", "no such service"), "absent"),
    (.refuses("org.freedesktop.DBus.Error.UnknownMethod", "something else of that name"), "absent"),
    (.refuses("org.freedesktop.DBus.Error.Spawn.ChildExited", "it cannot be started"), "absent"),
  ]

  @Test("a refusal by logind is distinguished from its absence", arguments: refusals.indices)
  func refused(index: Int) async throws {
    let (manner, expected) = Self.refusals[index]
    try await Self.withBus { bus in
      try await FakeLogin.serve(manner, onBus: bus) { login in
        let answer = await SleepInhibitor.take(on: .address(bus), why: "x", timeout: .seconds(60))
        #expect(Self.word(answer) == expected)
        #expect(await login.requests.count == 1)
      }
    }
  }

  @Test("without logind or without a bus the inhibitor is unavailable")
  func absent() async throws {
    try await Self.withBus { bus in
      let answer = await SleepInhibitor.take(on: .address(bus), why: "x", timeout: .seconds(60))
      #expect(Self.word(answer) == "absent")
    }
    let answer = await SleepInhibitor.take(
      on: .address("unix:path=/nobody/listens"), why: "x", timeout: .seconds(60))
    #expect(Self.word(answer) == "absent")
  }

  @Test("a logind that does not reply does not block the run")
  func silent() async throws {
    try await Self.withBus { bus in
      try await FakeLogin.serve(.saysNothing, onBus: bus) { _ in
        let answer = await SleepInhibitor.take(on: .address(bus), why: "x", timeout: .milliseconds(300))
        #expect(Self.word(answer) == "absent")
      }
    }
  }

  // MARK: In a run

  /// Whether a run ended in order. The outcome of its room does not matter here.
  private static func hasRun(_ outcome: Invocation.Outcome) -> Bool {
    outcome.status == 0 || outcome.status == 100
  }

  @Test("the inhibitor lasts from before the first use of an adapter to the end of the run")
  func apply() async throws {
    try await Site.use([.numbered(1)]) { site in
      try await ServedBuilding.serve([ServedBuilding.sensor(1)]) { building in
        try await FakeLogin.serve(.grants, onBus: building.bus) { login in
          let run = try site.start(["apply", "building.yaml", "--scan-time", "1"], bus: building.bus)
          try await site.until("the sensor is connected to") {
            await building.world.attemptCount(of: ServedBuilding.address(1)) > 0
          }
          #expect(await login.heldCount == 1)
          let outcome = try await run.ended().expect(notErrors: "asleep")
          #expect(Self.hasRun(outcome), "\(outcome)")
          #expect(
            await login.requests == [["sleep:idle", "roboprov", "Provisioning Harbour House", "block"]])
          #expect(await login.heldCount == 0)
        }
      }
    }
  }

  @Test("a run without an inhibitor continues and says so in one line")
  func applyRefused() async throws {
    try await Site.use([.numbered(1)]) { site in
      try await ServedBuilding.serve([ServedBuilding.sensor(1)]) { building in
        let manner = FakeLogin.Manner.refuses("org.freedesktop.DBus.Error.AccessDenied", "Permission denied")
        try await FakeLogin.serve(manner, onBus: building.bus) { login in
          let outcome = try await site.run(["apply", "building.yaml", "--scan-time", "1"], bus: building.bus)
          #expect(Self.hasRun(outcome), "\(outcome)")
          let lines = outcome.errors.split(separator: "\n").filter { $0.contains("go to sleep") }
          #expect(lines.count == 1, "\(outcome)")
          #expect(lines.first?.contains("Permission denied") == true, "\(outcome)")
        }
      }
    }
  }

  @Test("a rehearsal takes no inhibitor")
  func rehearsal() async throws {
    try await Site.use([.numbered(1)]) { site in
      try await Self.withBus { bus in
        try await FakeLogin.serve(.grants, onBus: bus) { login in
          let outcome = try await site.run(
            ["apply", "building.yaml", "--scan-time", "1", "--simulate"], bus: bus)
          #expect(Self.hasRun(outcome), "\(outcome)")
          #expect(await login.requests.isEmpty)
        }
      }
    }
  }
}
