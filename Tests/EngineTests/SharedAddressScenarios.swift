import Bluetooth
import Engine
import Model
import SampleFacts
import Testing
import VirtualBuilding

/// Two devices that send with one address, or a device that is changed after its proof, in virtual time.
@Suite("an address that sends something else after the proof") struct SharedAddressScenarios {
  private static let device = Sample.address(1)
  /// A sensor of another room. It is received later, and returns from its save with the address of the first one.
  private static let other = SensorScenario(
    address: Sample.address(2), appearsAfter: .seconds(20), faults: [.init(.returnsFrom(device))])
  private static let otherRoom = Sample.room(2, address: 2)

  /// The outcomes of room 1 in a run, in order.
  private func outcomes(_ run: Rehearsed) -> [Outcome] {
    run.events.compactMap {
      guard case .roomFinished(let fact) = $0.fact, fact.room == "room-1" else { return nil }
      return fact.outcome
    }
  }

  /// What was received, by the reason.
  private func minors(_ finished: RoomFinished) -> [UInt16?]? {
    finished.reason?.sightings?.map { $0.identity?.minor }
  }

  private func run(
    _ room: Room, _ sensor: SensorScenario,
    _ body: @escaping @Sendable (Rehearsed, inout Succession) async throws -> Void
  ) async throws {
    let rooms = [room, Self.otherRoom]
    try await succession([sensor, Self.other]) { succession in
      let run = await succession.run(rooms).expectInvariants(shared: [Self.device])
      try await body(run, &succession)
    }
  }

  @Test("a second device takes the proof of a Robo Sensor back, and the room is done again once it is gone")
  func roboSensor() async throws {
    let room = Sample.room(1, address: 1)
    try await run(room, SensorScenario(address: Self.device)) { run, succession in
      #expect(outcomes(run) == [.provisioned, .unconfirmed])
      let finished = try #require(run.outcome(1))
      #expect(minors(finished) == [1, 2])
      #expect(finished.settings.allSatisfy { $0.state == .acknowledged })
      #expect(run.result.outcome == .incomplete)
      #expect(succession.lastKnown.rooms[room.id]?.status.kind == .unconfirmed)
      // The other sensor is reset, and sends with its own address.
      await succession.world.setFaults([], of: Sample.address(2))
      await succession.world.pressButton(Sample.address(2))
      let later = await succession.run([room, Self.otherRoom]).expectInvariants()
      #expect(later.outcome(1)?.outcome == .alreadyProvisioned)
      #expect(succession.lastKnown.rooms[room.id]?.status.kind == .done)
    }
  }

  @Test(
    "a sensor whose button is pressed after its proof is not done, and the next run provisions it",
    arguments: [2, 3])
  func waitsAgain(seconds: Int) async throws {
    let rooms = [Sample.room(1, address: 1), Self.otherRoom]
    // The run waits for the second sensor.
    let late = SensorScenario(address: Sample.address(2), appearsAfter: .seconds(20))
    try await succession([SensorScenario(address: Self.device), late]) { succession in
      let run = await succession.run(rooms) { backstage, event in
        guard case .roomFinished(let fact) = event.fact, fact.room == rooms[0].id, fact.outcome.isSuccess
        else { return }
        backstage.after(.seconds(seconds)) { await backstage.world.pressButton(Self.device) }
      }.expectInvariants(handled: [Self.device])
      #expect(outcomes(run) == [.provisioned, .unconfirmed])
      let finished = try #require(run.outcome(1))
      #expect(minors(finished) == [1, nil])
      #expect(run.result.outcome == .incomplete)
      #expect(succession.lastKnown.rooms[rooms[0].id]?.status.kind == .unconfirmed)
      #expect(run.outcome(2)?.outcome == .provisioned)
      let later = await succession.run(rooms).expectInvariants()
      #expect(later.outcome(1)?.outcome == .provisioned)
      #expect(later.result.outcome == .complete)
    }
  }

  @Test("a second device takes the proof of a beacon back, which can be rewritten at any time")
  func beacon() async throws {
    let room = Sample.beaconRoom(1, address: 1)
    try await run(room, Sample.beaconDevice(1)) { run, succession in
      #expect(outcomes(run) == [.provisioned, .unconfirmed])
      #expect(run.outcome(1)?.reason?.code == .contradictorySightings)
      #expect(succession.lastKnown.rooms[room.id]?.status.kind == .unconfirmed)
      // It is received before anything is written.
      let later = await succession.run([room, Self.otherRoom])
      #expect(later.outcome(1)?.outcome == .ambiguous)
      #expect(later.writes.allSatisfy { $0.address != Self.device })
    }
  }

  @Test("a Firefly sends no identity, so nothing on air contradicts it")
  func firefly() async throws {
    try await run(
      Sample.fireflyRoom(1, address: 1), SensorScenario(address: Self.device, family: .firefly)
    ) { run, _ in
      #expect(outcomes(run) == [.provisioned])
      #expect(run.outcome(1)?.evidence?.grade == .selfDisconnect)
    }
  }
}
