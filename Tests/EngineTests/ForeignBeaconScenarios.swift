import Bluetooth
import Families
import Model
import Testing
import VirtualBuilding

/// A beacon can always be connected to, even one of another building.
@Suite("beacons of other rooms") struct ForeignBeaconScenarios {
  static let room = Sample.beaconRoom(1, address: 1)
  static let other = Sample.beaconRoom(2)
  static let shownForeign = "uuid 0D1E2F30-1111-2222-3333-444455556666, major 7, minor 4660"

  /// Settings of another site, of another room of this site, or nearly correct ones.
  static let strangers: [[String: String]] = [
    Sample.foreign, Sample.done(other), Sample.done(room).merging(["major": "259"]) { $1 },
    Sample.done(room).merging(["uuid": "4D6F6F72-0000-4C61-6D70-000000000009"]) { $1 },
  ]

  @Test("a beacon with foreign settings on air is refused without a connection", arguments: strangers.indices)
  func byAir(index: Int) async throws {
    let held = Self.strangers[index]
    try await succession([Sample.beaconDevice(1, holds: held)]) { succession in
      let run = await succession.run([Self.room]).expectInvariants()
      Self.expectRefused(run, held)
      #expect(run.connected.isEmpty)
      // It is not bound either.
      #expect(succession.lastKnown.rooms[Self.room.id]?.lastWrite == nil)
    }
  }

  @Test("a beacon with foreign settings that only a read shows is refused", arguments: strangers.indices)
  func byReading(index: Int) async throws {
    let held = Self.strangers[index]
    var device = Sample.beaconDevice(1, holds: held)
    device.family = .shyBeacon
    try await succession([device]) { succession in
      let run = await succession.run([Self.room]).expectInvariants()
      Self.expectRefused(run, held)
      #expect(run.outcome(1)?.attempts == 1, "a retry cannot succeed")
      #expect(run.outcome(1)?.reason?.stage == .read)
    }
  }

  private static func expectRefused(_ run: Rehearsed, _ held: [String: String]) {
    #expect(run.outcome(1)?.outcome == .actionRequired)
    #expect(run.outcome(1)?.reason?.code == .foreignSettings)
    let shown = ["uuid", "major", "minor"].map { "\($0) \(held[$0] ?? "")" }.joined(separator: ", ")
    #expect(run.outcome(1)?.reason?.held == shown)
    #expect(run.outcome(1)?.settings.allSatisfy { $0.state == .notWritten } == true)
    #expect(run.writes.isEmpty)
  }

  @Test(
    "a beacon with foreign settings is overwritten with a permission for its room",
    arguments: [true, false])
  func overwrite(isOurs: Bool) async throws {
    let rooms = [Self.room, Sample.beaconRoom(2, address: 2)]
    try await succession([
      Sample.beaconDevice(1, holds: Sample.foreign), Sample.beaconDevice(2, holds: Sample.foreign),
    ]) { succession in
      let run = await succession.run(rooms, allowing: .init(overwrite: [isOurs ? rooms[0].id : rooms[1].id]))
        .expectInvariants()
      let (meant, other) = isOurs ? (1, 2) : (2, 1)
      #expect(run.outcome(meant)?.outcome == .provisioned)
      #expect(run.outcome(other)?.reason?.code == .foreignSettings)
      // From then on the record has it, and no permission is necessary.
      let room = rooms[meant - 1]
      var changed = room
      changed.settings[.major] = .integer(3)
      changed.settings[.power] = .text("low")
      let next = await succession.run([changed]).expectInvariants()
      #expect(next.outcome(meant)?.outcome == .provisioned)
    }
  }

  @Test("a beacon with foreign settings is refused although another room has the permission")
  func overwriteAnother() async throws {
    let rooms = [Self.room, Sample.beaconRoom(2, address: 2)]
    let devices = ([1, 2] as [UInt64]).map { number in
      var device = Sample.beaconDevice(number, holds: Sample.foreign)
      device.family = .shyBeacon
      return device
    }
    try await succession(devices) { succession in
      let run = await succession.run(rooms, allowing: .init(overwrite: [rooms[1].id])).expectInvariants()
      #expect(run.outcome(1)?.reason?.code == .foreignSettings && run.written(1).isEmpty)
      #expect(run.outcome(2)?.outcome == .unconfirmed && run.written(2).count == 3, "it is not received")
    }
  }

  @Test("a beacon with foreign settings is planned as refused, without a connection")
  func planned() async throws {
    let rooms = [
      Self.room, Sample.beaconRoom(2, address: 2), Sample.beaconRoom(3, address: 3),
      Sample.beaconRoom(4, address: 4),
    ]
    try await succession([
      Sample.beaconDevice(1, holds: Sample.foreign), Sample.beaconDevice(2),
      Sample.beaconDevice(3, holds: Sample.done(rooms[2])), Sample.beaconDevice(4),
    ]) { succession in
      _ = await succession.run([rooms[3]])
      let plan = try await succession.plan(rooms)
      // The third has the right identity and unknown other settings, so it must be read.
      #expect(plan.rooms.map(\.action) == [.stop, .provision, .provision, .done])
      #expect(plan.rooms[0].reason?.code == .foreignSettings && plan.rooms[0].outcome == .actionRequired)
      #expect(plan.rooms[0].reason?.held == Self.shownForeign)
      for number in [1, 2, 3] as [UInt64] {
        #expect(await succession.world.attemptCount(of: Sample.address(number)) == 0)
      }
    }
  }

  @Test("a provisioned beacon that got foreign settings is refused, and no longer done on record")
  func reconfigured() async throws {
    // The first run provisions it; then a person changes its settings with an app.
    try await succession([Sample.beaconDevice(1)]) { succession in
      _ = await succession.run([Self.room])
      try await succession.premises.write(Sample.foreign, to: Sample.address(1))
      let run = await succession.run([Self.room]).expectInvariants()
      #expect(run.outcome(1)?.reason?.code == .foreignSettings)
      #expect(run.outcome(1)?.reason?.held == Self.shownForeign)
      await succession.world.setMuted(true, Sample.address(1))
      let next = await succession.run([Self.room])
      #expect(next.outcome(1)?.outcome == .unreachable, "the record no longer proves it")
    }
  }

  @Test(
    "a beacon with foreign settings goes to no room without a hint, even while its beacon is not received")
  func withoutHint() async throws {
    var device = Sample.beaconDevice(1, holds: Sample.foreign)
    device.family = .shyBeacon
    let room = Sample.beaconRoom(1)
    try await succession([device]) { succession in
      let run = await succession.run([room], .any)
      #expect(run.outcome(1)?.outcome == .pending)
      #expect(run.outcome(1)?.reason?.code == .noCandidate)
      #expect(run.connected.isEmpty)
      #expect(succession.lastKnown.rooms[room.id]?.bindings == [])
    }
  }
}
