import Bluetooth
import Model
import Session
import Testing
import VirtualTime

@testable import Families

/// What an Improv device can do within a session that its firmware does not do on its own.
@Suite("The session of an Improv device") struct ImprovSessionTests {
  private typealias Attribute = Improv.Attribute
  private typealias Script = @Sendable (ScriptedDevice, [UInt8]) throws(CentralError) -> Void

  private static let room = Room(
    id: "lobby", name: "Lobby", family: .improvWiFi,
    settings: [.wifiSSID: .text("Plant"), .wifiPassword: .secret(Secret("my secret"))],
    timeouts: StageTimeouts(ready: .seconds(75), save: .seconds(45)), retries: 0)
  private static let command = ImprovFrame(.wifi, strings: [Array("Plant".utf8), Array("my secret".utf8)])

  /// A session with a device.
  /// - Parameters:
  ///   - state: its state at the beginning.
  ///   - later: what happens at the device, and when.
  ///   - script: is called with each write.
  private static func attempt(
    state: UInt8 = 2, capabilities: UInt8 = 0, later: (Duration, @Sendable (ScriptedDevice) -> Void)? = nil,
    _ script: @escaping Script = { _, _ in }
  ) async throws -> Attempted {
    try await Attempted.run(
      room,
      { clock in
        let device = ScriptedDevice(
          Attribute.service,
          [Attribute.state, Attribute.error, Attribute.command, Attribute.result, Attribute.capabilities],
          clock)
        device.values = [Attribute.state: [state], Attribute.capabilities: [capabilities]]
        device.onWrite(script)
        if let later { device.after(later.0, later.1) }
        return device
      }, FamilyDriver.improvWiFi.configure)
  }

  private static func commands(_ attempted: Attempted) -> Int {
    attempted.writes.count { $0 == command?.bytes }
  }

  /// It joins at once and reports that.
  private static let joins: Script = { (device, value) in
    if value.first == 1 { device.notify([1, 0, 1], of: Attribute.result) }
  }

  @Test("a device without a sign of its command gets it three times, after what ends a part of another")
  func lost() async throws {
    let zeros = [[UInt8]](repeating: [UInt8](repeating: 0, count: 20), count: 13)
    let attempted = try await Self.attempt()
    #expect(attempted.failure == .stageTimedOut(FailedStep(.save)))
    let command = [try #require(Self.command?.bytes)]
    #expect(attempted.writes == command + zeros + command + zeros + command)
    #expect(attempted.duration == .milliseconds(3 * 2_500))
  }

  @Test(
    "a report from before the submission is no answer, also when the link is lost", arguments: [false, true])
  func early(isLost: Bool) async throws {
    for isEarly in [false, true] {
      let attempted = try await Self.attempt { (device, value) throws(CentralError) in
        guard value.first == 1 else { return }
        let earlier = MonotonicInstant(sinceZero: .seconds(-1))
        device.notify([1, 0, 1], of: Attribute.result, at: isEarly ? earlier : nil)
        if isLost {
          device.end()
          throw CentralError(.disconnected)
        }
      }
      #expect((attempted.submission?.acknowledgement == .savedStatus) == !isEarly)
      let failure: FailureReason.Code? = isEarly && !isLost ? .stageTimedOut : nil
      #expect(attempted.failure?.code == failure)
    }
  }

  @Test(
    "a result that is cut also when it is read is read once; a device that never ends one ends no session",
    arguments: [(true, false), (true, true), (false, true)])
  func cut(joins: Bool, changes: Bool) async throws {
    let attempted = try await Self.attempt { device, value in
      guard value.first == 1 else { return }
      device.values[Attribute.result] = [1, 9, 0]
      device.notifyReads { changes && $0.count == 3 ? [1, 9, $0[2] &+ 1] : $0 }
      device.notify([3], of: Attribute.state)
      device.after(.seconds(1)) {
        if joins { $0.notify([4], of: Attribute.state) }
        $0.notify([1, 9], of: Attribute.result)
      }
    }
    let submission = try #require(attempted.submission)
    #expect(submission.acknowledgement == (joins ? .savedStatus : nil))
    let reads = attempted.statuses.count { $0 == "a value that cannot be read" }
    #expect(changes ? reads > 5 : reads == 2, "the read, and its notification")
    let most: Duration = joins ? .milliseconds(2_100) : .milliseconds(46_200)
    #expect(attempted.duration <= most && attempted.duration > most - .milliseconds(300))
  }

  @Test("a repeated command that is refused may be under way: then a state alone is no success")
  func repeated() async throws {
    let attempted = try await Self.attempt { device, value in
      guard value.first == 1, device.writes.count > 1 else { return }
      device.notify([4], of: Attribute.error)
      device.after(.seconds(1)) { $0.notify([3], of: Attribute.state) }
      device.after(.seconds(2)) { $0.notify([4], of: Attribute.state) }
    }
    let submission = try #require(attempted.submission)
    #expect(submission.acknowledgement == nil && submission.problem == nil)
    #expect(Self.commands(attempted) == 2)
  }

  @Test(
    "a refused write is a failure only if the device shows that it is ready as before",
    arguments: [
      (.att(0x80), 2, true), (.att(0x80), 1, true), (.att(0x80), 3, false), (.att(0x80), 4, false),
      (.att(0x80), nil, false), (.other, 2, false),
    ] as [(CentralError.Code, UInt8?, Bool)])
  func refused(code: CentralError.Code, state: UInt8?, isFailure: Bool) async throws {
    let attempted = try await Self.attempt { (device, _) throws(CentralError) in
      device.values[Attribute.state] = state.map { [$0] }
      throw CentralError(code)
    }
    let expected: FailureReason.Code = code == .other ? .stackError : .attributeRejected
    #expect(attempted.failure?.code == (isFailure ? expected : nil))
    #expect(attempted.submission?.problem?.code == (isFailure ? nil : expected))
  }

  @Test("only an error of the device itself lets a session go on after what makes it drop a part")
  func flush() async throws {
    for (code, failure, count) in [
      (.disconnected, .linkLost, 1), (.att(0x80), .stageTimedOut, 3),
    ] as [(CentralError.Code, FailureReason.Code, Int)] {
      let attempted = try await Self.attempt { (_, value) throws(CentralError) in
        if value.first == 0 { throw CentralError(code) }
      }
      #expect(attempted.failure?.code == failure && Self.commands(attempted) == count)
    }
  }

  @Test("a device has three seconds to say what it is, and nothing depends on it")
  func deviceInfo() async throws {
    let silent = try await Self.attempt(capabilities: 2, Self.joins)
    #expect(silent.submission?.acknowledgement == .savedStatus && silent.duration == .seconds(3))
    for code in [CentralError.Code.att(0x80), .disconnected] {
      let attempted = try await Self.attempt(capabilities: 2) { (device, value) throws(CentralError) in
        if value.first == 3 { throw CentralError(code) }
        try Self.joins(device, value)
      }
      let isRefused = code != .disconnected
      let failure: FailureReason.Code? = isRefused ? nil : .linkLost
      #expect(attempted.failure?.code == failure)
      #expect(Self.commands(attempted) == (isRefused ? 1 : 0))
    }
  }

  @Test("a device that stays locked needs its button; one that joins, or whose link is lost, does not")
  func notReady() async throws {
    let locked = try await Self.attempt(
      state: 1, later: (.seconds(10), { $0.notify([1], of: Attribute.state) }))
    #expect(locked.failure == .authorizationRequired && locked.duration == .seconds(75))
    #expect(locked.statuses == ["state 1: authorization required"], "it said that twice")
    let joining = try await Self.attempt(state: 3)
    #expect(joining.failure?.code == .stageTimedOut && joining.failure?.stage == .ready)
    let lost = try await Self.attempt(state: 1, later: (.seconds(10), { $0.end() }))
    #expect(lost.failure?.code == .linkLost && lost.failure?.stage == .ready)
    #expect([locked, joining, lost].allSatisfy { $0.writes.isEmpty })
  }
}
