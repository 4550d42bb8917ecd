import Bluetooth
import Families
import Model
import Testing
import VirtualBuilding

/// A beacon can always be reached, also one that serves somebody else.
@Suite("A beacon that serves another room") struct ForeignBeaconStories {
  static let room = Sample.beaconRoom(1, address: 1)
  static let other = Sample.beaconRoom(2)
  static let shownForeign = "uuid 0D1E2F30-1111-2222-3333-444455556666, major 7, minor 4660"

  /// Of another site, of another room of this one, or nearly ours.
  static let strangers: [[String: String]] = [
    Sample.foreign, Sample.done(other), Sample.done(room).merging(["major": "259"]) { $1 },
    Sample.done(room).merging(["uuid": "4D6F6F72-0000-4C61-6D70-000000000009"]) { $1 },
  ]

  @Test("is refused by what is heard of it, and not even dialled", arguments: strangers.indices)
  func byAir(index: Int) async throws {
    let held = Self.strangers[index]
    try await succession([Sample.beaconDevice(1, holds: held)]) { succession in
      let run = await succession.run([Self.room])
      expectInvariants(run, [Self.room])
      Self.expectRefused(run, held)
      #expect(run.dialled.isEmpty)
      // Nor is it claimed.
      #expect(succession.standing.rooms[Self.room.id]?.deed == nil)
    }
  }

  @Test("is refused by what is read, where nothing is heard", arguments: strangers.indices)
  func byReading(index: Int) async throws {
    let held = Self.strangers[index]
    var device = Sample.beaconDevice(1, holds: held)
    device.family = .shyBeacon
    try await succession([device]) { succession in
      let run = await succession.run([Self.room])
      expectInvariants(run, [Self.room])
      Self.expectRefused(run, held)
      #expect(run.outcome(1)?.attempts == 1, "there is no use in trying again")
      #expect(run.outcome(1)?.reason?.stage == .read)
    }
  }

  private static func expectRefused(_ run: Rehearsed, _ held: [String: String]) {
    #expect(run.outcome(1)?.outcome == .needsHands)
    #expect(run.outcome(1)?.reason?.code == .foreignSettings)
    let shown = ["uuid", "major", "minor"].map { "\($0) \(held[$0] ?? "")" }.joined(separator: ", ")
    #expect(run.outcome(1)?.reason?.held == shown)
    #expect(run.outcome(1)?.settings.allSatisfy { $0.state == .notWritten } == true)
    #expect(run.writes.isEmpty)
  }

  @Test("is written over when that is said to be meant, for this room alone", arguments: [true, false])
  func overwrite(isOurs: Bool) async throws {
    let rooms = [Self.room, Sample.beaconRoom(2, address: 2)]
    try await succession([
      Sample.beaconDevice(1, holds: Sample.foreign), Sample.beaconDevice(2, holds: Sample.foreign),
    ]) { succession in
      let run = await succession.run(rooms, allowing: .init(overwrite: [isOurs ? rooms[0].id : rooms[1].id]))
      expectInvariants(run, rooms)
      let (meant, other) = isOurs ? (1, 2) : (2, 1)
      #expect(run.outcome(meant)?.outcome == .provisioned)
      #expect(run.outcome(other)?.reason?.code == .foreignSettings)
      // From then on it is ours, without any permission.
      let room = rooms[meant - 1]
      var changed = room
      changed.settings[.major] = .integer(3)
      changed.settings[.power] = .text("low")
      let next = await succession.run([changed])
      expectInvariants(next, [changed])
      #expect(next.outcome(meant)?.outcome == .provisioned)
    }
  }

  @Test("is read, and refused, though another room's may be written over")
  func overwriteAnother() async throws {
    let rooms = [Self.room, Sample.beaconRoom(2, address: 2)]
    let devices = ([1, 2] as [UInt64]).map { number in
      var device = Sample.beaconDevice(number, holds: Sample.foreign)
      device.family = .shyBeacon
      return device
    }
    try await succession(devices) { succession in
      let run = await succession.run(rooms, allowing: .init(overwrite: [rooms[1].id]))
      expectInvariants(run, rooms)
      #expect(run.outcome(1)?.reason?.code == .foreignSettings && run.written(1).isEmpty)
      #expect(run.outcome(2)?.outcome == .unconfirmed && run.written(2).count == 3, "nobody hears it")
    }
  }

  @Test("is planned as refused, and not dialled for that")
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
      // Of the third nobody knows what it holds besides its identity: it is to be read.
      #expect(plan.rooms.map(\.action) == [.stop, .provision, .provision, .done])
      #expect(plan.rooms[0].reason?.code == .foreignSettings && plan.rooms[0].outcome == .needsHands)
      #expect(plan.rooms[0].reason?.held == Self.shownForeign)
      for number in [1, 2, 3] as [UInt64] {
        #expect(await succession.world.attemptCount(of: Sample.address(number)) == 0)
      }
    }
  }

  @Test("that was ours is refused, and on record as done no longer")
  func stolen() async throws {
    // The first run has it done; then somebody gives it other settings with an app.
    try await succession([Sample.beaconDevice(1)]) { succession in
      _ = await succession.run([Self.room])
      try await succession.premises.write(Sample.foreign, to: Sample.address(1))
      let run = await succession.run([Self.room])
      expectInvariants(run, [Self.room])
      #expect(run.outcome(1)?.reason?.code == .foreignSettings)
      #expect(run.outcome(1)?.reason?.held == Self.shownForeign)
      await succession.world.setMuted(true, Sample.address(1))
      let next = await succession.run([Self.room])
      #expect(next.outcome(1)?.outcome == .unreachable, "nobody knows that it is done")
    }
  }

  @Test("goes to no room without hint, also while its beacon is not heard")
  func shyForAny() async throws {
    var device = Sample.beaconDevice(1, holds: Sample.foreign)
    device.family = .shyBeacon
    let room = Sample.beaconRoom(1)
    try await succession([device]) { succession in
      let run = await succession.run([room], .any)
      #expect(run.outcome(1)?.outcome == .pending)
      #expect(run.outcome(1)?.reason?.code == .noCandidate)
      #expect(run.dialled.isEmpty)
      #expect(succession.standing.rooms[room.id]?.bindings == [])
    }
  }
}
