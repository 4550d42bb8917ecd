import Bluetooth
import Engine
import Journal
import Model
import SampleFacts
import Testing
import VirtualBuilding

/// A beacon shows an identity, not a password. A sensor that held the room's minor before proves with its
/// beacon nothing about what was written since.
@Suite("what a beacon shows of a change that the sensor may not have kept") struct EvidenceScenarios {
  private static let sensor = Sample.address(1)
  private static let text = "flash write failed"

  private static func room(_ password: String) -> Room {
    var room = Sample.room(1, address: 1)
    room.settings[.wifiPassword] = .secret(Secret(password))
    return room
  }

  /// How the sensor answers the save that it does not keep.
  enum Variant: CaseIterable {
    case statusError
    case linkLost
    case attError
    case killed

    var answer: Fault.SaveAnswer {
      switch self {
      case .statusError: .error(EvidenceScenarios.text)
      case .attError: .attError(0x80)
      case .linkLost, .killed: .silence
      }
    }
  }

  private func state(_ succession: Succession) -> LastKnownRoom? { succession.lastKnown.rooms["room-1"] }

  /// Provisions the room with password A, then writes password B to the sensor, which keeps A.
  /// - Returns: the run that heard its beacon.
  private func change(
    _ succession: inout Succession, _ variant: Variant, wifiOnly: Bool = false
  ) async throws -> Rehearsed {
    let (before, after) = (Self.room("correct horse"), Self.room("other horse"))
    let first = await succession.run([before])
    #expect(first.outcome(1)?.outcome == .provisioned)
    await succession.world.setFaults([.saveNotKept(variant.answer, wifiOnly: wifiOnly)], of: Self.sensor)
    await succession.world.pressButton(Self.sensor)
    if variant == .killed {
      let save = first.events.first { if case .saveSubmitted = $0.fact { true } else { false } }
      var event = try #require(save).sequence
      // The number of events before the save varies a little from run to run.
      while await !succession.runUntilKilled([after], event: event) || state(succession)?.lastWrite == nil {
        event += 1
        try #require(event < 60)
        await succession.world.pressButton(Self.sensor)
      }
    }
    let run = await succession.run([after])
    // The stack remembers what a killed run was connected to.
    if variant != .killed { run.expectInvariants([after]) }
    #expect(
      await succession.world.flash(of: Self.sensor)?.password == "correct horse", "the sensor kept nothing")
    return run
  }

  @Test("a changed password that the sensor did not keep is never a success", arguments: Variant.allCases)
  func passwordNotKept(_ variant: Variant) async throws {
    try await succession([SensorScenario(address: Self.sensor)]) { succession in
      let run = try await change(&succession, variant)
      let room = try #require(run.outcome(1))
      switch variant {
      case .statusError:
        #expect(room.outcome == .failed)
        #expect(room.reason == .refused(stage: .save, deviceText: "error:" + Self.text))
      case .linkLost, .attError, .killed:
        #expect(room.outcome == .unconfirmed)
        #expect(room.reason?.code == .beaconAsBefore)
        #expect(room.reason?.identity?.minor == 1)
        #expect(state(succession)?.status.kind == .unconfirmed)
      }
      #expect(!room.settings.contains { $0.state == .acknowledged || $0.state == .proved })
      #expect(state(succession)?.status.kind != .done)
      // Nothing changes by running again: the same beacon is still no evidence.
      let again = await succession.run([Self.room("other horse")])
      #expect(again.outcome(1)?.outcome.isSuccess == false)
      #expect(again.writes.isEmpty)
      #expect(state(succession)?.status.kind != .done)
    }
  }

  @Test("an operator who puts the sensor into provisioning mode again settles it")
  func writtenAgain() async throws {
    try await succession([SensorScenario(address: Self.sensor)]) { succession in
      _ = try await change(&succession, .linkLost)
      await succession.world.setFaults([], of: Self.sensor)
      await succession.world.pressButton(Self.sensor)
      let rooms = [Self.room("other horse")]
      let run = await succession.run(rooms).expectInvariants()
      #expect(run.outcome(1)?.outcome == .provisioned)
      #expect(
        run.outcome(1)?.settings.map(\.state) == [.acknowledged, .acknowledged, .acknowledged, .proved])
      #expect(state(succession)?.status.kind == .done)
    }
  }

  @Test("a new minor shows that the save was kept, and nothing of the password", arguments: [true, false])
  func newIdentity(wifiOnly: Bool) async throws {
    let fault =
      wifiOnly ? Fault.saveNotKept(.silence, wifiOnly: true) : .restartsBeforeConfirming(saved: true)
    try await succession([SensorScenario(address: Self.sensor, faults: [.init(fault)])]) { succession in
      let rooms = [Self.room("correct horse")]
      let run = await succession.run(rooms).expectInvariants()
      #expect(run.outcome(1)?.outcome == .provisioned)
      #expect(run.outcome(1)?.evidence?.grade == .freshBeaconUnacknowledged)
      #expect(run.outcome(1)?.settings.map(\.state) == [.written, .written, .written, .proved])
    }
  }

  @Test("a changed WiFi alone that was not kept is not shown by the minor, which is as before")
  func wifiOnly() async throws {
    try await succession([SensorScenario(address: Self.sensor)]) { succession in
      let run = try await change(&succession, .linkLost, wifiOnly: true)
      #expect(run.outcome(1)?.outcome == .unconfirmed)
      #expect(run.outcome(1)?.reason?.code == .beaconAsBefore)
    }
  }

  @Test("a sighting of this run counts as well as the record: the sensor had the minor before")
  func receivedBefore() async throws {
    // Work on another room gives the operator the time to press the button.
    let rooms = [Self.room("correct horse"), Sample.room(2, address: 2)]
    let other = SensorScenario(address: Sample.address(2), faults: [.init(.neverAnswers)])
    let sensor = SensorScenario(
      address: Self.sensor,
      holds: ["minor": "1", "room_name": "Room 1", "wifi_ssid": "Plant", "wifi_password": "old horse"],
      faults: [.init(.saveNotKept(.silence))])
    try await succession([sensor, other]) { succession in
      let run = await succession.run(rooms) { backstage, event in
        if case .operatorAwaited = event.fact { await backstage.world.pressButton(Self.sensor) }
      }
      #expect(run.outcome(1)?.outcome == .unconfirmed)
      #expect(run.outcome(1)?.reason?.code == .beaconAsBefore)
    }
  }

  @Test("a sensor at work of which nothing is on record is not done: its minor shows nothing of its password")
  func nothingOnRecord() async throws {
    let rooms = [Self.room("other horse")]
    try await succession([SensorScenario(address: Self.sensor)]) { succession in
      _ = await succession.run([Self.room("correct horse")])
      succession.forgetEverything()
      let run = await succession.run(rooms).expectInvariants()
      #expect(run.outcome(1)?.outcome == .actionRequired)
      #expect(run.outcome(1)?.reason?.code == .settingsUnknown)
      #expect(state(succession)?.status.kind == .actionRequired)
    }
  }

  @Test("an acknowledged save is done as soon as its beacon is received, also in a later run")
  func acknowledgedThenReceived() async throws {
    try await succession([SensorScenario(address: Self.sensor)]) { succession in
      _ = await succession.run([Self.room("correct horse")])
      let rooms = [Self.room("other horse")]
      await succession.world.pressButton(Self.sensor)
      let run = await succession.run(rooms) { backstage, event in
        if case .statusReceived(let fact) = event.fact, fact.meaning == .saved { backstage.interrupt() }
      }
      #expect(run.outcome(1)?.outcome == .provisioned || state(succession)?.lastWrite?.state == .acknowledged)
      let later = await succession.run(rooms)
      #expect(later.outcome(1)?.outcome == .alreadyProvisioned)
      #expect(state(succession)?.status.kind == .done)
    }
  }

  @Test("an acknowledged save without a beacon is done by a later beacon only, never by the record")
  func acknowledgedWithoutBeacon() async throws {
    let rooms = [Self.room("correct horse")]
    try await succession([SensorScenario(address: Self.sensor), SensorScenario(address: Sample.address(9))]) {
      succession in
      let run = await succession.run(rooms) { backstage, event in
        if case .statusReceived(let fact) = event.fact, fact.meaning == .saved {
          await backstage.world.setMuted(true, Self.sensor)
        }
      }
      #expect(run.outcome(1)?.outcome == .unconfirmed)
      #expect(run.outcome(1)?.reason?.code == .notReceivedAfterSave)
      #expect(run.outcome(1)?.settings.allSatisfy { $0.state == .acknowledged } == true)
      let silent = await succession.run(rooms)
      #expect(silent.outcome(1)?.outcome == .unconfirmed)
      #expect(state(succession)?.status.kind == .unconfirmed)
      await succession.world.setMuted(false, Self.sensor)
      let later = await succession.run(rooms).expectInvariants()
      #expect(later.outcome(1)?.outcome == .alreadyProvisioned)
      #expect(later.outcome(1)?.evidence?.grade == .beaconOnAir)
      #expect(
        later.outcome(1)?.settings.map(\.state) == [.acknowledged, .acknowledged, .acknowledged, .proved])
      #expect(state(succession)?.status.kind == .done)
    }
  }

  @Test("a refusal stays the room's reason, whatever follows", arguments: [true, false])
  func refusalStays(isReceived: Bool) async throws {
    let fault = Fault.refusesForStranger("no", Sample.address(90))
    try await succession([SensorScenario(address: Self.sensor, faults: [.init(fault)])]) { succession in
      var room = Self.room("correct horse")
      room.proofAddress = .any
      let run = await succession.run([room]) { [isReceived] backstage, event in
        guard case .saveSubmitted = event.fact, !isReceived else { return }
        backstage.after(.seconds(2)) { await backstage.world.setMuted(true, Self.sensor) }
      }.expectInvariants()
      #expect(run.outcome(1)?.outcome == .failed)
      #expect(run.outcome(1)?.reason == .refused(stage: .save, deviceText: "error:no"))
    }
  }
}
