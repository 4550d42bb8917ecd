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
  expectTruth(run, sourceLocation)
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

/// Every value that ever reached a sensor is one of its own room's; success means that its flash holds them all.
private func expectNobodyElsesSettings(_ run: Rehearsed, _ building: [Room], _ location: SourceLocation) {
  for finished in run.result.rooms {
    guard let room = building.first(where: { $0.id == finished.room }),
      let address = run.device(of: room.id) ?? finished.address
    else { continue }
    let own = Set(room.settings.values.map(bytes) + [Array("SAVE".utf8)])
    for write in run.writes where write.address == address {
      #expect(own.contains(write.value), "\(address) got a stranger's value", sourceLocation: location)
    }
    let flash = run.flashes[address]
    if finished.outcome == .provisioned || finished.outcome == .provisionedAfterRetry {
      #expect(flash?.values["minor"] == room.settings[.minor].map(bytes), sourceLocation: location)
      #expect(flash?.isSaved == true, sourceLocation: location)
      let proves: [Evidence.Grade?] = [.freshBeacon, .freshBeaconOtherAddress]
      #expect(
        proves.contains(finished.evidence?.grade) && finished.evidence?.minor == room.minor,
        "success without proof", sourceLocation: location)
      for (name, value) in room.settings {
        #expect(flash?.values[name.rawValue] == bytes(value), sourceLocation: location)
      }
    }
  }
}

/// What the room is told to have is what its sensor has: one that was changed by us is never passed off as
/// untouched, and settings called written are settings that arrived.
private func expectTruth(_ run: Rehearsed, _ location: SourceLocation) {
  for finished in run.result.rooms {
    guard let address = run.device(of: finished.room) else {
      #expect(finished.attempts == 0, "tried without a binding", sourceLocation: location)
      continue
    }
    let saves = run.writes.filter { $0.address == address && $0.value == Array("SAVE".utf8) }
    if run.flashes[address]?.isSaved == true, !saves.isEmpty {
      let isHonest = finished.outcome.isSuccess || finished.outcome == .unconfirmed
      #expect(
        isHonest || finished.reason?.code == .wrongIdentity,
        "\(finished.room) is changed, and told to be \(finished.outcome)", sourceLocation: location)
    }
    let told = finished.settings.filter { $0.state != .notWritten }.map(\.name.rawValue)
    let arrived = Set(
      run.writes.filter { $0.address == address }.compactMap { settingNames[$0.characteristic] })
    if finished.outcome != .alreadyProvisioned {
      #expect(arrived.isSuperset(of: told), "told to be written, and never was", sourceLocation: location)
    }
  }
}

private let settingNames: [BluetoothUUID: String] = [
  RoboSensorGATT.ssid: "wifi_ssid", RoboSensorGATT.password: "wifi_password",
  RoboSensorGATT.roomName: "room_name", RoboSensorGATT.minor: "minor",
]

/// A binding is on disk before anything is written, and `save_submitted` before each `SAVE`. An intent that
/// was refused by the disk may not be followed by its deed.
private func expectIntentsBeforeDeeds(_ run: Rehearsed, _ location: SourceLocation) {
  for address in Set(run.writes.map(\.address)) {
    let deeds = run.writes.filter { $0.address == address }.map(\.at)
    let bound = run.onDisk {
      if case .bindingCommitted(let fact) = $0 { fact.address == address } else { false }
    }
    #expect(
      bound.first.map { $0 <= deeds[0] } ?? false, "written before the binding was on disk",
      sourceLocation: location)
    let saves = run.writes.filter { $0.address == address && $0.value == Array("SAVE".utf8) }.map(\.at)
    let intents = run.onDisk {
      if case .saveSubmitted(let fact) = $0 { fact.address == address } else { false }
    }
    #expect(saves.count <= intents.count, "SAVE without an intent", sourceLocation: location)
    for (save, intent) in zip(saves, intents) {
      #expect(intent <= save, "SAVE before its intent was on disk", sourceLocation: location)
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

private func bytes(_ value: SettingValue) -> [UInt8] {
  switch value {
  case .text(let text): Array(text.utf8)
  case .secret(let secret): Array(secret.reveal().utf8)
  case .integer(let number): [UInt8(number >> 8), UInt8(number & 0xFF)]
  case .uuid, .duration: preconditionFailure("a Robo Sensor has no such setting")
  }
}
