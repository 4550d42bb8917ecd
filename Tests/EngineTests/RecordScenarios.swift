import Bluetooth
import Engine
import Journal
import Model
import Simulation
import Testing
import VirtualBuilding
import VirtualTime

/// Runs in a building with a record of earlier runs.
@Suite("runs with an earlier record") struct RecordScenarios {
  private func building(
    _ assignment: Building.Assignment = .address,
    _ body: @escaping @Sendable (inout Installation) async -> Void
  ) async throws {
    try await VirtualPremises.use(Installation.Furniture.roboSensors.scenario(1)) { premises in
      var site = await Installation(premises, chance: SeededGenerator(seed: 1), assignment: assignment)
      await body(&site)
    }
  }

  @Test("a run continues when a sensor with old settings is put into provisioning mode meanwhile")
  func button() async throws {
    try await building { site in
      let first = await site.run(0, only: ["room-1"])
      #expect(first?.rooms.map(\.outcome) == [.provisioned])
      site.changePassword()
      let world = site.world
      let second = await site.run(0, pressed: [Sample.address(1)]) { event in
        // A person presses the button while another room is in progress.
        if case .attemptStarted(let fact) = event.fact, fact.room == "room-2" {
          await world.pressButton(Sample.address(1))
        }
      }
      #expect(second?.rooms.map(\.outcome) == [.provisioned, .provisioned, .provisioned])
    }
  }

  @Test("a sensor with old settings that is not put into provisioning mode requires action")
  func noButton() async throws {
    try await building { site in
      _ = await site.run(0, only: ["room-1"])
      site.changePassword()
      let second = await site.run(0)
      #expect(second?.rooms.map(\.outcome) == [.actionRequired, .provisioned, .provisioned])
      #expect(second?.rooms.first?.reason?.code == .settingsChanged)
      #expect(second?.outcome == .incomplete)
    }
  }

  @Test("a laptop without the record asks for it: a beacon does not show what another laptop wrote")
  func alreadyConfigured() async throws {
    try await building { site in
      _ = await site.run(0)
      // Another laptop, without the record of the first one.
      let alone = await site.run(1)
      #expect(alone?.rooms.map(\.reason?.code) == [.settingsUnknown, .settingsUnknown, .settingsUnknown])
      site.merge()
      let other = await site.run(1)
      #expect(other?.rooms.allSatisfy { $0.outcome == .alreadyProvisioned } == true)
      let bound = site.archive(1).lastKnown.rooms.mapValues { $0.bindings.map(\.address) }
      #expect(
        bound == [
          "room-1": [Sample.address(1)], "room-2": [Sample.address(2)], "room-3": [Sample.address(3)],
        ])
    }
  }

  @Test("a run releases links that an earlier run left, even if the room is to get another device now")
  func leftLink() async throws {
    let devices = [1, 2].map { SensorScenario(address: Sample.address($0)) }
    let (before, room) = (Sample.room(1, address: 1), Sample.room(1, address: 2))
    try await succession(devices) { succession in
      // The process is killed while the link is up, before it knows the services.
      var event = 0
      repeat {
        event += 1
        #expect(await succession.runUntilKilled([before], event: event))
      } while await succession.world.openLinkCount() == 0 && event < 30
      #expect(await succession.world.openLinkCount() == 1)
      let run = await succession.run([room], allowing: .init(rebind: [room.id])).expectInvariants()
      #expect(run.outcome(1)?.outcome == .provisioned)
      let released = run.facts { if case .linkReleased(let fact) = $0 { fact.address } else { nil } }
      #expect(released.map(\.1) == [Sample.address(1)])
    }
  }

  @Test("a second run writes nothing")
  func twice() async throws {
    for assignment in [Building.Assignment.address, .any] {
      try await building(assignment) { site in
        let first = await site.run(0)
        #expect(first?.outcome == .complete)
        let writes = await site.world.writes.count
        let second = await site.run(0)
        #expect(second?.rooms.allSatisfy { $0.outcome == .alreadyProvisioned } == true)
        #expect(await site.world.writes.count == writes)
      }
    }
  }
}
