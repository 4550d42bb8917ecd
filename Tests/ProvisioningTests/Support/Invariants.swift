import Bluetooth
import Foundation
import Provisioning
import Testing
import VirtualBuilding

/// What must hold of every run, whatever goes wrong in it, and whatever family the devices are of.
func expectInvariants(_ run: Rehearsed, _ building: [Room], sourceLocation: SourceLocation = #_sourceLocation)
{
  expectOneOutcomeEach(run, building, sourceLocation)
  expectNobodyElsesSettings(run, building, sourceLocation)
  expectProof(run, building, sourceLocation)
  expectIntentsBeforeDeeds(run, building, sourceLocation)
  expectNothingSecret(run, building, sourceLocation)
  expectTruth(run, building, sourceLocation)
  expectRegisteredUntouched(run, building, sourceLocation)
  #expect(run.openLinks == 0, "a link was left open", sourceLocation: sourceLocation)
  #expect(run.attemptsUnderWay == 0, "an attempt was left under way", sourceLocation: sourceLocation)
  #expect(run.remembered.isEmpty, "the stack was left with devices on record", sourceLocation: sourceLocation)
  #expect(
    run.events.map(\.sequence) == Array(1..<run.events.count + 1), "numbers have gaps",
    sourceLocation: sourceLocation)
}

private func expectOneOutcomeEach(_ run: Rehearsed, _ building: [Room], _ location: SourceLocation) {
  #expect(run.result.rooms.map(\.room) == building.map(\.id), sourceLocation: location)
  guard run.result.recordFailure == nil else { return }
  let recorded = run.facts { if case .roomFinished(let fact) = $0 { fact } else { nil } }.map(\.1)
  #expect(recorded.map(\.room).sorted() == building.map(\.id).sorted(), sourceLocation: location)
  #expect(Set(recorded) == Set(run.result.rooms), "told other than recorded", sourceLocation: location)
}

/// Every value that reaches a device is one of its own room's, and every device that one reaches is a room's.
private func expectNobodyElsesSettings(_ run: Rehearsed, _ building: [Room], _ location: SourceLocation) {
  for write in run.writes {
    guard let room = building.first(where: { run.device(of: $0.id) == write.address }) else {
      Issue.record("\(write.address) is no room's, and was written", sourceLocation: location)
      continue
    }
    #expect(
      FamilyTruth(room).isOwn(write, of: room, before: run.flashesBefore[write.address]),
      "\(write.address) got a stranger's value", sourceLocation: location)
  }
}

/// Success of a device that was written means that its flash holds all its room wants, and that it was heard so.
private func expectProof(_ run: Rehearsed, _ building: [Room], _ location: SourceLocation) {
  for finished in run.result.rooms where finished.outcome.isSuccess {
    guard let room = building.first(where: { $0.id == finished.room }) else { continue }
    let proofs = FamilyTruth(room).proofs.union(finished.outcome == .alreadyProvisioned ? [.beaconOnAir] : [])
    #expect(
      finished.evidence.map { proofs.contains($0.grade) && $0.minor == room.minor } ?? false,
      "success without proof", sourceLocation: location)
    guard finished.outcome != .alreadyProvisioned || finished.attempts > 0 else { continue }
    let flash = run.device(of: room.id).flatMap { run.flashes[$0] }
    #expect(FamilyTruth(room).holds(flash, room), "success without deed", sourceLocation: location)
  }
}

/// What the room is told to have is what its device has: one that was changed by us is never passed off as
/// untouched, settings called written are settings that arrived, and those called proved are there.
private func expectTruth(_ run: Rehearsed, _ building: [Room], _ location: SourceLocation) {
  for finished in run.result.rooms {
    guard let room = building.first(where: { $0.id == finished.room }) else { continue }
    guard let address = run.device(of: room.id) else {
      #expect(finished.attempts == 0, "tried without a binding", sourceLocation: location)
      continue
    }
    let writes = run.writes.filter { $0.address == address }
    let changes = writes.filter(FamilyTruth(room).isChange)
    if !changes.isEmpty, run.flashes[address] != run.flashesBefore[address] {
      #expect(
        isHonest(finished, room), "\(room.id) is changed, and told to be \(finished.outcome)",
        sourceLocation: location)
    }
    let told = finished.settings.filter { $0.state != .notWritten }.map(\.name.rawValue)
    if finished.outcome == .alreadyProvisioned {
      #expect(changes.isEmpty, "changed, and told to have been so already", sourceLocation: location)
    } else if FamilyTruth(room) != .iotDesignShop {
      let arrived = Set(writes.flatMap { FamilyTruth.settings(at: $0.characteristic) })
      #expect(arrived.isSuperset(of: told), "told to be written, and never was", sourceLocation: location)
    }
    guard FamilyTruth(room) == .iotDesignShop, finished.attempts > 0 else { continue }
    for setting in finished.settings where setting.state == .proved {
      #expect(
        run.flashes[address]?.values[setting.name.rawValue]
          == FamilyTruth(room).flash(of: room)[setting.name.rawValue],
        "\(setting.name) is told to be proved, and is not there", sourceLocation: location)
    }
  }
}

/// Whether an outcome admits that the device may have been changed.
private func isHonest(_ finished: RoomFinished, _ room: Room) -> Bool {
  if finished.outcome.isSuccess || finished.outcome == .unconfirmed { return true }
  switch FamilyTruth(room) {
  case .roboSensor: return finished.reason?.code == .wrongIdentity
  // They have nothing to be saved: what was written before it failed is there.
  case .iotDesignShop, .firefly: return finished.outcome == .failed
  }
}

/// A binding is on disk before anything is written, and in each attempt `save_submitted` before the first write that
/// changes the device. An intent that was refused by the disk may not be followed by its deed.
private func expectIntentsBeforeDeeds(_ run: Rehearsed, _ building: [Room], _ location: SourceLocation) {
  for room in building {
    guard let address = run.device(of: room.id) else { continue }
    let writes = run.writes.filter { $0.address == address }
    guard let first = writes.first?.at else { continue }
    let bound = run.onDisk {
      if case .bindingCommitted(let fact) = $0 { fact.address == address } else { false }
    }
    #expect(
      run.boundBefore[room.id] == address || bound.first.map { $0 <= first } ?? false,
      "written before the binding was on disk", sourceLocation: location)
    let intents = run.onDisk {
      if case .saveSubmitted(let fact) = $0 { fact.address == address } else { false }
    }
    let attempts = run.onDisk {
      if case .attemptStarted(let fact) = $0 { fact.address == address } else { false }
    }
    for change in writes.filter(FamilyTruth(room).isChange).map(\.at) {
      let begun = attempts.last { $0 <= change }
      #expect(
        begun.map { begun in intents.contains { begun <= $0 && $0 <= change } } ?? false,
        "changed before the intent was on disk", sourceLocation: location)
    }
  }
}

/// Nobody writes, or as much as dials, what was configured elsewhere.
private func expectRegisteredUntouched(_ run: Rehearsed, _ building: [Room], _ location: SourceLocation) {
  for room in building where room.isRegistered {
    let finished = run.result.rooms.first { $0.room == room.id }
    #expect(finished?.attempts ?? 0 == 0, sourceLocation: location)
    for address in Set([room.address, finished?.address].compactMap(\.self)) {
      let isAnothers = building.contains { !$0.isRegistered && run.device(of: $0.id) == address }
      #expect(isAnothers || run.dialled[address] == nil, "dialled", sourceLocation: location)
    }
  }
}

/// No secret, and no beginning of one that would help: events are searched as they are encoded, escapes undone.
private func expectNothingSecret(_ run: Rehearsed, _ building: [Room], _ location: SourceLocation) {
  let encoder = JSONEncoder()
  encoder.outputFormatting = .withoutEscapingSlashes
  let text = run.events.map { (try? encoder.encode($0)).map { String(decoding: $0, as: UTF8.self) } ?? "" }
    .joined().replacing("\\\"", with: "\"").replacing("\\\\", with: "\\")
  #expect(!text.isEmpty || run.events.isEmpty, sourceLocation: location)
  for secret in building.flatMap(\.secrets) where !secret.reveal().isEmpty {
    #expect(!text.contains(secret.reveal().prefix(6)), "a secret is on record", sourceLocation: location)
  }
}
