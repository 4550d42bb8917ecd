import Bluetooth
import Engine
import Model
import Testing
import VirtualBuilding

/// A behaviour of a sensor, and the outcome of its room.
struct MannerCase: Sendable, CustomTestStringConvertible {
  var manner: Manner
  var outcome: Outcome
  var reason: FailureReason.Code?
  var attempts: Int

  init(_ manner: Manner, _ outcome: Outcome, _ reason: FailureReason.Code? = nil, attempts: Int = 1) {
    self.manner = manner
    self.outcome = outcome
    self.reason = reason
    self.attempts = attempts
  }

  var testDescription: String { "\(manner)" }

  static let all: [MannerCase] = [
    // A status from before the request is no response.
    .init(.saysOnSubscribing("saved"), .provisioned),
    .init(.saysOnSubscribing("error:left from yesterday"), .provisioned),
    .init(.saysOnSubscribing("\u{FFFD}\u{0}"), .provisioned),
    .init(.says("saved", afterWrite: 1), .provisioned),
    .init(.says("saved", afterWrite: 4), .provisioned),
    // After the first write an error is a refusal.
    .init(.says("error:flash worn out", afterWrite: 1), .failed, .refused, attempts: 2),
    .init(.says("error:flash worn out", afterWrite: 3), .failed, .refused, attempts: 2),
    // After SAVE it is one as well, even if the sensor returns with its minor.
    .init(.saysOnSave("error:flash worn out"), .failed, .refused, attempts: 1),
    .init(.lingers(.seconds(1)), .provisioned),
    .init(.lingers(.seconds(9)), .provisioned),
    .init(.keepsLink, .provisioned),
    .init(.savesAfter(.seconds(8)), .provisioned),
    .init(.savesAfter(.seconds(12)), .provisioned),
    .init(.forgets, .failed, .saveNotKept, attempts: 3),
    // The sensor disconnects between the last write and SAVE, which may or may not arrive.
    .init(.leaves(afterWrite: 4, in: .zero), .failed, .linkLost, attempts: 3),
    .init(.leaves(afterWrite: 4, in: .milliseconds(40)), .failed, .linkLost, attempts: 3),
    .init(.leaves(afterWrite: 2, in: .milliseconds(10)), .failed, .linkLost, attempts: 3),
    // The sensor takes so long that the attempt counts as failed, and another one follows.
    .init(.lingers(.seconds(13)), .provisionedAfterRetry, attempts: 2),
  ]
}

@Suite("unusual behaviours of sensors") struct MannerScenarios {
  static let rooms = [Sample.room(1, address: 1), Sample.room(2, address: 2), Sample.room(3, address: 3)]

  @Test(
    "each behaviour of a sensor gives its room the expected outcome, and affects no other room",
    arguments: MannerCase.all)
  func manner(_ example: MannerCase) async throws {
    let run = try await rehearse(
      [[], [], []], rooms: Self.rooms, scenario: { $0.sensors[1].family = .robo(example.manner) }
    ).expectInvariants()
    let room = try #require(run.outcome(2))
    #expect(room.outcome == example.outcome)
    #expect(room.reason?.code == example.reason)
    #expect(room.attempts == example.attempts)
    for healthy in [1, 3] { #expect(run.outcome(healthy)?.outcome == .provisioned) }
  }

  @Test("an interrupted room whose save may have arrived is never reported as unchanged", arguments: 0...12)
  func interruptedSave(step: Int) async throws {
    let rooms = [Sample.room(1, address: 1)]
    let run = try await rehearse(
      [[]], rooms: rooms, scenario: { $0.sensors[0].family = .robo(.lingers(.seconds(9))) },
      during: { backstage, event in
        if case .saveSubmitted = event.fact { backstage.after(.seconds(step), backstage.interrupt) }
      }
    ).expectInvariants()
    #expect([.unconfirmed, .provisioned].contains(run.outcome(1)?.outcome))
  }

  // MARK: Foreign devices

  @Test(
    "a foreign beacon with a room's minor blocks the room before its write, but not after it"
  )
  func lateBeacon() async throws {
    let run = try await rehearse(
      [[.init(.slow)], [], []], rooms: Array(Self.rooms.prefix(2)),
      scenario: {
        $0.sensors[2].family = .robo(.isBeacon(minor: 2))
        $0.sensors[2].appearsAfter = .seconds(8)
        $0.sensors[1].appearsAfter = .seconds(12)
      }, request: { $0.parallel = 1 }
    ).expectInvariants()
    #expect(run.outcome(1)?.outcome == .provisioned)
    #expect(run.outcome(2)?.outcome == .actionRequired)
    #expect(run.outcome(2)?.reason?.code == .identityOnAir)
    #expect(run.outcome(2)?.reason?.addresses == [Sample.address(3)])
    #expect(!run.writes.contains { $0.address == Sample.address(2) })
  }

  @Test("a beacon of another room's own sensor proves nothing")
  func anotherRoomsSensor() async throws {
    let run = try await rehearse(
      [[.init(.neverReturns)], []], rooms: Array(Self.rooms.prefix(2)),
      scenario: {
        $0.sensors[1].family = .robo(.isBeacon(minor: 1))
        $0.sensors[1].appearsAfter = .seconds(18)
      })
    #expect(run.outcome(1)?.outcome == .unconfirmed)
    #expect(run.outcome(2)?.outcome == .actionRequired)
    #expect(run.outcome(2)?.reason?.code == .configuredOtherwise)
  }

  @Test("a sensor that another person configures meanwhile is not connected to", arguments: [UInt16(2), 9])
  func configuredElsewhere(minor: UInt16) async throws {
    let rooms = Array(Self.rooms.prefix(2))
    let run = try await rehearse(
      [[.init(.slow)], []], rooms: rooms,
      scenario: {
        // Not received in either state until the first room is done.
        $0.sensors[1].family = .robo(.isBeacon(minor: minor))
        $0.sensors[1].appearsAfter = .seconds(12)
      }
    ).expectInvariants()
    #expect(run.outcome(2)?.attempts == 0)
    #expect(run.outcome(2)?.outcome == .actionRequired)
    #expect(run.outcome(2)?.reason?.code == (minor == 2 ? .settingsUnknown : .configuredOtherwise))
  }

  // MARK: Secrets

  @Test(
    "no secret that a sensor repeats is recorded, for any room of the building",
    arguments: [
      "error:cannot join with pa\"ss\\word 2", "error:cannot join with zweites Wort",
      // As much as fits into a packet.
      "error:cannot join with pa\"ss\\wo", "pa\"ss\\word 2", "error:open sesame, pa\"ss\\word 2!",
    ])
  func echoes(text: String) async throws {
    var rooms = [Sample.room(1, address: 1), Sample.room(2, address: 2)]
    rooms[0].settings[.wifiPassword] = .secret(Secret("pa\"ss\\word 2"))
    rooms[1].settings[.wifiPassword] = .secret(Secret("zweites Wort"))
    for manner in [Manner.saysOnSubscribing(text), .says(text, afterWrite: 2), .saysOnSave(text)] {
      try await rehearse(
        [[], []], rooms: rooms, scenario: { $0.sensors[0].family = .robo(manner) }
      ).expectInvariants()
    }
  }
}
