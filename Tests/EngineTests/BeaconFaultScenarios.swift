import Bluetooth
import Families
import Model
import Simulation
import SampleFacts
import Testing
import VirtualBuilding

private typealias GATT = IoTDesignShopGATT

/// The firmware confirms any write; reads and advertisements show what it stored.
@Suite("beacons that do not store what they confirm") struct BeaconFaultScenarios {
  static let room = Sample.beaconRoom(1, address: 1)

  /// A fault, the value read back, and the setting that the failure names.
  static let faults: [(fault: FamilyFault, held: String, setting: SettingName)] = [
    (.keepsOld(GATT.transmission), "power high, interval 1s", .power),
    (.keepsOld(GATT.beaconID), "major 0, minor 0", .major),
    (.keepsOld(GATT.beaconUUID), "uuid \(GATT.service)", .uuid),
    // The lowest bit of the last byte: of the second number, that is the high byte.
    (.storesWrong(GATT.transmission), "power medium, interval 340ms", .interval),
    (.storesWrong(GATT.beaconID), "major 258, minor 257", .minor),
    (.storesWrong(GATT.beaconUUID), "uuid 4D6F6F72-0000-4C61-6D70-000000000000", .uuid),
  ]

  @Test(
    "a beacon that stores a wrong value fails, and the reason has the value that it holds",
    arguments: faults.indices)
  func mismatch(index: Int) async throws {
    let (fault, held, setting) = Self.faults[index]
    let rooms = [Self.room, Sample.beaconRoom(2, address: 2)]
    try await succession([Sample.beaconDevice(1, faults: [.init(.own(fault))]), Sample.beaconDevice(2)]) {
      succession in
      let run = await succession.run(rooms).expectInvariants()
      let finished = try #require(run.outcome(1))
      #expect(finished.outcome == .failed && finished.attempts == 3)
      #expect(finished.reason?.code == .readBackMismatch && finished.reason?.stage == .read)
      #expect(finished.reason?.held == held && finished.reason?.setting == setting)
      #expect(finished.settings.first { $0.name == setting }?.state != .proved)
      #expect(run.outcome(2)?.outcome == .provisioned)
      // A wrong value is never on air with this site's UUID.
      if fault.characteristic != GATT.beaconUUID {
        #expect(run.flashes[Sample.address(1)]?.values["uuid"] == GATT.service.bytes)
      }
      #expect(succession.lastKnown.rooms[Self.room.id]?.status.kind == .open)
    }
  }

  @Test(
    "a write without an answer is reported as submitted: the beacon may hold it", arguments: [true, false])
  func lostAnswer(isTaken: Bool) async throws {
    var room = Self.room
    room.retries = 0
    let fault = Fault.drops(in: isTaken ? .confirm(1) : .write(1))
    try await succession([Sample.beaconDevice(1, faults: [.init(fault)])]) { [room] succession in
      let run = await succession.run([room]).expectInvariants()
      let finished = try #require(run.outcome(1))
      #expect(finished.outcome == .failed && finished.reason?.code == .linkLost)
      for settings in [finished.settings, succession.lastKnown.rooms[room.id]?.lastWrite?.settings ?? []] {
        #expect(settings.filter { $0.state == .submitted }.map(\.name) == [.power, .interval])
        #expect(settings.filter { $0.state == .notWritten }.map(\.name) == [.uuid, .major, .minor])
      }
    }
  }

  @Test("a beacon that got a write without an answer is reported so even if the room then needs an operator")
  func lostAnswerThenBlocked() async throws {
    let other = Sample.beaconDevice(2, holds: Sample.done(Self.room))
    let device = Sample.beaconDevice(1, faults: [.init(.drops(in: .confirm(1)), attempts: 1)])
    try await succession([device, other]) { succession in
      await succession.world.setMuted(true, Sample.address(2))
      let run = await succession.run([Self.room]) { backstage, event in
        guard case .attemptEnded = event.fact else { return }
        await backstage.world.setMuted(false, Sample.address(2))
        await backstage.world.setMuted(true, Sample.address(1))
        backstage.after(.seconds(8)) { await backstage.world.setMuted(false, Sample.address(1)) }
      }.expectInvariants()
      let finished = try #require(run.outcome(1))
      #expect(finished.reason?.code == .identityOnAir)
      #expect(finished.settings.filter { $0.state == .submitted }.map(\.name) == [.power, .interval])
    }
  }

  @Test("the record of a run that is killed at a write says that the device may hold its settings")
  func killedAtWrite() async throws {
    try await succession([Sample.beaconDevice(1)]) { succession in
      #expect(await succession.runUntilKilled([Self.room], write: .after(1)))
      let lastWrite = try #require(succession.lastKnown.rooms[Self.room.id]?.lastWrite)
      #expect(lastWrite.settings.allSatisfy { $0.state == .submitted })
    }
  }

  @Test("a beacon that stores a wrong value once is corrected by the next attempt", arguments: faults.indices)
  func once(index: Int) async throws {
    let fault = ScheduledFault(.own(Self.faults[index].fault), attempts: 1)
    try await succession([Sample.beaconDevice(1, faults: [fault])]) { succession in
      let run = await succession.run([Self.room]).expectInvariants()
      #expect(run.outcome(1)?.outcome == .provisionedAfterRetry && run.outcome(1)?.attempts == 2)
      #expect(run.outcome(1)?.settings.allSatisfy { $0.state == .proved } == true)
    }
  }

  @Test(
    "a beacon whose settings are only seen on air is done once its advertisement is received",
    arguments: [true, false])
  func oldBeacon(isRenumbered: Bool) async throws {
    // The fault affects all runs but the last.
    let faults = [ScheduledFault(.own(.oldBeacon), attempts: 2)]
    let before = Sample.beaconRoom(1, address: 1, minor: 99)
    let holds = isRenumbered ? Sample.done(before) : [:]
    try await succession([Sample.beaconDevice(1, holds: holds, faults: faults)]) { succession in
      if isRenumbered { #expect(await succession.run([before]).outcome(1)?.outcome == .alreadyProvisioned) }
      let run = await succession.run([Self.room], allowing: .init(renumber: true)).expectInvariants()
      let finished = try #require(run.outcome(1))
      #expect(finished.outcome == .failed && finished.attempts == 1)
      #expect(finished.reason?.code == .wrongIdentity && finished.reason?.stage == .verify)
      #expect(finished.reason?.identity?.minor == (isRenumbered ? 99 : 0))
      #expect(FirmwareFamily.of(Self.room).holds(run.flashes[Sample.address(1)], Self.room))
      #expect(succession.lastKnown.rooms[Self.room.id]?.status.kind == .open)
      // The record has the device, so no permission is necessary for other settings.
      var changed = Self.room
      changed.settings[.major] = .integer(5)
      let later = isRenumbered ? changed : Self.room
      if !isRenumbered { _ = await succession.run([Self.room]) }
      let next = await succession.run([later]).expectInvariants()
      #expect(next.outcome(1)?.outcome == (isRenumbered ? .provisioned : .alreadyProvisioned))
    }
  }

  @Test("a beacon that holds an invalid value is not asked to keep it", arguments: [true, false])
  func invalidValue(isSaid: Bool) async throws {
    var room = Self.room
    if !isSaid { room.settings[.power] = nil }
    try await succession([Sample.beaconDevice(1)]) { [room] succession in
      // Power 7 does not exist.
      try await succession.premises.write([7, 0, 0x40, 0x06], to: GATT.transmission, of: Sample.address(1))
      let run = await succession.run([room]).expectInvariants()
      #expect(run.outcome(1)?.outcome == (isSaid ? .provisioned : .failed))
      if isSaid { return }
      #expect(run.outcome(1)?.reason?.code == .readBackMismatch && run.writes.isEmpty)
      #expect(run.outcome(1)?.reason?.held == "power 0x07004006, interval 1s")
    }
  }

  @Test("a beacon that refuses a write gets one retry", arguments: [true, false])
  func refuses(isPassing: Bool) async throws {
    let fault = ScheduledFault(
      .rejectsWrite(to: GATT.beaconID, code: 0x80), attempts: isPassing ? 1 : nil)
    try await succession([Sample.beaconDevice(1, faults: [fault])]) { succession in
      let run = await succession.run([Self.room]).expectInvariants()
      let finished = try #require(run.outcome(1))
      #expect(finished.outcome == (isPassing ? .provisionedAfterRetry : .failed) && finished.attempts == 2)
      if isPassing { return }
      #expect(finished.reason?.code == .attributeRejected && finished.reason?.attError == 0x80)
      #expect(finished.reason?.setting == .major && finished.reason?.stage == .write)
      // The second attempt reads what the first one wrote.
      #expect(finished.settings.map(\.state) == [.notWritten, .notWritten, .notWritten, .proved, .proved])
    }
  }

  @Test("a beacon that was read back and is not received afterwards is unconfirmed")
  func silent() async throws {
    try await succession([Sample.beaconDevice(1)]) { succession in
      let run = await succession.run([Self.room]) { backstage, event in
        if case .linkEnded = event.fact { await backstage.world.setMuted(true, Sample.address(1)) }
      }.expectInvariants()
      let finished = try #require(run.outcome(1))
      #expect(finished.outcome == .unconfirmed && finished.reason?.code == .notReceivedAfterSave)
      #expect(finished.evidence?.grade == .readBack)
      #expect(finished.settings.allSatisfy { $0.state == .proved }, "the attempt read every setting")
      await succession.world.setMuted(false, Sample.address(1))
      let next = await succession.run([Self.room]).expectInvariants()
      #expect(next.outcome(1)?.outcome == .alreadyProvisioned && next.writes.isEmpty)
    }
  }
}
