import Bluetooth
import Engine
import Model
import SampleFacts
import Testing
import VirtualBuilding

/// The device of a registered room was configured elsewhere: runs receive it, and never write it.
@Suite("registered rooms") struct RegisteredRoomScenarios {
  private static func room(_ number: Int, address: UInt64? = nil) -> Room {
    Sample.beaconRoom(number, address: address, power: nil, interval: nil, registered: true)
  }

  private static func plain(
    _ number: UInt64, minor: UInt16? = nil, every interval: Duration? = nil, after: Duration = .zero
  ) -> SensorScenario {
    SensorScenario(
      address: Sample.address(number),
      family: .plainBeacon(minor: minor ?? UInt16(number), every: interval), appearsAfter: after)
  }

  /// No write and no connection.
  private func expectUntouched(_ run: Rehearsed, _ location: SourceLocation = #_sourceLocation) {
    #expect(run.writes.isEmpty && run.connected.isEmpty, sourceLocation: location)
  }

  /// The device is one of a built-in family, or one of another make.
  @Test("a registered room is done when its identity is received", arguments: [true, false], [true, false])
  func received(isOurFamily: Bool, hasAddress: Bool) async throws {
    let room = Self.room(1, address: hasAddress ? 1 : nil)
    let device =
      isOurFamily ? Sample.beaconDevice(1, holds: Sample.done(room)) : Self.plain(1)
    try await succession([device]) { succession in
      let run = await succession.run([room]).expectInvariants()
      expectUntouched(run)
      let finished = try #require(run.outcome(1))
      #expect(finished.outcome == .alreadyProvisioned && finished.attempts == 0)
      #expect(finished.evidence?.grade == .beaconOnAir && finished.address == Sample.address(1))
      #expect(finished.settings.map(\.name) == [.uuid, .major, .minor])
      #expect(finished.settings.allSatisfy { $0.state == .proved })
      #expect(run.endedAt.sinceZero < .seconds(20))
    }
  }

  @Test("a registered room is unreachable when its identity is not received", arguments: [true, false])
  func silent(hasAddress: Bool) async throws {
    let room = Self.room(1, address: hasAddress ? 1 : nil)
    try await succession([Self.plain(1, minor: 2)].filter { _ in !hasAddress }) { succession in
      let run = await succession.run([room]).expectInvariants()
      expectUntouched(run)
      #expect(run.outcome(1)?.outcome == .unreachable)
      // Without an address another beacon is on air, so that the adapter is not deaf.
      #expect(run.outcome(1)?.reason?.code == (hasAddress ? .adapterDeaf : .neverReceived))
      #expect(run.outcome(1)?.settings.allSatisfy { $0.state == .notWritten } == true)
    }
  }

  @Test("a registered room is done when its identity is received late", arguments: [12, 20, 24])
  func late(seconds: Int) async throws {
    try await succession([Self.plain(1, after: .seconds(seconds))]) { succession in
      let run = await succession.run([Self.room(1)]).expectInvariants()
      #expect(run.outcome(1)?.outcome == .alreadyProvisioned)
    }
  }

  @Test("a watching run waits for the device of a registered room")
  func watched() async throws {
    try await succession([Self.plain(1, after: .seconds(200)), Self.plain(2)]) { succession in
      let run = await succession.run([Self.room(1)], isWatching: true).expectInvariants()
      #expect(run.outcome(1)?.outcome == .alreadyProvisioned)
    }
  }

  @Test("a registered room is done at once when its identity is received during work on other rooms")
  func meanwhile() async throws {
    let rooms = [Self.room(1)] + (2...5).map { Sample.room($0, address: UInt64($0)) }
    // The last of them takes two attempts.
    let others = (2...5).map { number in
      SensorScenario(
        address: Sample.address(UInt64(number)),
        faults: number == 5 ? [ScheduledFault(.drops(in: .write(2)), attempts: 1)] : [])
    }
    try await succession([Self.plain(1, after: .seconds(12))] + others) { succession in
      let run = await succession.run(rooms).expectInvariants()
      #expect(run.result.outcome == .complete)
      let finished = run.facts { if case .roomFinished(let fact) = $0 { fact.room } else { nil } }.map(\.1)
      #expect(finished.last == "room-5")
    }
  }

  @Test("a registered room is done though its device advertises rarely", arguments: [10, 14])
  func rare(seconds: Int) async throws {
    try await succession([Self.plain(1, every: .seconds(seconds))]) { succession in
      try? await succession.clock.sleep(for: .seconds(3))
      let run = await succession.run([Self.room(1)]).expectInvariants()
      #expect(run.outcome(1)?.outcome == .alreadyProvisioned)
    }
  }

  @Test("a registered room waits for its search timeout for a device that advertises very rarely")
  func searchTimeout() async throws {
    var room = Self.room(1)
    room.timeouts.search = .seconds(70)
    try await succession([Self.plain(1, every: .seconds(60), after: .milliseconds(1))]) { [room] succession in
      let run = await succession.run([room]).expectInvariants()
      #expect(run.outcome(1)?.outcome == .alreadyProvisioned)
    }
  }

  @Test(
    "a registered room requires action when its identity comes from another address",
    arguments: [true, false])
  func wrongAddress(isReceivedToo: Bool) async throws {
    let own = Self.plain(2, minor: 9)
    try await succession([Self.plain(1)] + (isReceivedToo ? [own] : [])) { succession in
      let run = await succession.run([Self.room(1, address: 2)])
      expectUntouched(run)
      #expect(run.outcome(1)?.outcome == .actionRequired)
      #expect(run.outcome(1)?.reason?.code == .identityOnAir)
      #expect(run.outcome(1)?.reason?.addresses == [Sample.address(1)])
    }
  }

  @Test("a registered room requires action when its device has another identity")
  func otherIdentity() async throws {
    try await succession([Sample.beaconDevice(1, holds: Sample.foreign)]) { succession in
      let room = Self.room(1, address: 1)
      let run = await succession.run([room]).expectInvariants()
      expectUntouched(run)
      #expect(run.outcome(1)?.outcome == .actionRequired)
      #expect(run.outcome(1)?.reason?.code == .configuredOtherwise)
      #expect(run.outcome(1)?.reason?.identity?.minor == 4660)
    }
  }

  @Test("a registered room is ambiguous when two devices have its identity")
  func twice() async throws {
    try await succession([Self.plain(1), Self.plain(2, minor: 1)]) { succession in
      let run = await succession.run([Self.room(1)])
      expectUntouched(run)
      #expect(run.outcome(1)?.outcome == .ambiguous)
      #expect(run.outcome(1)?.reason?.addresses == [Sample.address(1), Sample.address(2)])
    }
  }

  @Test("a registered device is never written, even in provisioning mode", arguments: [true, false])
  func neverWritten(before: Bool) async throws {
    var robo = Sample.room(1, address: 1)
    robo.isRegistered = true
    let rooms = [robo, Sample.room(2, address: 2)]
    // Two Robo Sensors; the first one has a minor that is not its room's.
    let first = SensorScenario(address: Sample.address(1), holds: ["minor": "9"])
    try await succession([first, SensorScenario(address: Sample.address(2))]) { succession in
      if before { await succession.world.pressButton(Sample.address(1)) }
      let run = await succession.run(rooms) { backstage, event in
        if !before, case .attemptStarted = event.fact {
          await backstage.world.pressButton(Sample.address(1))
        }
      }.expectInvariants()
      #expect(run.connected.keys.sorted() == [Sample.address(2)])
      #expect(run.outcome(1)?.outcome.isSuccess == false)
      #expect(run.outcome(2)?.outcome == .provisioned)
    }
  }

  @Test("a run keeps the link that another program has to a registered device")
  func connectedElsewhere() async throws {
    let rooms = [Self.room(1, address: 1), Sample.beaconRoom(2, address: 2)]
    let devices = [Sample.beaconDevice(1, holds: Sample.done(rooms[0])), Sample.beaconDevice(2)]
    try await succession(devices) { succession in
      let (world, adapter) = (succession.world, adapters[0].address)
      try await world.startDiscovery(on: adapter)
      try await succession.clock.sleep(for: .seconds(2))
      await world.stopDiscovery(on: adapter)
      let link = try await world.connect(to: Sample.address(1), on: adapter)
      let run = await succession.run(rooms)
      #expect(await world.openLinkCount() == 1)
      #expect(run.outcome(1)?.outcome == .unreachable)
      #expect(run.outcome(2)?.outcome == .provisioned)
      await world.disconnect(link)
      let next = await succession.run(rooms)
      #expect(next.result.outcome == .complete)
    }
  }

  @Test("a registered room must be received in each run: an earlier sighting does not make it done")
  func again() async throws {
    for room in [Self.room(1), Self.room(1, address: 1)] {
      try await succession([Self.plain(1)]) { succession in
        #expect(await succession.run([room]).outcome(1)?.outcome == .alreadyProvisioned)
        await succession.world.setMuted(true, Sample.address(1))
        let second = await succession.run([room])
        #expect(second.outcome(1)?.outcome == .unreachable)
        await succession.world.setMuted(false, Sample.address(1))
        let third = await succession.run([room])
        #expect(third.outcome(1)?.outcome == .alreadyProvisioned && third.outcome(1)?.evidence?.run == nil)
      }
    }
  }

  @Test("a registered room may get other hardware or another identity without a permission")
  func replaced() async throws {
    try await succession([Self.plain(1), Self.plain(2, minor: 1), Self.plain(3)]) { succession in
      await succession.world.setMuted(true, Sample.address(2))
      #expect(await succession.run([Self.room(1)]).outcome(1)?.address == Sample.address(1))
      await succession.world.setMuted(true, Sample.address(1))
      await succession.world.setMuted(false, Sample.address(2))
      #expect(await succession.run([Self.room(1)]).outcome(1)?.address == Sample.address(2))
      // The manifest was corrected. Nothing is written, so no permission is necessary.
      var corrected = Self.room(1)
      corrected.settings[.minor] = .integer(3)
      #expect(conflicts(of: [corrected], with: succession.lastKnown, allowing: .init()).isEmpty)
      let run = await succession.run([corrected])
      #expect(run.outcome(1)?.outcome == .alreadyProvisioned)
      #expect(run.outcome(1)?.address == Sample.address(3))
    }
  }

  @Test("registered rooms of all families get only their own device")
  func mixed() async throws {
    let rooms = [
      Self.room(1), Sample.beaconRoom(2, address: 2), Sample.room(3, address: 3), Self.room(4, address: 4),
    ]
    try await succession([
      Self.plain(1), Sample.beaconDevice(2), SensorScenario(address: Sample.address(3)),
      Sample.beaconDevice(4, holds: Sample.done(Self.room(4))), Sample.beaconDevice(5),
    ]) { succession in
      let run = await succession.run(rooms).expectInvariants()
      #expect(
        run.result.rooms.map(\.outcome) == [
          .alreadyProvisioned, .provisioned, .provisioned, .alreadyProvisioned,
        ])
      #expect(run.connected.keys.sorted() == [Sample.address(2), Sample.address(3)])
      let next = await succession.run(rooms)
      #expect(next.result.rooms.allSatisfy { $0.outcome == .alreadyProvisioned })
      expectUntouched(next)
    }
  }

  @Test(
    "a registered room is planned as awaited until it is received, and the plan is valid in both cases",
    arguments: [true, false])
  func planned(isReceived: Bool) async throws {
    let rooms = [Self.room(1), Self.room(2, address: 2)]
    try await succession([Self.plain(1), Self.plain(2)]) { succession in
      for number in [1, 2] as [UInt64] {
        await succession.world.setMuted(!isReceived, Sample.address(number))
      }
      let plan = try await succession.plan(rooms)
      #expect(plan.rooms.map(\.action) == Array(repeating: isReceived ? .done : .await, count: 2))
      #expect(plan.rooms.map(\.registered) == [true, true])
      #expect(plan.rooms.map(\.received) == [isReceived, isReceived])
      for number in [1, 2] as [UInt64] { await succession.world.setMuted(isReceived, Sample.address(number)) }
      #expect(plan.differences(from: try await succession.plan(rooms)) == [])
    }
  }
}
