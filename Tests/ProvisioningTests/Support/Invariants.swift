import Bluetooth
import Foundation
import Provisioning
import Testing
import VirtualBuilding

/// What must hold of every run, whatever goes wrong in it.
func expectInvariants(_ run: Rehearsed, _ building: [Room], sourceLocation: SourceLocation = #_sourceLocation)
{
  expectOneOutcomeEach(run, building, sourceLocation)
  expectNobodyElsesSettings(run, building, sourceLocation)
  expectIntentsBeforeDeeds(run, sourceLocation)
  expectNothingSecret(run, building, sourceLocation)
  #expect(run.openLinks == 0, "a link was left open", sourceLocation: sourceLocation)
  #expect(
    run.events.map(\.sequence) == Array(1...max(1, run.events.count)), "numbers have gaps",
    sourceLocation: sourceLocation)
}

private func expectOneOutcomeEach(_ run: Rehearsed, _ building: [Room], _ location: SourceLocation) {
  #expect(run.result.rooms.map(\.room) == building.map(\.id), sourceLocation: location)
  guard run.result.recordFailure == nil else { return }
  let recorded = run.facts { if case .roomFinished(let fact) = $0 { fact } else { nil } }.map(\.1)
  #expect(recorded.map(\.room).sorted() == building.map(\.id).sorted(), sourceLocation: location)
  #expect(Set(recorded) == Set(run.result.rooms), "told other than recorded", sourceLocation: location)
}

/// Every value that ever reached a sensor is one of its own room's; success means that its flash holds them all.
private func expectNobodyElsesSettings(_ run: Rehearsed, _ building: [Room], _ location: SourceLocation) {
  for finished in run.result.rooms {
    guard let room = building.first(where: { $0.id == finished.room }), let address = finished.address else {
      continue
    }
    let own = Set(room.settings.values.map(bytes) + [Array("SAVE".utf8)])
    for write in run.writes where write.address == address {
      #expect(own.contains(write.value), "\(address) got a stranger's value", sourceLocation: location)
    }
    let flash = run.flashes[address]
    if finished.outcome == .provisioned || finished.outcome == .provisionedAfterRetry {
      #expect(flash?.values["minor"] == room.settings[.minor].map(bytes), sourceLocation: location)
      #expect(flash?.isSaved == true, sourceLocation: location)
      #expect(
        finished.evidence?.grade == .freshBeacon && finished.evidence?.minor == room.minor,
        "success without proof", sourceLocation: location)
    }
    if flash?.isSaved == true, finished.attempts > 0 {
      let submitted = run.events.contains { event in
        if case .saveSubmitted(let fact) = event.fact { fact.room == room.id } else { false }
      }
      #expect(submitted, "a changed sensor without an intent on record", sourceLocation: location)
    }
  }
}

/// A binding is on record before anything is written, and `save_submitted` before each `SAVE`.
private func expectIntentsBeforeDeeds(_ run: Rehearsed, _ location: SourceLocation) {
  for write in run.writes {
    let bound = run.events.contains { event in
      if case .bindingCommitted(let fact) = event.fact {
        fact.address == write.address && event.elapsed <= write.at.sinceZero
      } else {
        false
      }
    }
    #expect(bound, "written before the binding was on record", sourceLocation: location)
  }
  for address in Set(run.writes.map(\.address)) {
    let saves = run.writes.filter { $0.address == address && $0.value == Array("SAVE".utf8) }.map(
      \.at.sinceZero)
    let intents = run.facts { if case .saveSubmitted(let fact) = $0 { fact } else { nil } }
      .filter { $0.1.address == address }.map(\.0.elapsed)
    #expect(saves.count <= intents.count, "SAVE without an intent", sourceLocation: location)
    for (save, intent) in zip(saves, intents) {
      #expect(intent <= save, "SAVE before its intent", sourceLocation: location)
    }
  }
}

private func expectNothingSecret(_ run: Rehearsed, _ building: [Room], _ location: SourceLocation) {
  let encoder = JSONEncoder()
  let text = run.events.map { (try? encoder.encode($0)).map { String(decoding: $0, as: UTF8.self) } ?? "" }
    .joined()
  for secret in building.flatMap(\.secrets) where !secret.reveal().isEmpty {
    #expect(!text.contains(secret.reveal()), "a secret is on record", sourceLocation: location)
  }
}

private func bytes(_ value: SettingValue) -> [UInt8] {
  switch value {
  case .text(let text): Array(text.utf8)
  case .secret(let secret): Array(secret.reveal().utf8)
  case .integer(let number): [UInt8(number >> 8), UInt8(number & 0xFF)]
  }
}
