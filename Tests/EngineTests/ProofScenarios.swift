import Bluetooth
import Model
import SampleFacts
import Testing
import VirtualBuilding

/// All Robo Sensors share uuid and major. A beacon with the room's minor from another address than the one
/// written may come from the sensor or from another device: nothing on air distinguishes them.
@Suite("beacons with the room's minor from another address") struct ProofScenarios {
  static let stranger = Sample.address(90)
  static let refusal = "error:no"

  /// The sensor's behaviour at `SAVE`; afterwards the foreign device sends the room's minor.
  enum Sensor: CaseIterable {
    case saves
    case refuses

    var fault: ScheduledFault {
      switch self {
      case .saves: ScheduledFault(.returnsFrom(ProofScenarios.stranger))
      case .refuses: ScheduledFault(.refusesForStranger("no", ProofScenarios.stranger))
      }
    }
  }

  private static func room(_ proof: ProofAddress, _ number: Int = 1) -> Room {
    var room = Sample.room(number, address: UInt64(number))
    room.proofAddress = proof
    return room
  }

  private static func sensor(_ faults: ScheduledFault...) -> SensorScenario {
    SensorScenario(address: Sample.address(1), faults: faults)
  }

  /// A foreign device that was configured elsewhere with the minor of room 1.
  private static func beacon(_ address: BluetoothAddress, after: Duration) -> SensorScenario {
    SensorScenario(
      address: address, family: .robo(.isBeacon(minor: 1)), appearsAfter: after)
  }

  /// A beacon with another minor, so that the adapter is not deaf while the room's device is silent.
  private static let bystander = SensorScenario(
    address: Sample.address(80), family: .robo(.isBeacon(minor: 999)))

  private func expectUnconfirmed(
    _ run: Rehearsed, _ addresses: [BluetoothAddress] = [ProofScenarios.stranger]
  ) {
    let room = run.outcome(1)
    #expect(room?.outcome == .unconfirmed)
    #expect(room?.reason?.code == .receivedFromOtherAddress)
    #expect(room?.reason?.stage == .verify)
    #expect(room?.reason?.addresses == addresses)
    #expect(room?.reason?.identity?.minor == 1)
    #expect(room?.reason?.candidates?.map(\.address) == addresses)
    #expect(room?.address == Sample.address(1), "the foreign device is not the room's device")
    #expect(room?.attempts == 1)
  }

  private func expectRefused(_ run: Rehearsed) {
    #expect(run.outcome(1)?.outcome == .failed)
    #expect(run.outcome(1)?.reason == .refused(stage: .save, deviceText: Self.refusal))
  }

  // MARK: Proof by the device's own address

  @Test("a beacon from another address proves nothing by default", arguments: Sensor.allCases)
  func ownAddress(sensor: Sensor) async throws {
    let rooms = [Self.room(.own)]
    try await succession([Self.sensor(sensor.fault)]) { succession in
      let run = await succession.run(rooms).expectInvariants()
      let lastWrite = succession.lastKnown.rooms[rooms[0].id]?.lastWrite
      if sensor == .refuses {
        expectRefused(run)
        #expect(lastWrite == nil)
      } else {
        expectUnconfirmed(run)
        #expect(run.outcome(1)?.evidence?.grade == .savedStatus)
        #expect(lastWrite?.state == .acknowledged)
      }
    }
  }

  @Test(
    "a beacon from another address never makes a later run report the room as done",
    arguments: Sensor.allCases,
    [true, false])
  func laterRun(sensor: Sensor, isStrangerOnAir: Bool) async throws {
    let rooms = [Self.room(.own)]
    try await succession([Self.sensor(sensor.fault), Self.bystander]) { succession in
      _ = await succession.run(rooms)
      await succession.world.setMuted(!isStrangerOnAir, Sample.address(1))
      let later = await succession.run(rooms).expectInvariants()
      let silent: (Outcome, FailureReason.Code) =
        sensor == .refuses ? (.unreachable, .neverReceived) : (.unconfirmed, .notReceivedAfterSave)
      #expect(later.outcome(1)?.outcome == (isStrangerOnAir ? .actionRequired : silent.0))
      #expect(later.outcome(1)?.reason?.code == (isStrangerOnAir ? .identityOnAir : silent.1))
      if isStrangerOnAir { #expect(later.outcome(1)?.reason?.addresses == [Self.stranger]) }
      #expect(later.writes.isEmpty)
    }
  }

  @Test("after a refusal not even the device's own beacon is a success")
  func ownBeaconAfterRefusal() async throws {
    let rooms = [Self.room(.own)]
    let sensor = SensorScenario(
      address: Sample.address(1), family: .robo(.saysOnSave("error:flash worn out")))
    try await succession([sensor, Self.beacon(Self.stranger, after: .seconds(14))]) { succession in
      let run = await succession.run(rooms).expectInvariants()
      #expect(run.outcome(1)?.outcome == .failed)
      #expect(run.outcome(1)?.reason == .refused(stage: .save, deviceText: "error:flash worn out"))
    }
  }

  // MARK: Proof by any address

  @Test("a beacon from another address proves a sensor that may change its address, for later runs too")
  func anyAddress() async throws {
    let rooms = [Self.room(.any)]
    try await succession([Self.sensor(Sensor.saves.fault)]) { succession in
      let run = await succession.run(rooms).expectInvariants()
      #expect(run.outcome(1)?.outcome == .provisioned)
      #expect(run.outcome(1)?.evidence?.grade == .freshBeaconOtherAddress)
      #expect(run.outcome(1)?.evidence?.address == Self.stranger)
      for isReceived in [true, false] {
        await succession.world.setMuted(!isReceived, Sample.address(1))
        let later = await succession.run(rooms).expectInvariants()
        #expect(later.outcome(1)?.outcome == .alreadyProvisioned)
      }
    }
  }

  @Test(
    "a proof from another address does not count once the manifest no longer permits it",
    arguments: [true, false])
  func permissionRevoked(isReceived: Bool) async throws {
    try await succession([Self.sensor(Sensor.saves.fault), Self.bystander]) { succession in
      _ = await succession.run([Self.room(.any)])
      await succession.world.setMuted(!isReceived, Sample.address(1))
      let rooms = [Self.room(.own)]
      let later = await succession.run(rooms).expectInvariants()
      #expect(later.outcome(1)?.outcome == (isReceived ? .actionRequired : .unconfirmed))
      #expect(later.writes.isEmpty)
    }
  }

  @Test("a beacon from another address never overrules a refusal")
  func otherAfterRefusal() async throws {
    let rooms = [Self.room(.any)]
    try await succession([Self.sensor(Sensor.refuses.fault), Self.bystander]) { succession in
      let run = await succession.run(rooms).expectInvariants()
      expectRefused(run)
      await succession.world.setMuted(true, Sample.address(1))
      let later = await succession.run(rooms)
      #expect(later.outcome(1)?.outcome == .unreachable)
    }
  }

  @Test("a beacon from another address proves nothing if the save was not acknowledged")
  func otherWithoutAcknowledgement() async throws {
    let rooms = [Self.room(.any)]
    let sensor = Self.sensor(Sensor.saves.fault, .init(.restartsBeforeConfirming(saved: true)))
    try await succession([sensor, Self.bystander]) { succession in
      let run = await succession.run(rooms).expectInvariants()
      expectUnconfirmed(run)
    }
  }

  @Test("a beacon from two other addresses proves nothing")
  func twoAddresses() async throws {
    let rooms = [Self.room(.any)]
    let others = [Sample.address(91), Self.stranger]
    let sensors = [Self.sensor(.init(.neverReturns))] + others.map { Self.beacon($0, after: .seconds(14)) }
    try await succession(sensors) { succession in
      let run = await succession.run(rooms).expectInvariants()
      expectUnconfirmed(run, others.sorted())
    }
  }

  @Test(
    "a beacon from the address of another room's device proves nothing",
    arguments: [Building.Assignment.address, .any])
  func anotherRoomsDevice(assignment: Building.Assignment) async throws {
    var rooms = [Self.room(.any), Self.room(.any, 2)]
    if assignment == .any { rooms[1].address = nil }
    let other = SensorScenario(address: Sample.address(2), faults: [.init(.returnsWithMinor(1))])
    try await succession([Self.sensor(.init(.neverReturns)), other]) { [rooms] succession in
      let run = await succession.run(rooms, assignment).expectInvariants()
      #expect(run.outcome(1)?.outcome == .unconfirmed)
      #expect(run.outcome(2)?.outcome == .failed)
    }
  }

  @Test(
    "a beacon from another address proves nothing when the run stops before the timeout",
    arguments: [ProofAddress.own, .any])
  func interrupted(proof: ProofAddress) async throws {
    let rooms = [Self.room(proof)]
    try await succession([Self.sensor(Sensor.saves.fault)]) { succession in
      let run = await succession.run(rooms) { backstage, event in
        if case .saveSubmitted = event.fact { backstage.after(.seconds(5), backstage.interrupt) }
      }.expectInvariants()
      #expect(run.outcome(1)?.outcome == .unconfirmed)
      #expect(run.outcome(1)?.reason?.code == .interrupted)
      #expect(run.outcome(1)?.reason?.addresses == [Self.stranger])
    }
  }

  // MARK: Record

  @Test("a proof from another address in an old record leaves the save acknowledged only")
  func olderRecord() async throws {
    let rooms = [Self.room(.own)]
    try await succession([Self.sensor(Sensor.saves.fault)]) { succession in
      _ = await succession.run([Self.room(.any)])
      succession.changeRecord { fact in
        guard case .runStarted(var started) = fact else { return fact }
        for index in started.rooms.indices { started.rooms[index].proof = nil }
        return .runStarted(started)
      }
      #expect(succession.lastKnown.rooms[rooms[0].id]?.lastWrite?.state == .acknowledged)
      #expect(succession.lastKnown.rooms[rooms[0].id]?.status.kind == .unconfirmed)
    }
  }
}
